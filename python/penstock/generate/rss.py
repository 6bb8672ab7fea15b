"""An RSS channel whose items mix namespaces, CDATA, escaped HTML and entities, as real feeds do."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from penstock.generate.people import FIRST_NAMES, LAST_NAMES
from penstock.generate.words import Prose

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
     xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<channel>
<title>Generated news</title>
<link>https://news.example/</link>
<atom:link href="https://news.example/feed.xml" rel="self" type="application/rss+xml"/>
<description>Items for measurements &amp; tests</description>
"""
_TAIL = "</channel>\n</rss>\n"
_CATEGORIES = ("business", "science", "sport", "travel", "weather", "outage", "culture", "politics")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def rss(*, size: int = 1_000_000, seed: int = 0) -> Iterator[str]:
    """A channel of at least `size` characters, in pieces of one item.

    >>> feed = "".join(rss(size=10_000))
    >>> feed.count("<item>") == feed.count("<dc:creator>") > 5
    True
    """
    rng = Random(seed)
    prose = Prose(rng)
    yield _HEAD
    written = len(_HEAD) + len(_TAIL)
    number = 0
    while written < size:
        piece = item(number, rng, prose)
        written += len(piece)
        number += 1
        yield piece
    yield _TAIL


def item(number: int, rng: Random, prose: Prose) -> str:
    """One item of the channel; its prefixes are declared on the channel's root."""
    category = rng.choice(_CATEGORIES)
    author = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
    day = number // 400
    when = f"{_DAYS[day % 7]}, {1 + day % 28:02} Mar 2024 {number // 17 % 24:02}:{number * 7 % 60:02}:00 GMT"
    media = f'<media:content url="https://img.example/{number}.jpg" medium="image"/>\n' if rng.random() < 0.3 else ""
    return (
        f"<item>\n<title>{prose.words(3, 9)} &amp; {category}</title>\n<link>https://news.example/{category}/{number}</link>\n"
        f'<guid isPermaLink="false">urn:news:{number}</guid>\n'
        f"<pubDate>{when}</pubDate>\n<category>{category}</category>\n"
        f"<dc:creator>{author}</dc:creator>\n{media}"
        f"<description>&lt;p&gt;{prose.words(8, 30)}&lt;/p&gt;</description>\n"
        f"<content:encoded><![CDATA[<p>{prose.words(20, 120)}</p>"
        f'<a href="?a=1&b={number}">more</a>]]></content:encoded>\n</item>\n'
    )
