"""Input without end, and what it costs to read it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import penstock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_RECORD = (
    b'<item id="7"><name>pen</name><price>8</price><tags><t>a</t><t>b</t></tags>some text &amp; <i>more</i></item>\n'
)
RECORDS = (b"<feed>", _RECORD * 600)
"""The head of an endless feed, and a chunk of it that may be repeated for ever."""
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Cost:
    """What was seen while reading: the most bytes held at the end of a chunk, and by how much the process grew."""

    held: int
    growth: int
    deliveries: int


def read_endlessly(
    queries: Iterable[str],
    head_and_chunk: tuple[bytes, bytes],
    megabytes: int,
    *,
    ordered: bool = False,
    limits: Mapping[str, int] | None = None,
) -> Cost:
    """Feeds the head and then chunks until so many megabytes are read; the document does not end."""
    broker = penstock.Broker(mode="FAILFAST", limits=limits)
    broker.subscribe_many((str(place), query) for place, query in enumerate(queries))
    head, chunk = head_and_chunk
    feed = broker.open(ordered=ordered)
    deliveries = len(feed.write(head))
    held = 0
    for _ in range(8):
        # Buffers take their size before the memory is measured.
        deliveries += len(feed.write(chunk))
    before = resident_bytes()
    for _ in range(megabytes * MEGABYTE // len(chunk)):
        deliveries += len(feed.write(chunk))
        held = max(held, feed.buffered)
    return Cost(held, resident_bytes() - before, deliveries)


def resident_bytes() -> int:
    """Memory of this process that is in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
