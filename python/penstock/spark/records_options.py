"""The options of the `xmlrecords` source, read and checked."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from penstock.broker.times import duration, event_time
from penstock.kernel.records import MAX_RECORD_BYTES, check_row_tag
from penstock.spark.records_decoding import check_encoding

if TYPE_CHECKING:
    from collections.abc import Mapping

MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")
# A string of Spark, and a batch of them in Arrow, ends at 2 GiB.
LARGEST_RECORD = 1 << 30
_SIZE = re.compile(r"(\d+)\s*([kmgt]?)i?b?\Z", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@dataclass(frozen=True)
class RecordOptions:
    """What a reader was asked for."""

    paths: tuple[str, ...]
    row_tag: str
    mode: str = "PERMISSIVE"
    corrupt_column: str = "_corrupt_record"
    stream: str = "default"
    time: datetime | None = None
    encoding: str | None = None
    """None: what each file says, which is UTF-8 if it says nothing."""
    max_record_bytes: int = MAX_RECORD_BYTES
    max_partition_bytes: int = 32 << 20
    path_glob_filter: str | None = None
    recursive: bool = False
    max_files_per_trigger: int | None = None
    max_file_age: timedelta = timedelta(weeks=1)

    @property
    def names_corrupt(self) -> bool:
        """Whether there is a column for what is wrong."""
        return self.mode == "PERMISSIVE"


def read_options(options: Mapping[str, str]) -> RecordOptions:
    """Spark's options, whatever the case of their names, as a `RecordOptions`; a ValueError names the wrong one."""
    given = {name.lower(): value for name, value in options.items()}
    if "rowtag" not in given:
        raise ValueError("the option rowTag is missing: the name of the elements that are records")
    check_row_tag(given["rowtag"])
    mode = given.get("mode", "PERMISSIVE").upper()
    if mode not in MODES:
        raise ValueError(f"the option mode must be one of {', '.join(MODES)}, not {given['mode']!r}")
    max_files = given.get("maxfilespertrigger")
    return RecordOptions(
        paths=_paths(given),
        row_tag=given["rowtag"],
        mode=mode,
        corrupt_column=given.get("columnnameofcorruptrecord", "_corrupt_record"),
        stream=given.get("stream", "default"),
        time=event_time(given["time"]) if "time" in given else None,
        encoding=check_encoding(given["encoding"]) if "encoding" in given else None,
        max_record_bytes=_size("maxRecordBytes", given, MAX_RECORD_BYTES, most=LARGEST_RECORD),
        max_partition_bytes=_size("maxPartitionBytes", given, 32 << 20),
        path_glob_filter=given.get("pathglobfilter"),
        recursive=given.get("recursivefilelookup", "false").lower() == "true",
        max_files_per_trigger=None if max_files is None else _count("maxFilesPerTrigger", max_files),
        max_file_age=_age(given),
    )


def _paths(given: Mapping[str, str]) -> tuple[str, ...]:
    several = json.loads(given["paths"]) if "paths" in given else []
    paths = tuple(several) or ((given["path"],) if "path" in given else ())
    if not paths:
        raise ValueError("a path is missing: load(path)")
    return paths


def _size(name: str, given: Mapping[str, str], default: int, most: int = 1 << 62) -> int:
    if name.lower() not in given:
        return default
    text = given[name.lower()].strip()
    found = _SIZE.match(text)
    size = int(found[1]) * _FACTORS[found[2].lower()] if found else 0
    if not 1 <= size <= most:
        raise ValueError(
            f"the option {name} must be a size such as 1048576 or 32MB, not more than {most}, not {text!r}"
        )
    return size


def _count(name: str, text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise ValueError(f"the option {name} must be a whole number from 1, not {text!r}")
    return int(text)


def _age(given: Mapping[str, str]) -> timedelta:
    text = given.get("maxfileage", "1 week").strip()
    # Spark's own short form: 7d, 12h.
    units = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
    short = re.fullmatch(r"(\d+)\s*(ms|[smhdw])", text)
    try:
        return duration(f"{short[1]} {units[short[2]]}" if short else text)
    except ValueError as error:
        raise ValueError(f"the option maxFileAge: {error}") from error
