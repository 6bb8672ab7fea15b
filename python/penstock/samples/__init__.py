"""Small feeds that come with the package: news, payments, alerts and transit, one file a document."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

STREAMS = ("news", "payments", "alerts", "transit")


@dataclass(frozen=True, slots=True)
class Sample:
    """One bundled document."""

    stream: str
    id: str
    xml: bytes


def documents() -> list[Sample]:
    """All bundled documents, the streams interleaved as they would arrive.

    >>> [sample.id for sample in documents()][:4]
    ['newsml-1', 'pacs008-1', 'cap-1', 'siri-1']
    """
    root = files(__name__)
    samples = [
        Sample(stream, entry.name.removesuffix(".xml"), entry.read_bytes())
        for stream in STREAMS
        for entry in (root / stream).iterdir()
        if entry.name.endswith(".xml")
    ]
    return sorted(samples, key=lambda sample: (int(sample.id.rsplit("-", 1)[1]), STREAMS.index(sample.stream)))
