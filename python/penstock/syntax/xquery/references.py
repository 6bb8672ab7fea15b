"""Entity and character references in the text of a query: `&lt;`, `&#233;`, `&#xE9;`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.errors import QueryError
from penstock.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable

_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_REFERENCE = re.compile(r"&(?:(?P<entity>lt|gt|amp|quot|apos)|#(?P<decimal>[0-9]{1,7})|#x(?P<hex>[0-9a-fA-F]{1,6}));")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def expanded(text: str, query: str, start: int) -> str:
    """`text`, which stands at `start` of the query, with its references replaced.

    >>> expanded("a &lt; b &#x41;", "", 0)
    'a < b A'
    """
    pieces: list[str] = []
    at = 0
    while (found := text.find("&", at)) >= 0:
        match = _REFERENCE.match(text, found)
        if match is None:
            message = "'&' begins no reference: a lone one is written '&amp;'"
            raise QueryError("XPST0003", message, query=query, span=Span(start + found, start + found + 1))
        pieces += (text[at:found], _character(match, query, start))
        at = match.end()
    return "".join((*pieces, text[at:]))


def _character(match: re.Match[str], query: str, start: int) -> str:
    if match["entity"]:
        return _ENTITIES[match["entity"]]
    number = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    if number > 0x10FFFF or 0xD800 <= number < 0xE000 or _NOT_XML.match(chr(number)):
        span = Span(start + match.start(), start + match.end())
        raise QueryError("XQST0090", f"{match[0]} is no character of XML", query=query, span=span)
    return chr(number)


def escaped(text: str, special: str, transform: Callable[[str], str] | None = None) -> str:
    """`text` with `&`, `<` and the characters of `special` as references; braces doubled by `transform`."""
    text = "".join(f"&#{ord(one)};" if one in special or one in "&<\r" else one for one in text)
    return text if transform is None else transform(text)
