"""The words of a query. Tokens are scanned one at a time, on demand and from any place.

XPath's lexical rules need no memory of what came before (whether `*` or `div` is an operator is for the parser to
say), and a language whose text contains other text, as XQuery's constructors do, can move the scanner past it.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias

from penstock.errors import QueryError
from penstock.node import node
from penstock.span import Span

Kind: TypeAlias = Literal["name", "qname", "wildcard", "braced", "number", "string", "symbol", "end"]


@node(frozen=True, slots=True)
class Token:
    """`name` is without a colon, `qname` is p:a, `wildcard` is p:* or *:a, `braced` is Q{uri}a.

    No token of another kind has the text of a symbol: strings have their quotes.
    """

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


_NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = rf"[{_NAME_START}][-.0-9\u00b7\u0300-\u036f\u203f-\u2040{_NAME_START}]*+"
# Half of all tokens are symbols and most others plain names, so they are tried first.
_TOKEN = re.compile(
    rf"""[ \t\r\n]*+(?:
      (?P<symbol>[][@),+\-$?\#{{}};%] | //? | <[<=]? | >[>=]? | =>? | !=? | \|\|? | :[:=]
        | \.(?![0-9])\.? | \((?!:) | \*(?!:[{_NAME_START}]))
    | (?P<braced>Q\{{[^{{}}]*+\}}(?:{_NAME}|\*))
    | (?P<name>{_NAME}(?!:[*{_NAME_START}]))
    | (?P<wildcard>{_NAME}:\* | \*:{_NAME})
    | (?P<qname>{_NAME}:{_NAME})
    | (?P<number>(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+)
    | (?P<string>"[^"]*+(?:""[^"]*+)*+" | '[^']*+(?:''[^']*+)*+')
    | (?P<comment>\(:)
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_COMMENT_MARK = re.compile(r"\(:|:\)")
# What XML 1.0 does not allow can occur in no document, and lone surrogates cannot leave Python.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Lexer:
    """Scans one query's text."""

    def __init__(self, text: str) -> None:
        self.text = text
        is_plain = text.isascii() and text.isprintable()
        if not is_plain and (stray := _NOT_XML.search(text)):
            raise self._error(f"character U+{ord(stray[0]):04X} is not allowed in XML", stray.start())

    def scan(self, offset: int) -> Token:
        """The token at or after `offset`; white space and comments are skipped."""
        while True:
            match = _TOKEN.match(self.text, offset)
            if match is None:
                raise self._no_token(offset)
            kind: Any = match.lastgroup
            if kind != "comment":
                start, end = match.span(kind)
                return Token(kind, match[kind], start, end)
            offset = self._after_comment(match.start("comment"))

    def _after_comment(self, start: int) -> int:
        depth = 0
        for mark in _COMMENT_MARK.finditer(self.text, start):
            depth += 1 if mark[0] == "(:" else -1
            if depth == 0:
                return mark.end()
        raise self._error("the comment that starts here has no end", start, start + 2, expected=("':)'",))

    def _no_token(self, offset: int) -> QueryError:
        while self.text[offset] in " \t\r\n":
            offset += 1
        character = self.text[offset]
        if character in "\"'":
            return self._error("the string that starts here has no end", offset, expected=(f'"{character}"',))
        return self._error(f"character {character!r} has no meaning here", offset)

    def _error(self, message: str, start: int, end: int | None = None, expected: tuple[str, ...] = ()) -> QueryError:
        span = Span(start, start + 1 if end is None else end)
        found = self.text[span.start : span.end]
        return QueryError("XPST0003", message, query=self.text, span=span, expected=expected, found=found)


def string_value(literal: str) -> str:
    """The value of a string token: without its quotes, doubled ones made single.

    >>> string_value("'it''s'")
    "it's"
    """
    quote = literal[0]
    return literal[1:-1].replace(quote * 2, quote)
