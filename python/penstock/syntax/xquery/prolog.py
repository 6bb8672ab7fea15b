"""Whole queries: the prolog, and the expression after it."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from penstock.errors import QueryError, UnsupportedError
from penstock.span import Span
from penstock.syntax.limits import DEFAULT_LIMITS, QueryLimits
from penstock.syntax.xquery import ast as xq
from penstock.syntax.xquery.constructors import ConstructorParser

# What `declare` may be followed by, and we do not have.
_REFUSED = {
    "function": "a function declaration",
    "base-uri": "a base URI declaration",
    "construction": "a construction declaration",
    "copy-namespaces": "a copy-namespaces declaration",
    "decimal-format": "a decimal format declaration",
    "context": "a context item declaration",
    "%": "an annotation",
    "updating": "an updating function",
    "revalidation": "a revalidation declaration",
}
# What is supported has the same meaning in all of them.
_VERSIONS = frozenset(("1.0", "3.0", "3.1"))
_ENCODING = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_WORDS = frozenset(("namespace", "default", "option", "variable", "boundary-space", "ordering", *_REFUSED))


def parse(text: str, limits: QueryLimits = DEFAULT_LIMITS) -> xq.Module:
    """The syntax tree of an XQuery query; QueryError if it has none.

    >>> from penstock.syntax.xquery.printer import to_text
    >>> to_text(parse("for $b  in //book where $b/price>10 return <t>{ $b/title }</t>"))
    'for $b in //book where $b/price > 10 return <t>{$b/title}</t>'
    """
    if len(text) > limits.max_length:
        message = f"the query has {len(text):,} characters, more than the {limits.max_length:,} allowed"
        raise QueryError("PNST0001", message)
    try:
        return XQueryParser(text, limits).module()
    except QueryError as error:
        if error.span is not None and text.startswith("``[", error.span.start):
            # No token begins so: the lexer is the first to see it.
            message = "a string constructor is not supported"
            raise UnsupportedError(
                "PNST0003", message, construct="a string constructor", query=text, span=error.span
            ) from None
        raise


class XQueryParser(ConstructorParser):
    """Parses one query."""

    def __init__(self, text: str, limits: QueryLimits = DEFAULT_LIMITS) -> None:
        super().__init__(text, limits)
        self.empty_greatest = False
        self.variables: list[xq.Let] = []

    def module(self) -> xq.Module:
        """The whole text."""
        self.version_declaration()
        self.refuse_modules()
        declarations: list[xq.Declaration] = []
        while self.token.kind == "name" and self.token.text == "declare" and self.declares():
            declarations += self.declaration()
            self.expect(";")
        try:
            body = self.sequence()
        except RecursionError:
            # Only where the limit was set high, or the caller has used up the stack before.
            raise self.too_deep() from None
        if self.token.kind != "end":
            raise self.refused_after_operand("the end of the query", "','")
        whole = Span(0, len(self.text))
        variables = tuple(self.variables)
        module = xq.Module(tuple(declarations), variables, self.preserve_space, self.empty_greatest, body, span=whole)
        # Every level takes a character at least, so only long texts need to be measured.
        if len(self.text) > self.limits.max_depth and height(module) > self.limits.max_depth:
            raise self.too_deep(body.span)
        return module

    def version_declaration(self) -> None:
        """`xquery version "3.1" encoding "utf-8";`. Neither changes the query: it is decoded already."""
        if self.token.kind != "name" or self.token.text != "xquery" or self.peek().text not in ("version", "encoding"):
            return
        self.advance()
        if self.token.text == "version":
            self.advance()
            place, version = self.token.span, self.string_literal()
            if version not in _VERSIONS:
                construct = f"version {version!r} of XQuery"
                message = f"{construct} is not supported; there are {', '.join(sorted(_VERSIONS))}"
                raise UnsupportedError("XQST0031", message, construct=construct, query=self.text, span=place)
        if self.token.text == "encoding":
            self.advance()
            place, encoding = self.token.span, self.string_literal()
            if not _ENCODING.fullmatch(encoding):
                raise QueryError("XQST0087", f"{encoding!r} names no encoding", query=self.text, span=place)
        self.expect(";")

    def refuse_modules(self) -> None:
        """Library modules and imports."""
        following = self.peek() if self.token.kind == "name" else None
        opening = (self.token.text, following.text if following else "")
        match opening:
            case ("module", "namespace"):
                raise self.unsupported("a library module")
            case ("import", "schema"):
                raise self.unsupported("an import of a schema")
            case ("import", "module"):
                raise self.unsupported("an import of a module")

    def declares(self) -> bool:
        """Whether this `declare` is the word of the prolog."""
        return self.peek().text in _WORDS

    def declaration(self) -> list[xq.Declaration]:
        """One declaration, without the semicolon; what is not about names is kept by the parser itself."""
        start = self.advance().start
        word = self.token.text
        if word in _REFUSED:
            raise self.unsupported(_REFUSED[word], Span(start, self.token.end))
        self.advance()
        if word == "namespace":
            if self.token.kind != "name":
                raise self.error("a prefix")
            prefix = self.advance().text
            self.expect("=")
            return [xq.Declaration("namespace", prefix, self.string_literal(), span=self.span_from(start))]
        if word == "option":
            if self.token.kind != "qname":
                raise self.error("an option's name with its prefix")
            name = self.advance().text
            return [xq.Declaration("option", name, self.string_literal(), span=self.span_from(start))]
        if word == "variable":
            self.variables.append(self.variable_declaration(start))
        elif word == "boundary-space":
            self.preserve_space = self.one_of("preserve", "strip") == "preserve"
        elif word == "ordering":
            # Every result is in order here, which `unordered` allows.
            self.one_of("ordered", "unordered")
        else:
            return self.default_declaration(start)
        return []

    def variable_declaration(self, start: int) -> xq.Let:
        """`$x := e`; a value from outside cannot be given."""
        name = self.variable_name()
        self.refuse_type()
        if self.token.text == "external":
            raise self.unsupported("an external variable")
        self.expect(":=")
        return xq.Let(name, self.expression(), span=self.span_from(start))

    def default_declaration(self, start: int) -> list[xq.Declaration]:
        """What follows `declare default`."""
        match self.token.text:
            case "element":
                self.advance()
                self.expect_word("namespace")
                return [xq.Declaration("namespace", "", self.string_literal(), span=self.span_from(start))]
            case "order":
                self.advance()
                self.expect_word("empty")
                self.empty_greatest = self.one_of("greatest", "least") == "greatest"
                return []
            case "function":
                raise self.unsupported("a default function namespace", Span(start, self.token.end))
            case "collation":
                raise self.unsupported("a default collation", Span(start, self.token.end))
            case _:
                raise self.error("'element'", "'order'")

    def one_of(self, *words: str) -> str:
        """Step over one of the words."""
        if self.token.text not in words:
            raise self.error(*(f"'{word}'" for word in words))
        return self.advance().text


def height(tree: xq.Module) -> int:
    """How many nodes are within each other; found without recursion, since that is what it guards."""
    deepest = 0
    waiting: list[tuple[Any, int]] = [(tree, 0)]
    while waiting:
        node, level = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend((one, level) for one in node)
        elif dataclasses.is_dataclass(node):
            deepest = max(deepest, level)
            waiting.extend((getattr(node, field.name), level + 1) for field in dataclasses.fields(node))
    return deepest
