"""What the parts of the builder need of each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from penstock.errors import QueryError

if TYPE_CHECKING:
    from penstock.plan.xquery import normal
    from penstock.plan.xquery.names import QueryNames
    from penstock.span import Span
    from penstock.syntax import ast


class Builder(ABC):
    """Makes expressions, in the namespaces and with the variables of the place."""

    names: QueryNames
    query: str | None
    scope: list[str]

    @abstractmethod
    def expression(self, tree: ast.Expr) -> normal.Expr:
        """The normal form of an expression."""

    def error(self, code: str, message: str, span: Span, suggestion: str | None = None) -> QueryError:
        """An error with its place."""
        return QueryError(code, message, query=self.query, span=span, suggestion=suggestion)
