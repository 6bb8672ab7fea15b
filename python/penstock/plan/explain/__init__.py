"""How a query is evaluated, told to people and to programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from penstock.plan import machine
from penstock.plan.explain.describe import describe
from penstock.plan.explain.document import as_json
from penstock.plan.explain.picture import as_svg
from penstock.plan.explain.text import as_text

__all__ = ["explain"]


def explain(
    queries: Sequence[tuple[str, str, machine.Program]],
    format: Literal["text", "json", "svg"] = "text",
) -> str:
    """Which part of each query streams, which waits for an element's end, which for the document's.

    A query is given by its id, its text and its program. Says also what is held meanwhile, and why.

    >>> from penstock.plan.build import build
    >>> from penstock.plan.lower import lower
    >>> from penstock.syntax.xpath import parse
    >>> query = "//book[@id = '1']/title"
    >>> print(explain([("q", query, lower(build(parse(query), {})))]), end="")
    q: //book[@id = '1']/title
      verdict    streams: memory is bounded by one title
      result     nodes: each node that is selected
      delivered  at its end tag
      holds      the source of each title until it is delivered or dropped
      many       exact: an index finds the nodes
      machine
        document
        //book
          [@id = '1']  at the start tag
        /title  -> result
    """
    views = [describe(*query) for query in queries]
    match format:
        case "text":
            return as_text(views)
        case "json":
            return as_json(views)
        case "svg":
            return as_svg(views)
