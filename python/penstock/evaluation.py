"""One query, one document: what a library for XPath or XQuery would offer."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from penstock.errors import DocumentError
from penstock.kernel.compile import compile_cached
from penstock.kernel.engine import link, make_engine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.kernel.engine import Set

_ENGINE = make_engine()


def evaluate(
    query: str,
    document: str | bytes | bytearray | memoryview,
    *,
    language: str | None = None,
    namespaces: Mapping[str, str] | None = None,
) -> list[str]:
    """The items that a query gives for one document, as strings: nodes of a path in document order.

    Elements come as XML that stands alone; attributes, text and values as their string value. What can be read as
    XPath is XPath, everything else XQuery, unless `language` says otherwise.

    >>> evaluate("//item[price > 10]/name", "<list><item><name>pen</name><price>12</price></item></list>")
    ['<name>pen</name>']
    >>> evaluate("count(//item)", "<list><item/><item/></list>")
    ['2']
    >>> evaluate("for $i in (3, 1, 2) order by $i return <n>{$i}</n>", "<list/>")
    ['<n>1</n>', '<n>2</n>', '<n>3</n>']
    """
    machine = _machine(query, tuple(sorted((namespaces or {}).items())), language)
    values, failed = _ENGINE.values(machine, document)
    if failed:
        raise DocumentError("evaluation", failed[0][1], 1, 1, 0)
    return values


@functools.lru_cache(maxsize=512)
def _machine(query: str, namespaces: tuple[tuple[str, str], ...], language: str | None) -> Set:
    """The same for the same query, so that the engine knows it again."""
    return link([compile_cached(query, namespaces, language, machine=True)])
