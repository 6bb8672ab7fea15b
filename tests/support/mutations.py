"""Documents and queries spoilt at random, byte by byte and by pieces of markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_MARKUP = """
    <a> </a> <a/> <a|b='x <!-- --> -- <![CDATA[ ]]> <? ?> <?xml|version='1.0'?> &amp; &#0; &#x10FFFF; &#xD800; &e; &#
    &lt |xmlns='' |xmlns:p='urn:p' |p:a='1' <!DOCTYPE|a> <!DOCTYPE|a|[<!ENTITY|e|'x'>]> <!ENTITY|e|'&e;'>
    <!ATTLIST|a|b|CDATA|'d'> xml é
"""
_BAD_UTF8 = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf")
MARKUP: tuple[bytes, ...] = (
    *(character.encode() for character in "<>&;'\"/?!=[]-:%#(|) \t\r\n\0\x01\x7f\ufffe\ufeff"),
    *(part.replace("|", " ").encode() for part in _MARKUP.split()),
    *_BAD_UTF8,
)

QUERY_PARTS: tuple[str, ...] = (
    *"/[]()@.*|=<>!+-,:'\"$&;#{} \n\0é\U0001f600",
    *(
        "//",
        "..",
        "::",
        "and ",
        " or ",
        " div ",
        "not(",
        "last()",
        "position()",
        "text()",
        "node()",
        "count(",
        "1",
        "1e9",
    ),
    *(
        "ancestor::",
        "following::",
        "preceding-sibling::",
        "namespace::",
        "some $x in ",
        " satisfies ",
        "if (",
        " then ",
    ),
    *("Q{urn:p}", "*:", "p:", "'x'", "matches(., '", "((a+)+)+", "\\", "99999999999999999999", "-0", "0.1", "$x"),
)


def mutate_document(random: Random, document: bytes, others: Sequence[bytes]) -> bytes:
    """One to four changes: bytes changed, pieces taken out, doubled, put in, or another document's piece put in."""
    for _ in range(random.choice((1, 1, 2, 4))):
        start = random.randint(0, len(document))
        stop = min(len(document), start + random.choice((0, 1, 1, 2, 5, 20)))
        match random.randrange(6):
            case 0:
                document = document[:start] + document[stop:]
            case 1:
                document = document[:start] + document[start:stop] * 2 + document[stop:]
            case 2:
                document = document[:start] + bytes([random.randrange(256)]) + document[start + 1 :]
            case 3:
                other = random.choice(others)
                cut = random.randint(0, len(other))
                document = document[:start] + other[cut : cut + 30] + document[stop:]
            case _:
                document = document[:start] + random.choice(MARKUP) + document[stop:]
    return document


def mutate_query(random: Random, query: str) -> str:
    """One to three changes: characters taken out, doubled, or pieces of the language put in."""
    for _ in range(random.choice((1, 1, 2, 3))):
        start = random.randint(0, len(query))
        stop = min(len(query), start + random.choice((0, 1, 1, 3, 8)))
        match random.randrange(4):
            case 0:
                query = query[:start] + query[stop:]
            case 1:
                query = query[:start] + query[start:stop] * random.choice((2, 2, 2, 30)) + query[stop:]
            case _:
                query = query[:start] + random.choice(QUERY_PARTS) + query[stop:]
    return query
