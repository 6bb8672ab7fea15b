"""The XPath parser: recursive descent, three Python frames for each level of nesting.

Section 3.7 of XPath 1.0 says when `*` and names like `div` are operators: when something precedes them that could be
an operand. Here that follows from where they are met: `operand` reads names, `expression` reads operators after it.
"""

from __future__ import annotations

from typing import get_args

from penstock.errors import QueryError
from penstock.span import Span
from penstock.syntax import ast, unsupported
from penstock.syntax.cursor import Cursor, closest
from penstock.syntax.lexer import Token, string_value
from penstock.syntax.limits import DEFAULT_LIMITS, QueryLimits
from penstock.syntax.operators import BINARY, NEGATE, OPERATOR_WORDS, UNION, PendingOperator, apply

AXES = frozenset(get_args(ast.Axis))
KINDS = frozenset(get_args(ast.Kind))
PATH_AGGREGATES = frozenset(("count", "sum", "avg", "min", "max"))
_STEP_KINDS = frozenset(("name", "qname", "wildcard", "braced"))
_STEP_SYMBOLS = frozenset((".", "..", "@", "*"))
_SLASHES = ("/", "//")
_DOTS = (".", "..")


def parse(text: str, limits: QueryLimits = DEFAULT_LIMITS) -> ast.Expr:
    """The syntax tree of an XPath query; QueryError if it has none.

    >>> from penstock.syntax.printer import to_text
    >>> to_text(parse("/child::a/descendant-or-self::node()/b[ 1 ]"))
    '/a//b[1]'
    """
    if len(text) > limits.max_length:
        message = f"the query has {len(text):,} characters, more than the {limits.max_length:,} allowed"
        raise QueryError("PNST0001", message)
    return XPathParser(text, limits).query()


