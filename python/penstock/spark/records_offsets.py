"""Offsets of a folder that is read as a stream: which files were read.

An offset names the files, because a file may come late: moved in with an old date, or written before another and
closed after it. So that offsets do not grow for ever, files older than the youngest by more than `maxFileAge` are
forgotten, and such files are not read when they come (as Spark's own file source does).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.spark.records_files import RecordFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

INITIAL: dict[str, Any] = {"since": 0, "files": {}}


def advance(start: dict[str, Any], files: Iterable[RecordFile], most: int | None, max_age: timedelta) -> dict[str, Any]:
    """The offset after `start` and at most so many of the new files, oldest first; `start` itself if none is new."""
    seen = start["files"]
    new = [file for file in files if file.path not in seen and file.modified >= start["since"]]
    taken = sorted(new, key=lambda file: (file.modified, file.path))[:most]
    if not taken:
        return start
    youngest = max(taken[-1].modified, *(entry["modified"] for entry in seen.values()), start["since"])
    since = max(start["since"], youngest - int(max_age.total_seconds() * 1_000_000))
    kept = {path: entry for path, entry in seen.items() if entry["modified"] >= since}
    added = {file.path: {"name": file.name, "size": file.size, "modified": file.modified} for file in taken}
    return {"since": since, "files": {**kept, **added}}


def between(start: dict[str, Any], end: dict[str, Any]) -> list[RecordFile]:
    """The files that `end` has and `start` has not: the same whenever it is asked, also after a restart."""
    return [
        RecordFile(path, entry["name"], entry["size"], entry["modified"])
        for path, entry in end["files"].items()
        if path not in start["files"]
    ]
