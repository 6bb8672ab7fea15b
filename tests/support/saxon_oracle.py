"""What Saxon says in its mode for XPath 1.0, in a form to compare; it knows what comes from later versions too."""

from __future__ import annotations

import math
import re

import saxonche

from support.canonical import canonical
from support.vocabulary import NAMESPACES
from support.ways import Delivered

_KIND = """
    for $item in $result return
      if ($item instance of element()) then ('element', serialize($item, map{'omit-xml-declaration': true()}))
      else if ($item instance of attribute()) then ('attribute', string($item))
      else if ($item instance of text()) then ('text', string($item))
      else if ($item instance of comment()) then ('comment', serialize($item))
      else if ($item instance of processing-instruction()) then ('pi', serialize($item))
      else if ($item instance of document-node()) then ('document', '')
      else if ($item instance of node()) then ('attribute', string($item))
      else if ($item instance of xs:boolean) then ('boolean', string($item))
      else if ($item instance of xs:numeric) then ('number', string($item))
      else ('string', string($item))
"""

_AGGREGATE_OF_STRINGS = re.compile(r"(min|max|avg)\(.*(comment|processing-instruction|node)\(\)")


def is_fair(query: str) -> bool:
    """Whether Saxon answers by the rules of XPath 1.0, as far as is known.

    Its `min` and `max` compare comments and instructions as strings, since their typed value is one.
    """
    return not _AGGREGATE_OF_STRINGS.search(query)


class SaxonTrees:
    """One processor for many documents and queries: starting one is dear."""

    def __init__(self) -> None:
        self._processor = saxonche.PySaxonProcessor(license=False)
        self._processor.set_configuration_property("http://saxon.sf.net/feature/strip-whitespace", "none")
        self._describe = self._processor.new_xpath_processor()
        self._describe.set_language_version("3.1")
        self._describe.declare_variable("result")

    def parse(self, document: bytes) -> saxonche.PyXdmNode:
        """The document as a tree, to be asked several queries."""
        return self._processor.parse_xml(xml_text=document.decode())


class Saxon(SaxonTrees):
    """Answers by the rules of XPath 1.0."""

    def ask(self, tree: saxonche.PyXdmNode, query: str) -> list[tuple[str, object]] | None:
        """Kinds and values in document order; None if Saxon finds an error in the query."""
        processor = self._processor.new_xpath_processor()
        processor.set_language_version("3.1")
        processor.set_backwards_compatible(True)
        for prefix, uri in NAMESPACES.items():
            processor.declare_namespace(prefix, uri)
        processor.set_context(xdm_item=tree)
        try:
            answer = processor.evaluate(query)
        except saxonche.PySaxonApiError:
            return None
        if answer is None or answer.size == 0:
            return []
        self._describe.set_parameter("result", answer)
        described = [item.string_value for item in self._describe.evaluate(_KIND)]
        return [_item(kind, text) for kind, text in zip(described[::2], described[1::2], strict=True)]


def comparable(delivered: Delivered, answer: list[tuple[str, object]]) -> list[tuple[str, object]] | str:
    """Our own results in the form of `ask`. Types of values are not told, so they are taken from the answer."""
    if isinstance(delivered, str):
        return delivered
    types = [kind for kind, _ in answer]
    items = []
    for place, (kind, text, _) in enumerate(delivered):
        if kind == "atomic" and place < len(types):
            items.append(_item(types[place], text))
        else:
            items.append(_item(kind, "" if kind == "document" else text))
    return items


def _item(kind: str, text: str) -> tuple[str, object]:
    if kind != "number":
        return kind, canonical(kind, text)
    number = float(text.replace("INF", "inf").replace("Infinity", "inf"))
    return kind, "NaN" if math.isnan(number) else float(f"{number:.12g}")
