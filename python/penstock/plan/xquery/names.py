"""The namespaces of an XQuery query: those given with it, its prolog's, and those of constructors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import QueryError
from penstock.plan.names import XML_NAMESPACE, Names
from penstock.plan.xquery import normal
from penstock.syntax.functions import FUNCTION_NAMESPACE
from penstock.syntax.xquery.functions import SCHEMA_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.span import Span
    from penstock.syntax import ast

OPTION_NAMESPACE = "urn:penstock"
PREDECLARED: Mapping[str, str] = {
    "xs": SCHEMA_NAMESPACE,
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "fn": FUNCTION_NAMESPACE,
    "local": "http://www.w3.org/2005/xquery-local-functions",
    "penstock": OPTION_NAMESPACE,
}


class QueryNames(Names):
    """Resolves names of tests, constructors, functions and options."""

    def __init__(self, namespaces: Mapping[str, str], query: str | None) -> None:
        super().__init__(namespaces, query)
        self._namespaces = dict(namespaces)

    @property
    def default(self) -> str:
        """The namespace of elements without a prefix."""
        return self._namespaces.get("", "")

    @property
    def scope(self) -> tuple[tuple[str, str], ...]:
        """All prefixes that a computed name may have."""
        return tuple(sorted({**self._namespaces, "xml": XML_NAMESPACE}.items()))

    def within(self, declared: tuple[tuple[str, str], ...]) -> QueryNames:
        """The names inside a constructor that declares namespaces."""
        return QueryNames({**self._namespaces, **dict(declared)}, self._query) if declared else self

    def constructed(self, name: ast.NameTest, *, attribute: bool) -> normal.Name:
        """The name that a constructor spells."""
        if name.uri is not None:
            return normal.Name("", name.local, name.uri)
        if name.prefix is not None:
            return normal.Name(name.prefix, name.local, self.uri(name.prefix, name.span))
        return normal.Name("", name.local, "" if attribute else self.default)

    def check_declared(self, prefix: str, uri: str, span: Span) -> None:
        """What Namespaces in XML reserves may not be declared otherwise."""
        if (prefix == "xml") != (uri == XML_NAMESPACE) or prefix == "xmlns" or uri == "http://www.w3.org/2000/xmlns/":
            message = f"the prefix '{prefix}' cannot be bound to {uri!r}"
            raise QueryError("XQST0070", message, query=self._query, span=span)