class XPathParser(Cursor):
    """Parses one query. A larger language overrides `keyword_expression` and `primary`, or adds operators."""

    def __init__(self, text: str, limits: QueryLimits = DEFAULT_LIMITS) -> None:
        super().__init__(text)
        self.limits = limits
        self.depth = 0

    def query(self) -> ast.Expr:
        """The whole text as one expression."""
        try:
            tree = self.expression()
        except RecursionError:
            # Only where the limit was set high, or the caller has used up the stack before.
            raise self.too_deep() from None
        if self.token.kind != "end":
            raise self.refused_after_operand("the end of the query")
        # Every level takes a character at least, so only long texts need to be measured.
        if len(self.text) > self.limits.max_depth and height(tree) > self.limits.max_depth:
            raise self.too_deep(tree.span)
        return tree

    def expression(self) -> ast.Expr:
        """ExprSingle of the later standards: an expression that starts with a keyword, or operands and operators.

        Operators are applied by precedence, with a stack of their own so that chains do not recurse.
        """
        self.depth += 1
        if self.depth > self.limits.max_depth:
            raise self.too_deep()
        whole = self.keyword_expression()
        operands: list[ast.Expr] = []
        pending: list[PendingOperator] = []
        while whole is None:
            while self.token.text == "-" and not (pending and pending[-1].operator is UNION):
                pending.append(PendingOperator(NEGATE, self.advance().start))
            operands.append(self.operand())
            operator = BINARY.get(self.token.text)
            while pending and (operator is None or pending[-1].operator.binds_before(operator)):
                apply(pending, operands)
            if operator is None:
                whole = operands[0]
            else:
                pending.append(PendingOperator(operator, self.advance().start))
        self.depth -= 1
        return whole

    def keyword_expression(self) -> ast.Expr | None:
        """`if`, `some` and `every`; None when no such expression starts here."""
        match self.token.text:
            case "if" if self.peek_is("("):
                return self.if_expression()
            case "some" | "every" if self.peek_is("$"):
                return self.quantified_expression()
            case _:
                return None

    def operand(self) -> ast.Expr:
        """PathExpr: a location path, or a primary with predicates and steps after it."""
        first = self.token
        start = first.start
        base: ast.Expr | None = None
        steps: list[ast.Step] = []
        if first.text in _SLASHES:
            base = ast.Root(span=first.span)
            if first.text == "/" and not self.at_step(self.peek()):
                self.advance()
                return base
        elif self.at_step(first) and not self.at_call():
            steps.append(self.step())
        else:
            base = self.call() if self.at_call() else self.primary()
            predicates = self.predicates()
            if predicates:
                base = ast.Filter(base, predicates, span=self.span_from(start))
        while self.token.text in _SLASHES:
            separator = self.advance()
            if separator.text == "//":
                span = separator.span
                steps.append(ast.Step("descendant-or-self", ast.KindTest("node", span=span), span=span))
            elif self.token.text in PATH_AGGREGATES and self.at_call():
                return self.path_aggregate(self.path(base, steps, start))
            steps.append(self.step())
        return self.path(base, steps, start)

    def path(self, base: ast.Expr | None, steps: list[ast.Step], start: int) -> ast.Expr:
        """Steps from a base, either of which may be missing."""
        if base is not None and not steps:
            return base
        is_one = base is None and len(steps) == 1
        return ast.Path(base, tuple(steps), span=steps[0].span if is_one else self.span_from(start))

    def path_aggregate(self, path: ast.Expr) -> ast.Call:
        """`path/count()`, which the papers write for `count(path)`."""
        name = self.advance()
        self.expect("(")
        if not self.at(")"):
            raise self.unsupported("a function call as a step", name.span)
        self.advance()
        if self.at("/") or self.at("//") or self.at("["):
            raise self.error("an operator", "the end of the query")
        return ast.Call(name.text, (path,), name_span=name.span, span=self.span_from(path.span.start))

    def primary(self) -> ast.Expr:
        """A literal, a variable or an expression in parentheses; `operand` looks for function calls itself."""
        token = self.token
        if token.kind == "number":
            return ast.Number(float(self.advance().text), span=token.span)
        if token.kind == "string":
            return ast.String(string_value(self.advance().text), span=token.span)
        if self.at("$"):
            name = self.variable_name()
            return ast.Variable(name, span=self.span_from(token.start))
        if self.at("("):
            self.advance()
            if self.at(")"):
                raise self.unsupported("an empty sequence", Span(token.start, self.token.end))
            inner = self.expression()
            self.close(")")
            return inner
        raise self.refused_operand("an expression")

    def call(self) -> ast.Call:
        """A function call; which functions there are is not asked here."""
        name = self.advance()
        if name.text in unsupported.KIND_TESTS:
            raise self.unsupported(f"the node test {name.text}()", name.span)
        if (name.text, "(") in unsupported.OPERAND_WORDS:
            raise self.unsupported(unsupported.OPERAND_WORDS[name.text, "("], name.span)
        self.advance()
        args: list[ast.Expr] = []
        if not self.at(")"):
            args.append(self.expression())
            while self.accept(","):
                args.append(self.expression())
        self.close(")", "','")
        return ast.Call(name.text, tuple(args), name_span=name.span, span=self.span_from(name.start))

    def step(self) -> ast.Step:
        """An axis, a node test and predicates, or one of the abbreviations."""
        first = self.token
        if first.text in _DOTS:
            dots = self.advance()
            if self.at("["):
                full = "self::node()" if dots.text == "." else "parent::node()"
                raise self.error("an operator", "'/'", suggestion=f"'{full}[...]'")
            test = ast.KindTest("node", span=dots.span)
            return ast.Step("self" if dots.text == "." else "parent", test, span=dots.span)
        axis: ast.Axis = "child"
        following = self.peek().text if first.kind == "name" else None
        if following == "::":
            axis = self.axis()
        elif first.text == "@":
            self.advance()
            axis = "attribute"
        if following is None or following in ("::", "("):
            node_test = self.node_test()
        else:
            self.advance()
            node_test = ast.NameTest(first.text, span=first.span)
        if self.token.text != "[":
            is_all = node_test.span.start == first.start
            return ast.Step(axis, node_test, span=node_test.span if is_all else self.span_from(first.start))
        predicates: list[ast.Expr] = []
        self.depth += 1
        while self.accept("["):
            predicates.append(self.expression())
            self.close("]")
        self.depth -= 1
        return ast.Step(axis, node_test, tuple(predicates), span=self.span_from(first.start))

    def axis(self) -> ast.Axis:
        """An axis and the `::` after it."""
        name = self.token
        if name.text not in AXES:
            suggestion = closest(name.text, AXES)
            raise QueryError(
                "XPST0003",
                f"there is no axis '{name.text}'",
                query=self.text,
                span=name.span,
                expected=("an axis",),
                found=f"the name '{name.text}'",
                suggestion=suggestion and f"'{suggestion}'",
            )
        self.advance()
        self.advance()
        return name.text  # type: ignore[return-value]

    def node_test(self) -> ast.NameTest | ast.KindTest:
        """What comes after an axis."""
        token = self.token
        if token.kind == "name":
            if self.peek().text == "(":
                return self.kind_test()
            self.advance()
            return ast.NameTest(token.text, span=token.span)
        if token.kind in ("qname", "wildcard"):
            if self.peek_is("("):
                raise self.unsupported("a function call as a step")
            prefix, local = self.advance().text.split(":")
            return ast.NameTest(local, prefix, span=token.span)
        if token.kind == "braced":
            uri, local = self.advance().text[2:].split("}")
            return ast.NameTest(local, uri=" ".join(uri.split()), span=token.span)
        if self.at("*"):
            self.advance()
            return ast.NameTest("*", span=token.span)
        if token.kind in ("string", "number") or self.at("$") or self.at("("):
            raise self.unsupported("an expression as a step")
        raise self.error("a name", "'*'", "a node test")

    def kind_test(self) -> ast.KindTest:
        """A node test with parentheses."""
        name = self.token
        if name.text not in KINDS:
            if name.text in unsupported.KIND_TESTS:
                raise self.unsupported(f"the node test {name.text}()")
            raise self.unsupported("a function call as a step")
        self.advance()
        self.advance()
        target = None
        if name.text == "processing-instruction" and self.token.kind == "string":
            target = string_value(self.advance().text)
        self.expect(")", *(("a string",) if name.text == "processing-instruction" and target is None else ()))
        return ast.KindTest(name.text, target, span=self.span_from(name.start))  # type: ignore[arg-type]

    def predicates(self) -> tuple[ast.Expr, ...]:
        """The predicates of a primary; those of a step are read in `step`, to save a frame."""
        found: list[ast.Expr] = []
        self.depth += 1
        while self.accept("["):
            found.append(self.expression())
            self.close("]")
        self.depth -= 1
        return tuple(found)

    def variable_name(self) -> str:
        """The name of a variable, with the `$` before it."""
        self.expect("$")
        if self.token.kind in ("qname", "braced"):
            raise self.unsupported("a variable name with a namespace")
        if self.token.kind != "name":
            raise self.error("a variable's name")
        return self.advance().text

    def if_expression(self) -> ast.If:
        """`if (c) then a else b`."""
        start = self.advance().start
        self.advance()
        condition = self.expression()
        self.close(")")
        self.expect_word("then")
        then = self.expression()
        self.close("else")
        otherwise = self.expression()
        return ast.If(condition, then, otherwise, span=self.span_from(start))

    def quantified_expression(self) -> ast.Expr:
        """`some $x in a, $y in b satisfies c` is `some $x in a satisfies some $y in b satisfies c`."""
        first = self.advance()
        bindings: list[tuple[int, str, ast.Expr]] = []
        while True:
            start = self.token.start if bindings else first.start
            name = self.variable_name()
            self.refuse_type()
            self.expect_word("in")
            bindings.append((start, name, self.expression()))
            if not self.accept(","):
                break
        self.close("satisfies", "','")
        body = self.expression()
        for start, name, domain in reversed(bindings):
            body = ast.Quantified(first.text == "every", name, domain, body, span=self.span_from(start))
        return body

    def refuse_type(self) -> None:
        """Types of variables are beyond the subset."""
        if self.token.kind == "name" and self.token.text == "as":
            raise self.unsupported("a type declaration")

    def at_step(self, token: Token) -> bool:
        """Whether a step can start with this token."""
        return token.kind in _STEP_KINDS or token.text in _STEP_SYMBOLS

    def at_call(self) -> bool:
        """A name followed by `(` calls a function, unless it is a node test."""
        kind = self.token.kind
        return (kind == "qname" or (kind == "name" and self.token.text not in KINDS)) and self.peek().text == "("

    def close(self, text: str, *alternatives: str) -> None:
        """Step over the bracket or keyword that ends an operand."""
        if self.token.text != text:
            raise self.refused_after_operand(f"'{text}'", *alternatives)
        self.advance()

    def refused_after_operand(self, *expected: str) -> QueryError:
        """The current token follows an operand, but is no operator and does not end it."""
        kind, text = self.token.kind, self.token.text
        opening = (self.previous.text, "name" if kind == "name" else text)
        if self.previous.kind == "name" and opening in unsupported.OPERAND_WORDS:
            return self.unsupported(unsupported.OPERAND_WORDS[opening], self.previous.span)
        if kind in ("name", "symbol") and text in unsupported.OPERATORS:
            construct, suggestion = unsupported.OPERATORS[text]
            return self.unsupported(construct, suggestion=suggestion)
        word = closest(text, OPERATOR_WORDS) if kind == "name" else None
        return self.error(*expected, "an operator", suggestion=word and f"'{word}'")

    def refused_operand(self, *expected: str) -> QueryError:
        """The current token cannot start an operand."""
        if self.token.kind == "symbol" and self.token.text in unsupported.OPERAND_SYMBOLS:
            return self.unsupported(unsupported.OPERAND_SYMBOLS[self.token.text])
        return self.error(*expected)

    def too_deep(self, span: Span | None = None) -> QueryError:
        """The error for a query whose nesting exceeds the limit."""
        message = f"the query is nested more than {self.limits.max_depth} levels deep"
        return QueryError("PNST0002", message, query=self.text, span=self.token.span if span is None else span)


def height(tree: ast.Expr) -> int:
    """How many expressions are within each other; found without recursion, since that is what it guards."""
    deepest = 0
    waiting = [(tree, 1)]
    while waiting:
        expr, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((operand, level + 1) for operand in ast.operands(expr))
        waiting.extend((predicate, level + 2) for predicate in ast.predicates(expr))
    return deepest
