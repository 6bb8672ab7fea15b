"""W2: libraries that evaluate one query after the other, compiled before it is timed or kept compiled."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Loop: TypeAlias = Callable[[bytes], int]
"""Parses a document, evaluates the queries, and returns how many matched."""


def lxml_loop(queries: Sequence[str], namespaces: Mapping[str, str]) -> Loop:
    """`etree.XPath` for each query; parse once a document."""
    from lxml import etree

    compiled = [etree.XPath(query, namespaces=dict(namespaces)) for query in queries]

    def run(document: bytes) -> int:
        tree = etree.fromstring(document, etree.XMLParser(huge_tree=True)).getroottree()
        return sum(bool(query(tree)) for query in compiled)

    return run


def saxon_loop(queries: Sequence[str], namespaces: Mapping[str, str]) -> Loop:
    """A `PyXPathProcessor` for each query, told to keep it compiled after its first use; parse once a document."""
    from saxonche import PySaxonProcessor

    processor = PySaxonProcessor(license=False)
    prepared: list[tuple[Any, str]] = []
    for query in queries:
        xpath = processor.new_xpath_processor()
        xpath.set_caching(True)
        for prefix, uri in namespaces.items():
            xpath.declare_namespace(prefix, uri)
        prepared.append((xpath, query))

    def run(document: bytes) -> int:
        tree = processor.parse_xml(xml_text=document.decode())
        matched = 0
        for xpath, query in prepared:
            xpath.set_context(xdm_item=tree)
            matched += xpath.effective_boolean_value(query)
        return matched

    return run


_LOOPS: dict[str, tuple[str, Callable[[Sequence[str], Mapping[str, str]], Loop], int]] = {
    "lxml": ("lxml", lxml_loop, 200),
    "saxon": ("saxonche", saxon_loop, 20),
}


def loops() -> dict[str, tuple[Callable[[Sequence[str], Mapping[str, str]], Loop], int]]:
    """The peers that are installed, with the number of queries from which their time is extrapolated."""
    return {name: (make, most) for name, (package, make, most) in _LOOPS.items() if find_spec(package)}
