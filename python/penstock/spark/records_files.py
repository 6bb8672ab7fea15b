"""The files of the `xmlrecords` source: found, and opened again in the workers."""

from __future__ import annotations

import fnmatch
import posixpath
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pyarrow import fs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyarrow import NativeFile

    from penstock.spark.records_options import RecordOptions


@dataclass(frozen=True)
class RecordFile:
    """A file. `name` is what its records' ids begin with: its path below the folder that is read."""

    path: str
    name: str
    size: int
    modified: int
    """Microseconds since 1970, UTC."""

    @property
    def time(self) -> datetime:
        """When the file was last changed."""
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.modified)


def list_files(options: RecordOptions) -> list[RecordFile]:
    """All files that the options name, in the order of their paths."""
    roots = [root for path in options.paths for root in _roots(path)]
    # Below one folder the rest of the path is enough; of several, or of what a pattern may match, it is not.
    short_names = roots == [*options.paths] and len(roots) == 1
    found: dict[str, RecordFile] = {}
    for root in roots:
        for file in _below(root, options, short_names=short_names):
            found.setdefault(file.path, file)
    return [found[path] for path in sorted(found)]


def open_file(path: str) -> NativeFile:
    """The file's bytes as they lie there; it can be read from any place."""
    system, _, inner = _resolve(path)
    return system.open_input_file(inner)


def _roots(path: str) -> list[str]:
    """A path, or all that a local pattern matches."""
    system, _, inner = _resolve(path)
    if system.get_file_info(inner).type != fs.FileType.NotFound:
        return [path]
    root = Path(Path(inner).anchor)
    is_local = isinstance(system, fs.LocalFileSystem)
    matched = sorted(root.glob(str(Path(inner).relative_to(root)))) if is_local else []
    if not matched:
        raise FileNotFoundError(f"there is no file or folder {path}")
    return [str(found) for found in matched if not _is_hidden(found.name)]


def _below(root: str, options: RecordOptions, *, short_names: bool) -> Iterator[RecordFile]:
    system, prefix, inner = _resolve(root)
    info = system.get_file_info(inner)
    if info.type == fs.FileType.File:
        name = posixpath.basename(inner) if short_names else prefix + inner
        yield RecordFile(prefix + inner, name, info.size or 0, _microseconds(info))
        return
    for info in system.get_file_info(fs.FileSelector(inner, recursive=options.recursive)):
        below = posixpath.relpath(info.path, inner)
        wanted = options.path_glob_filter is None or fnmatch.fnmatchcase(info.base_name, options.path_glob_filter)
        if info.type == fs.FileType.File and wanted and not any(map(_is_hidden, below.split("/"))):
            name = below if short_names else prefix + info.path
            yield RecordFile(prefix + info.path, name, info.size or 0, _microseconds(info))


def _is_hidden(name: str) -> bool:
    """As everywhere in Spark: what is being written, or is about the data, has such a name."""
    return name.startswith((".", "_"))


def _resolve(path: str) -> tuple[fs.FileSystem, str, str]:
    """The file system, what makes a path in it a path for everyone, and the path in it."""
    if path.startswith("file:"):
        path = unquote(urlsplit(path).path)
    if "://" not in path:
        return fs.LocalFileSystem(), "", str(Path(path).absolute())
    system, inner = fs.FileSystem.from_uri(path.rstrip("/"))
    return system, path.rstrip("/").removesuffix(inner), inner


def _microseconds(info: fs.FileInfo) -> int:
    return (info.mtime_ns or 0) // 1_000
