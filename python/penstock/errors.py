"""Every error that Penstock raises, and the table of their codes."""

from __future__ import annotations

import functools
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from penstock.span import Span, caret_lines, line_and_column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

W3C_CODES: Mapping[str, str] = MappingProxyType(
    {
        "XPST0003": "The query is not grammatical.",
        "XPST0008": "A variable is used that no enclosing some, every, for or let binds.",
        "XPST0017": "No function has this name, or none takes this number of arguments.",
        "XPST0081": "A prefix is used that no namespace declaration binds.",
        "XPTY0004": "An expression has a type that its place does not allow.",
        "XPTY0019": "A path continues from something that is not a set of nodes.",
        "XPDY0050": "A path starts at '/' in a constructed tree that has no document node.",
        "XPTY0018": "A step gives both nodes and atomic values.",
        "XPTY0020": "A step starts from a context item that is not a node.",
        "XQDY0025": "A constructed element has two attributes of one name.",
        "XQDY0026": "A constructed processing instruction holds '?>'.",
        "XQDY0041": "The target of a constructed processing instruction is not a name.",
        "XQDY0044": "A constructed attribute is called xmlns or is in the namespace of declarations.",
        "XQDY0064": "A constructed processing instruction is called xml.",
        "XQDY0072": "A constructed comment holds '--' or ends in '-'.",
        "XQDY0074": "The computed name of an element or attribute is not a name, or its prefix is not declared.",
        "XQST0022": "A namespace declaration in a constructor holds an expression.",
        "XQST0031": "The prolog asks for a version of XQuery that Penstock does not know.",
        "XQST0033": "The prolog declares a prefix twice.",
        "XQST0040": "A direct constructor has two attributes of one name.",
        "XQST0049": "The prolog declares a variable twice.",
        "XQST0066": "The prolog declares the default namespace of elements twice.",
        "XQST0070": "A reserved prefix or namespace is declared.",
        "XQST0071": "A direct constructor declares a prefix twice.",
        "XQST0085": "A direct constructor binds a prefix to no namespace.",
        "XQST0087": "The prolog names an encoding by what cannot be a name of one.",
        "XQST0089": "A for clause binds one variable twice.",
        "XQST0090": "A character reference names no character of XML.",
        "XQST0094": "A group by clause names a variable that its FLWOR does not bind.",
        "XQTY0024": "An attribute comes after other content of its constructed element.",
        "FOAR0001": "Division by zero.",
        "FOAR0002": "A number is too large for its type.",
        "FOCA0002": "A number that is not finite is made a decimal number or an integer.",
        "FOCH0001": "A code point names no character of XML.",
        "FORG0001": "A value cannot be converted to the type that its place asks for.",
        "FORG0003": "zero-or-one() was given several items.",
        "FORG0004": "one-or-more() was given no item.",
        "FORG0005": "exactly-one() was not given exactly one item.",
        "FORG0006": "A function or condition was given values of a type that it cannot take.",
        "FORX0001": "The flags of a regular expression are not among s, m, i, x and q.",
        "FORX0002": "A regular expression is not valid.",
        "FORX0003": "The pattern of replace() or tokenize() matches an empty string.",
        "FORX0004": "The replacement of replace() is not valid.",
    }
)
OWN_CODES: Mapping[str, str] = MappingProxyType(
    {
        "PNST0001": "The query is longer than the limit allows.",
        "PNST0002": "The query is nested more deeply than the limit allows.",
        "PNST0003": "The query uses a construct that Penstock does not support.",
        "PNST0004": "The query calls a standard function that Penstock does not support.",
        "PNST0005": "A regular expression uses a back-reference, which Penstock does not support.",
        "PNST0006": "The subscription asks for a language that Penstock does not support.",
        "PNST0007": "Running values are asked of a query that is not an aggregate.",
        "PNST0008": "The engine cannot run the query.",
        "PNST0009": "A parameter of joins is given for a query that is not a join.",
        "PNST0010": "A parameter of the subscription has a value that it cannot have.",
        "PNST0011": "A subscription with this id exists already.",
        "PNST0012": "The prolog of a query sets an option that Penstock does not have.",
    }
)
CODES: Mapping[str, str] = MappingProxyType({**W3C_CODES, **OWN_CODES})


class PenstockError(Exception):
    """The base of all errors of this package."""


class QueryError(PenstockError):
    """A query that was refused, with the place and the reason.

    `code` is a key of `CODES`. `line` and `column` count characters from 1; they are None when the error is not about
    a place in the text. `expected` and `found` describe a syntax error; `suggestion` is what may have been meant.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        query: str | None = None,
        span: Span | None = None,
        expected: tuple[str, ...] = (),
        found: str | None = None,
        suggestion: str | None = None,
    ) -> None:
        if code not in CODES:
            raise ValueError(f"error code {code} is not in the table of codes")
        super().__init__(message)
        self.code = code
        self.message = message
        self.query = query
        self.span = span
        self.expected = expected
        self.found = found
        self.suggestion = suggestion
        self.line: int | None = None
        self.column: int | None = None
        if query is not None and span is not None:
            self.line, self.column = line_and_column(query, span.start)

    def __str__(self) -> str:
        where = "" if self.line is None else f" at line {self.line}, column {self.column}"
        hint = "" if self.suggestion is None else f"; did you mean {self.suggestion}?"
        text = f"{self.code}{where}: {self.message}{hint}"
        if self.query is None or self.span is None:
            return text
        line, carets = caret_lines(self.query, self.span)
        return f"{text}\n  {line}\n  {carets}"

    def __reduce__(self) -> tuple[Callable[[], QueryError], tuple[()], dict[str, Any]]:
        # Exception pickles by its positional arguments alone, which would lose the keywords.
        return functools.partial(type(self), **self._arguments()), (), self.__dict__

    def _arguments(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "query": self.query,
            "span": self.span,
            "expected": self.expected,
            "found": self.found,
            "suggestion": self.suggestion,
        }


class UnsupportedError(QueryError):
    """A query that may be right, but uses a `construct` outside the supported subset."""

    def __init__(self, code: str, message: str, *, construct: str, **details: Any) -> None:
        super().__init__(code, message, **details)
        self.construct = construct

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "construct": self.construct}


class DocumentError(PenstockError):
    """A document that is not well-formed or exceeds a limit. Line and column count from 1, `offset` bytes from 0."""

    def __init__(self, error_class: str, message: str, line: int, column: int, offset: int) -> None:
        super().__init__(error_class, message, line, column, offset)
        self.error_class = error_class
        self.message = message
        self.line = line
        self.column = column
        self.offset = offset

    def __str__(self) -> str:
        return f"{self.error_class} at line {self.line}, column {self.column} (byte {self.offset}): {self.message}"


class SchemaError(PenstockError):
    """A schema that cannot be read."""


class StoreError(PenstockError):
    """A store of subscriptions that cannot be opened, read or written, or does not hold what was asked of it."""
