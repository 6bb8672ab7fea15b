"""FLWOR expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.syntax import ast
from penstock.syntax.xquery import ast as xq
from penstock.syntax.xquery.expressions import ExpressionParser

if TYPE_CHECKING:
    from collections.abc import Callable


class FlworParser(ExpressionParser):
    """`for`, `let`, `where`, `order by`, `group by`, `count`, `return`."""

    def keyword_expression(self) -> ast.Expr | None:
        """Also `for` and `let`."""
        if self.token.kind == "name" and self.token.text in ("for", "let"):
            if self.peek_is("$"):
                return self.flwor()
            if self.token.text == "for" and self.peek().text in ("sliding", "tumbling"):
                raise self.unsupported("a window clause")
        return super().keyword_expression()

    def flwor(self) -> xq.Flwor:
        """Clauses in any order that XQuery 3.1 allows, and what is returned."""
        start = self.token.start
        clauses: list[xq.Clause] = []
        while True:
            word = self.token.text if self.token.kind == "name" else ""
            match word:
                case "for" if self.peek_is("$"):
                    clauses += self.bindings(self.for_binding)
                case "for" if self.peek().text in ("sliding", "tumbling"):
                    raise self.unsupported("a window clause")
                case "let" if self.peek_is("$"):
                    clauses += self.bindings(self.let_binding)
                case "where":
                    place = self.advance().start
                    clauses.append(xq.Where(self.expression(), span=self.span_from(place)))
                case "order" | "stable":
                    clauses.append(self.order_by())
                case "group":
                    clauses.append(self.group_by())
                case "count" if self.peek_is("$"):
                    place = self.advance().start
                    clauses.append(xq.Count(self.variable_name(), span=self.span_from(place)))
                case "return":
                    self.advance()
                    return xq.Flwor(tuple(clauses), self.expression(), span=self.span_from(start))
                case _:
                    raise self.refused_after_operand("'return'", "a clause")

    def bindings(self, read: Callable[[], xq.Clause]) -> list[xq.Clause]:
        """One binding or more after `for` or `let`."""
        self.advance()
        found = [read()]
        while self.accept(","):
            found.append(read())
        return found

    def for_binding(self) -> xq.Clause:
        """`$x allowing empty at $i in e`."""
        start = self.token.start
        name = self.variable_name()
        self.refuse_type()
        allowing_empty = self.token.text == "allowing"
        if allowing_empty:
            self.advance()
            self.expect_word("empty")
        position = None
        if self.token.kind == "name" and self.token.text == "at":
            self.advance()
            position = self.variable_name()
        if self.token.text == "score":
            raise self.unsupported("a score variable")
        self.expect_word("in")
        return xq.For(name, position, self.expression(), allowing_empty, span=self.span_from(start))

    def let_binding(self) -> xq.Clause:
        """`$x := e`."""
        start = self.token.start
        name = self.variable_name()
        self.refuse_type()
        self.expect(":=")
        return xq.Let(name, self.expression(), span=self.span_from(start))

    def order_by(self) -> xq.OrderBy:
        """Every sort is stable, so the word changes nothing."""
        start = self.token.start
        if self.token.text == "stable":
            self.advance()
        self.expect_word("order")
        self.expect_word("by")
        keys = [self.order_key()]
        while self.accept(","):
            keys.append(self.order_key())
        return xq.OrderBy(tuple(keys), span=self.span_from(start))

    def order_key(self) -> xq.OrderKey:
        """`e descending empty greatest`."""
        start = self.token.start
        key = self.expression()
        descending = self.token.text == "descending"
        if self.token.text in ("ascending", "descending"):
            self.advance()
        empty_greatest = None
        if self.token.text == "empty":
            self.advance()
            if self.token.text not in ("greatest", "least"):
                raise self.error("'greatest'", "'least'")
            empty_greatest = self.advance().text == "greatest"
        if self.token.text == "collation":
            raise self.unsupported("a collation")
        return xq.OrderKey(key, descending, empty_greatest, span=self.span_from(start))

    def group_by(self) -> xq.GroupBy:
        """`group by $x, $y := e`."""
        start = self.advance().start
        self.expect_word("by")
        keys = [self.group_key()]
        while self.accept(","):
            keys.append(self.group_key())
        return xq.GroupBy(tuple(keys), span=self.span_from(start))

    def group_key(self) -> xq.GroupKey:
        """A variable that is bound already, or is bound here."""
        start = self.token.start
        name = self.variable_name()
        self.refuse_type()
        value = self.expression() if self.accept(":=") else None
        if self.token.text == "collation":
            raise self.unsupported("a collation")
        return xq.GroupKey(name, value, span=self.span_from(start))
