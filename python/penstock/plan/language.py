"""Which language a query is in, and its normal form there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from penstock.errors import QueryError, UnsupportedError
from penstock.plan.build import build as build_xpath
from penstock.plan.streams import named_stream
from penstock.plan.xquery.build import build as build_xquery
from penstock.syntax import xpath
from penstock.syntax.xquery import prolog as xquery
from penstock.syntax.xquery.printer import to_text as xquery_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.plan import normal
    from penstock.plan.xquery import normal as xquery_normal

Language: TypeAlias = Literal["xpath", "xquery"]
LANGUAGES: tuple[Language, ...] = ("xpath", "xquery")

# A query that is refused for one of these is none of XPath, but may be one of a larger language.
_NOT_XPATH = frozenset(("XPST0003", "PNST0003", "PNST0004"))


@dataclass(frozen=True, slots=True)
class XPathQuery:
    """A query of XPath; `stream` is the one that it names."""

    expression: normal.Expr
    stream: str | None = None
    language: Language = "xpath"


@dataclass(frozen=True, slots=True)
class XQueryQuery:
    """A query of XQuery; `text` is how it would be written, `stream` the one that it names."""

    expression: xquery_normal.Expr
    text: str
    stream: str | None = None
    language: Language = "xquery"


Query: TypeAlias = XPathQuery | XQueryQuery


# Of these no query of XPath begins with any.
_XQUERY = re.compile(r"\s*(<|(for|let)\s+\$|declare\s|xquery\s+(version|encoding)\s)")


def is_surely_xquery(query: str) -> bool:
    """Whether a glance at a query says that it is no XPath.

    >>> is_surely_xquery("for $b in //b return $b"), is_surely_xquery("for div 2")
    (True, False)
    """
    return _XQUERY.match(query) is not None


def read_query(query: str, namespaces: Mapping[str, str], language: str | None = None) -> Query:
    """The normal form of a query. What can be read as XPath is XPath, unless `language` says otherwise.

    >>> type(read_query("//a[b]", {})).__name__, type(read_query("//a[b eq 1]", {})).__name__
    ('XPathQuery', 'XQueryQuery')
    """
    match language:
        case "xpath":
            return _read_xpath(query, namespaces)
        case "xquery":
            return _read_xquery(query, namespaces)
        case None:
            return _recognised(query, namespaces)
        case _:
            raise UnsupportedError(
                "PNST0006", f"the language {language!r} is not supported", construct=f"language {language}", query=query
            )


def _read_xpath(query: str, namespaces: Mapping[str, str]) -> XPathQuery:
    tree, stream = named_stream(xpath.parse(query), query)
    return XPathQuery(build_xpath(tree, namespaces, query), stream)


def _read_xquery(query: str, namespaces: Mapping[str, str]) -> XQueryQuery:
    tree, stream = named_stream(xquery.parse(query), query)
    expression = build_xquery(tree, namespaces, query)
    return XQueryQuery(expression, xquery_text(tree), stream)


def _recognised(query: str, namespaces: Mapping[str, str]) -> Query:
    if is_surely_xquery(query):
        return _read_xquery(query, namespaces)
    try:
        return _read_xpath(query, namespaces)
    except QueryError as error:
        if error.code not in _NOT_XPATH:
            raise
        as_xpath = error
    try:
        return _read_xquery(query, namespaces)
    except QueryError as as_xquery:
        # The language that makes sense of more of the text is likely the one that was meant, or else the larger one
        # if XPath only says that it lacks something.
        if (_place(as_xquery), isinstance(as_xpath, UnsupportedError)) > (_place(as_xpath), False):
            raise
        raise as_xpath from None


def _place(error: QueryError) -> int:
    return -1 if error.span is None else error.span.start
