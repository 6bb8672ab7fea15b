"""A place in a token stream, with the errors a parser raises there."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from penstock.errors import QueryError, UnsupportedError
from penstock.span import Span
from penstock.syntax.lexer import Lexer, Token

if TYPE_CHECKING:
    from collections.abc import Iterable


class Cursor:
    """The current token, one token of lookahead, and what to say when they are not what was expected."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lexer = Lexer(text)
        self.token = self.lexer.scan(0)
        self.previous = Token("end", "", 0, 0)
        self._next: Token | None = None

    def peek(self) -> Token:
        """The token after the current one."""
        if self._next is None:
            self._next = self.lexer.scan(self.token.end)
        return self._next

    def peek_is(self, symbol: str) -> bool:
        """Whether the token after the current one is this symbol."""
        return self.peek().text == symbol

    def advance(self) -> Token:
        """Step over the current token and return it."""
        self.previous = token = self.token
        if self._next is None:
            self.token = self.lexer.scan(token.end)
        else:
            self.token = self._next
            self._next = None
        return token

    def at(self, symbol: str) -> bool:
        """Whether the current token is this symbol."""
        return self.token.text == symbol

    def accept(self, symbol: str) -> bool:
        """Step over `symbol` if it is here."""
        if self.token.text != symbol:
            return False
        self.advance()
        return True

    def expect(self, symbol: str, *alternatives: str) -> Token:
        """Step over `symbol`; `alternatives` says what else could have stood here."""
        if self.token.text != symbol:
            raise self.error(f"'{symbol}'", *alternatives)
        return self.advance()

    def expect_word(self, word: str) -> Token:
        """Step over a keyword."""
        if self.token.kind != "name" or self.token.text != word:
            raise self.error(f"'{word}'")
        return self.advance()

    def span_from(self, start: int) -> Span:
        """From `start` to the end of the last token stepped over."""
        return Span(start, max(start, self.previous.end))

    def error(self, *expected: str, suggestion: str | None = None) -> QueryError:
        """The syntax error for the current token."""
        found = describe(self.token)
        return QueryError(
            "XPST0003",
            f"expected {' or '.join(expected)}, found {found}",
            query=self.text,
            span=self.token.span,
            expected=expected,
            found=found,
            suggestion=suggestion,
        )

    def unsupported(self, construct: str, span: Span | None = None, suggestion: str | None = None) -> UnsupportedError:
        """The error for a construct of a larger language; it names the construct."""
        return UnsupportedError(
            "PNST0003",
            f"{construct} is not supported",
            construct=construct,
            query=self.text,
            span=self.token.span if span is None else span,
            suggestion=suggestion,
        )


def describe(token: Token) -> str:
    """How an error message names a token."""
    if token.kind == "end":
        return "the end of the query"
    text = token.text if len(token.text) <= 40 else token.text[:40] + "..."
    if token.kind in ("number", "string"):
        return f"the {token.kind} {text}"
    if token.kind == "symbol":
        return f"'{text}'"
    return f"the name '{text}'"


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a misspelt one most resembles, if any does.

    >>> closest("nomalize-space", ["normalize-space", "count"])
    'normalize-space'
    """
    matches = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.7)
    return matches[0] if matches else None
