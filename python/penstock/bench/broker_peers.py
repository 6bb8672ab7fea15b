"""W3: the same subscriptions one after the other: by our own evaluator, and by Saxon."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.kernel.compile import compile_query
from penstock.kernel.engine import link, make_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

Loop: TypeAlias = Callable[[bytes], list[list[str]]]
"""Evaluates the queries on a document, and returns the string value of each item of each."""

_TAG = re.compile("<[^>]*>")


def evaluator_loop(queries: Sequence[str]) -> Loop:
    """Each query compiled, and evaluated by itself: that includes reading the document."""
    engine = make_engine()
    linked = [link([compile_query(query)]) for query in queries]

    def run(document: bytes) -> list[list[str]]:
        return [[string_value(text) for text in engine.values(one, document)[0]] for one in linked]

    return run


def saxon_loop(queries: Sequence[str]) -> Loop:
    """A processor for each query that keeps it compiled; the document is parsed once."""
    from saxonche import PySaxonProcessor

    processor = PySaxonProcessor(license=False)
    prepared: list[Any] = []
    for query in queries:
        one = processor.new_xquery_processor()
        one.set_query_content(query)
        prepared.append(one)

    def run(document: bytes) -> list[list[str]]:
        tree = processor.parse_xml(xml_text=document.decode())
        found: list[list[str]] = []
        for one in prepared:
            one.set_context(xdm_item=tree)
            value = one.run_query_to_value()
            found.append([] if value is None else [item.string_value for item in value])
        return found

    return run


def string_value(message: str) -> str:
    """What is left of a message without its tags; the documents have no references and no comments."""
    return _TAG.sub("", message)


def loops() -> dict[str, tuple[Callable[[Sequence[str]], Loop], int]]:
    """Who is there, with the number of queries from which the time is extrapolated."""
    known: dict[str, tuple[Callable[[Sequence[str]], Loop], int]] = {"one by one": (evaluator_loop, 400)}
    return known | ({"saxon": (saxon_loop, 40)} if find_spec("saxonche") else {})
