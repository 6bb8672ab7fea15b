"""Names of a query, with their prefixes resolved to namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import QueryError
from penstock.plan import normal
from penstock.syntax import ast
from penstock.syntax.cursor import closest
from penstock.syntax.functions import FUNCTION_NAMESPACE, FUNCTION_PREFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.span import Span

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"


class Names:
    """The namespaces that a query is read with; `xml` is always among them, as Namespaces in XML asks."""

    def __init__(self, namespaces: Mapping[str, str], query: str | None) -> None:
        self._uris = {**namespaces, "xml": XML_NAMESPACE}
        self._query = query

    def uri(self, prefix: str, span: Span, default: str | None = None) -> str:
        """The namespace of a prefix, `default` if nothing binds it; `span` is where it is used."""
        uri = self._uris.get(prefix, default) if prefix else None
        if uri is None:
            guess = closest(prefix, filter(None, self._uris))
            raise QueryError(
                "XPST0081",
                f"the prefix '{prefix}' is not declared",
                query=self._query,
                span=span,
                suggestion=guess and f"'{guess}'",
            )
        return uri

    def function_uri(self, prefix: str, span: Span) -> str:
        """The namespace of a function; those of the standard are known by their prefixes if nothing else binds these.

        So a function that we have not is named by its error, rather than its prefix.
        """
        return FUNCTION_NAMESPACE if not prefix else self.uri(prefix, span, FUNCTION_PREFIXES.get(prefix))

    def test(self, step: ast.Step) -> normal.Test:
        """The node test of a step."""
        test = step.test
        if isinstance(test, ast.KindTest):
            if test.kind == "processing-instruction":
                return normal.KindTest("instruction", test.target)
            return normal.KindTest(test.kind)
        local = None if test.local == "*" else test.local
        if test.uri is not None:
            return normal.NameTest(test.uri, local)
        if test.prefix == "*" or (test.prefix is None and local is None):
            return normal.NameTest(None, local)
        if test.prefix is not None:
            return normal.NameTest(self.uri(test.prefix, test.span), local)
        # Only element names have a default namespace.
        in_default = step.axis not in ("attribute", "namespace")
        return normal.NameTest(self._uris.get("", "") if in_default else "", local)
