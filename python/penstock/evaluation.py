"""One query, one document: what an XPath library would offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import DocumentError
from penstock.kernel.compile import compile_cached
from penstock.kernel.engine import link, make_engine

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENGINE = make_engine()


def evaluate(
    query: str,
    document: str | bytes | bytearray | memoryview,
    *,
    language: str | None = None,
    namespaces: Mapping[str, str] | None = None,
) -> list[str]:
    """The items that a query gives for one document, in document order, as strings.

    Elements come as XML that stands alone; attributes, text and values as their string value.

    >>> evaluate("//item[price > 10]/name", "<list><item><name>pen</name><price>12</price></item></list>")
    ['<name>pen</name>']
    >>> evaluate("count(//item)", "<list><item/><item/></list>")
    ['2']
    """
    compiled = compile_cached(query, tuple(sorted((namespaces or {}).items())), language, machine=True)
    values, failed = _ENGINE.values(link([compiled]), document)
    if failed:
        raise DocumentError("evaluation", failed[0][1], 1, 1, 0)
    return values
