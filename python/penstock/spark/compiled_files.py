"""Compiled subscriptions as files: the one that Spark sent, and newer ones that workers leave to those after them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.broker.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path


def load_newest(sent: Path, holds: int) -> tuple[Registry, int]:
    """The newest subscriptions that there are, and their version; `holds` is the version that was sent."""
    for version in sorted(_left(sent), reverse=True):
        # Another worker may have removed it just now.
        with suppress(FileNotFoundError):
            return Registry.load(_place(sent, version)), version
    return Registry.load(sent), holds


def leave(sent: Path, registry: Registry, version: int) -> None:
    """Writes the subscriptions of a version beside those that were sent, unless newer ones are there."""
    left = _left(sent)
    if all(one < version for one in left):
        registry.save(_place(sent, version))
        for one in left:
            _place(sent, one).unlink(missing_ok=True)


def _place(sent: Path, version: int) -> Path:
    return sent.with_name(f"{sent.name}.{version}")


def _left(sent: Path) -> list[int]:
    suffixes = (path.name.removeprefix(f"{sent.name}.") for path in sent.parent.glob(f"{sent.name}.*"))
    return [int(suffix) for suffix in suffixes if suffix.isdecimal()]
