"""Operators, paths and primary expressions of XQuery, where they differ from XPath 1.0's."""

from __future__ import annotations

from penstock.errors import QueryError
from penstock.span import Span
from penstock.syntax import ast, unsupported
from penstock.syntax.lexer import Token, string_value
from penstock.syntax.xpath import KINDS, XPathParser
from penstock.syntax.xquery import ast as xq
from penstock.syntax.xquery.operators import BINARY, CASTS, MANY, MINUS, PLUS, UNARY, Operator, combine
from penstock.syntax.xquery.references import expanded

_TYPE_OPERATORS = frozenset(("cast", "castable"))
_REFUSED_OPERATORS = frozenset(("instance", "treat", "=>", "?", "#", ":="))
_COMPUTED = frozenset(("element", "attribute", "text", "comment", "document", "processing-instruction"))
_TESTS = KINDS | {"element", "attribute"}
_Pending = list[tuple[Operator, int]]


class ExpressionParser(XPathParser):
    """Parses expressions; `keyword_expression` and `primary` are completed by the classes derived from it."""

    def sequence(self) -> ast.Expr:
        """Expr: expressions with commas between them."""
        start = self.token.start
        first = self.expression()
        if not self.at(","):
            return first
        items = [first]
        while self.accept(","):
            items.append(self.expression())
        return xq.Sequence(tuple(items), span=self.span_from(start))

    def expression(self) -> ast.Expr:
        """ExprSingle. As in XPath, operators wait on a stack of their own, so that chains do not recurse."""
        self.depth += 1
        if self.depth > self.limits.max_depth:
            raise self.too_deep()
        whole = self.keyword_expression()
        operands: list[ast.Expr] = []
        pending: _Pending = []
        while whole is None:
            while self.at("-") or self.at("+"):
                pending.append((MINUS if self.at("-") else PLUS, self.advance().start))
            operands.append(self.operand())
            while self.token.kind == "name" and self.token.text in _TYPE_OPERATORS and self.peek().text == "as":
                self.apply_down_to(CASTS, pending, operands)
                operands.append(self.cast(operands.pop()))
            operator = BINARY.get(self.token.text) if self.token.kind in ("name", "symbol") else None
            self.apply_down_to(0 if operator is None else operator.precedence, pending, operands, operator)
            if operator is None:
                whole = operands[0]
            else:
                pending.append((operator, self.advance().start))
        self.depth -= 1
        return whole

    def apply_down_to(
        self, precedence: int, pending: _Pending, operands: list[ast.Expr], following: Operator | None = None
    ) -> None:
        """Apply what binds at least as tightly as what follows."""
        while pending and pending[-1][0].precedence >= precedence:
            operator, start = pending.pop()
            if following and operator.precedence == precedence and not following.chains:
                raise self.error("an operator that may follow a comparison", "the end of the expression")
            if operator.precedence == UNARY:
                arg = operands.pop()
                operands.append(combine(operator, (arg,), Span(start, arg.span.end)))
                continue
            many = operator.symbol in MANY
            if many and following and operator.precedence == precedence:
                # Its equals are taken together, when the last of them is known.
                pending.append((operator, start))
                return
            count = 2
            while many and pending and pending[-1][0].precedence == operator.precedence:
                pending.pop()
                count += 1
            args = tuple(operands[-count:])
            del operands[-count:]
            operands.append(combine(operator, args, Span(args[0].span.start, args[-1].span.end)))

    def cast(self, arg: ast.Expr) -> ast.Expr:
        """`cast as type` or `castable as type` after an operand."""
        castable = self.advance().text == "castable"
        self.advance()
        if self.token.kind not in ("name", "qname"):
            raise self.error("a type")
        name = self.node_test()
        if not isinstance(name, ast.NameTest):
            raise self.unsupported("a sequence type", name.span)
        optional = self.accept("?")
        return xq.Cast(castable, arg, name, optional, span=self.span_from(arg.span.start))

    def operand(self) -> ast.Expr:
        """PathExpr: axis steps where there are some, any other expression as a step of its own."""
        start = self.token.start
        base: ast.Expr | None = None
        steps: list[ast.Step] = []
        if self.at("/") or self.at("//"):
            base = ast.Root(span=self.token.span)
            if self.at("/") and not self.starts_step(self.peek()):
                self.advance()
                return base
        elif self.at_axis_step():
            steps.append(self.step())
        else:
            base = self.postfix()
        while self.at("/") or self.at("//"):
            separator = self.advance()
            if separator.text == "//":
                any_node = ast.KindTest("node", span=separator.span)
                steps.append(ast.Step("descendant-or-self", any_node, span=separator.span))
            if self.at_axis_step():
                steps.append(self.step())
            else:
                before = self.path(base, steps, start)
                step = self.postfix()
                base, steps = xq.ExpressionStep(before, step, span=self.span_from(start)), []
        return self.path(base, steps, start)

    def at_axis_step(self) -> bool:
        """Whether an axis step starts here, and neither `.` nor a call nor a constructor."""
        if self.at(".") or self.at_call() or self.at_constructor():
            return False
        if self.token.text in ("ordered", "unordered") and self.peek_is("{"):
            return False
        return self.at_step(self.token)

    def at_constructor(self) -> bool:
        """Whether the words of a computed constructor are here: `element {`, `attribute name {`, `text {`."""
        if self.token.kind != "name" or self.token.text not in _COMPUTED:
            return False
        if self.peek_is("{"):
            return True
        if self.token.text not in ("element", "attribute", "processing-instruction"):
            return False
        name = self.peek()
        return name.kind in ("name", "qname", "braced") and self.lexer.scan(name.end).text == "{"

    def starts_step(self, token: Token) -> bool:
        """Whether a lone "/" before this token would be the start of a longer path."""
        return self.at_step(token) or token.kind in ("string", "number") or token.text in ("(", "$")

    def postfix(self) -> ast.Expr:
        """A primary expression with its predicates."""
        start = self.token.start
        base = self.call() if self.at_call() else self.primary()
        predicates = self.predicates()
        return ast.Filter(base, predicates, span=self.span_from(start)) if predicates else base

    def predicates(self) -> tuple[ast.Expr, ...]:
        """Predicates may be sequences here."""
        found: list[ast.Expr] = []
        self.depth += 1
        while self.accept("["):
            found.append(self.sequence())
            self.close("]")
        self.depth -= 1
        return tuple(found)

    def step(self) -> ast.Step:
        """An axis step; `..` may have predicates here."""
        start = self.token.start
        if self.accept(".."):
            test: ast.NameTest | ast.KindTest = ast.KindTest("node", span=self.previous.span)
            return ast.Step("parent", test, self.predicates(), span=self.span_from(start))
        axis: ast.Axis = "attribute" if self.at_typed_test("attribute") else "child"
        if self.accept("@"):
            axis = "attribute"
        elif self.token.kind == "name" and self.peek_is("::"):
            axis = self.axis()
            if axis == "namespace":
                raise self.unsupported("the namespace axis in XQuery", Span(start, self.previous.end))
        test = self.typed_test(axis) if self.at_typed_test("element", "attribute") else self.node_test()
        return ast.Step(axis, test, self.predicates(), span=self.span_from(start))

    def kind_test(self) -> ast.KindTest:
        """The target of an instruction may be written as a name."""
        name = self.token
        if name.text != "processing-instruction" or self.lexer.scan(self.peek().end).kind != "name":
            return super().kind_test()
        self.advance()
        self.advance()
        target = self.advance().text
        self.expect(")")
        return ast.KindTest("processing-instruction", target, span=self.span_from(name.start))

    def at_typed_test(self, *names: str) -> bool:
        """Whether one of the node tests `element()` and `attribute()` is here."""
        return self.token.kind == "name" and self.token.text in names and self.peek_is("(")

    def typed_test(self, axis: ast.Axis) -> ast.NameTest:
        """`element(name)` is the name where the axis is one of elements; so is `attribute(name)` of attributes."""
        kind = self.advance()
        if (kind.text == "attribute") != (axis == "attribute"):
            raise self.unsupported(f"the node test {kind.text}() on the {axis} axis", kind.span)
        self.expect("(")
        name = ast.NameTest("*", span=kind.span) if self.at(")") else self.node_test()
        if self.at(",") or not isinstance(name, ast.NameTest):
            raise self.unsupported("a node test with a type", kind.span)
        self.expect(")")
        return name

    def primary(self) -> ast.Expr:
        """A literal, a variable, `.`, or a sequence in parentheses."""
        token = self.token
        if token.kind == "number":
            return xq.Numeral(_number_kind(self.advance().text), token.text, span=token.span)
        if token.kind == "string":
            return ast.String(self.string_literal(), span=token.span)
        if self.at("$"):
            name = self.variable_name()
            return ast.Variable(name, span=self.span_from(token.start))
        if self.accept("."):
            return xq.ContextItem(span=token.span)
        if self.accept("("):
            if self.at("#"):
                raise self.unsupported("an extension expression", Span(token.start, self.token.end))
            if self.accept(")"):
                return xq.Sequence((), span=self.span_from(token.start))
            inner = self.sequence()
            self.close(")")
            return inner
        raise self.refused_operand("an expression")

    def string_literal(self) -> str:
        """The value of a string, in which references are replaced."""
        token = self.token
        if token.kind != "string":
            raise self.error("a string")
        self.advance()
        return expanded(string_value(token.text), self.text, token.start + 1)

    def if_expression(self) -> ast.If:
        """The condition may be a sequence."""
        start = self.advance().start
        self.advance()
        condition = self.sequence()
        self.close(")")
        self.expect_word("then")
        then = self.expression()
        self.close("else")
        return ast.If(condition, then, self.expression(), span=self.span_from(start))

    def at_call(self) -> bool:
        """A name followed by `(`; also `Q{uri}name(`."""
        kind = self.token.kind
        named = kind in ("qname", "braced") or (kind == "name" and self.token.text not in _TESTS)
        return named and self.peek_is("(")

    def call(self) -> ast.Call:
        """A function call."""
        if self.token.kind == "braced":
            raise self.unsupported("a function name with braces")
        return super().call()

    def refused_after_operand(self, *expected: str) -> QueryError:
        """Only constructs that XQuery has and we have not are named."""
        kind, text = self.token.kind, self.token.text
        opening = (self.previous.text, "name" if kind == "name" else text)
        if self.previous.kind == "name" and opening in unsupported.XQUERY_WORDS:
            return self.unsupported(unsupported.XQUERY_WORDS[opening], self.previous.span)
        if kind in ("name", "symbol") and text in _REFUSED_OPERATORS:
            return self.unsupported(unsupported.OPERATORS[text][0])
        if self.at("("):
            return self.unsupported("a dynamic function call")
        return self.error(*expected, "an operator")

    def refused_operand(self, *expected: str) -> QueryError:
        """The current token cannot start an operand."""
        if self.token.kind == "symbol" and self.token.text in ("[", "?", "%"):
            return self.unsupported(unsupported.OPERAND_SYMBOLS[self.token.text])
        return self.error(*expected)


def _number_kind(text: str) -> xq.NumberKind:
    if "e" in text.lower():
        return "double"
    return "decimal" if "." in text else "integer"
