"""Event times and durations as users write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_UNITS = {
    "millisecond": timedelta(milliseconds=1),
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_DOCUMENTS = re.compile(r"\s*\d+\s*documents?\s*\Z", re.IGNORECASE)
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*\Z")


def event_time(time: datetime | str | float | None) -> datetime:
    """An aware datetime, an ISO 8601 string or epoch seconds as a datetime in UTC; None is now.

    >>> event_time("2024-05-01T12:00:00+02:00").isoformat()
    '2024-05-01T10:00:00+00:00'
    >>> event_time(0).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    if time is None:
        return datetime.now(UTC)
    if isinstance(time, str):
        time = datetime.fromisoformat(time)
    if isinstance(time, datetime):
        if time.tzinfo is None:
            raise ValueError(f"the time {time.isoformat()} has no time zone")
        return time.astimezone(UTC)
    return datetime.fromtimestamp(time, UTC)


def duration(text: str) -> timedelta:
    """`<number> milliseconds|seconds|minutes|hours|days|weeks`.

    >>> duration("20 minutes")
    datetime.timedelta(seconds=1200)
    """
    found = _DURATION.match(text)
    unit = _UNITS.get(found[2].lower().removesuffix("s")) if found else None
    if found is None or unit is None:
        raise ValueError(
            f"{text!r} is not a duration: write a number and one of {', '.join(f'{name}s' for name in _UNITS)}"
        )
    return float(found[1]) * unit


def checked_window(text: str) -> str:
    """A window as written: durations and `<number> documents`, joined by commas, or `unbounded`.

    >>> checked_window("20 minutes, 100 documents")
    '20 minutes, 100 documents'
    """
    for part in text.split(","):
        if part.strip().lower() != "unbounded" and not _DOCUMENTS.match(part):
            duration(part)
    return text
