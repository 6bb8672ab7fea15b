"""One query, one document: what an XPath library would offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.kernel.compile import compile_cached
from penstock.kernel.engine import Engine, link

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENGINE = Engine()


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
    fragments, deliveries, errors = _ENGINE.document(link([compiled]), document)
    if errors:
        raise_evaluation_error(errors[0][1])
    return [fragments[index][1] for _, index in deliveries]


def raise_evaluation_error(message: str) -> None:
    """A query that failed on a document, as an error of that document."""
    from penstock.errors import DocumentError

    raise DocumentError("evaluation", message, 1, 1, 0)
