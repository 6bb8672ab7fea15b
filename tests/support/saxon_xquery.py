"""What Saxon says to a query of XQuery 3.1, item by item."""

from __future__ import annotations

import saxonche

from support.canonical import canonical
from support.saxon_oracle import SaxonTrees

_DESCRIBED = """
    for $item in $result return
      if ($item instance of element()) then ('element', serialize($item, map{'omit-xml-declaration': true()}))
      else if ($item instance of attribute()) then ('attribute', string($item))
      else if ($item instance of text()) then ('text', string($item))
      else if ($item instance of comment()) then ('comment', serialize($item))
      else if ($item instance of processing-instruction()) then ('pi', serialize($item))
      else if ($item instance of document-node()) then ('document', '')
      else ('atomic', string($item))
"""


class SaxonXQuery(SaxonTrees):
    """Answers queries of XQuery."""

    def ask(self, tree: saxonche.PyXdmNode, query: str) -> list[tuple[str, str]] | None:
        """Kind and text of each item; None if Saxon raises an error."""
        processor = self._processor.new_xquery_processor()
        processor.set_context(xdm_item=tree)
        processor.set_query_content(query)
        try:
            answer = processor.run_query_to_value()
        except saxonche.PySaxonApiError:
            return None
        if answer is None or answer.size == 0:
            return []
        self._describe.set_parameter("result", answer)
        described = [item.string_value for item in self._describe.evaluate(_DESCRIBED)]
        return [(kind, canonical(kind, text)) for kind, text in zip(described[::2], described[1::2], strict=True)]
