"""What subscribers get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.kernel.engine import Delivery

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["Delivery", "FragmentMatch", "Matches"]


@dataclass(frozen=True, slots=True)
class FragmentMatch:
    """One fragment and all subscriptions that it is for."""

    kind: str
    fragment: str
    sequence: int
    subscriptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """The results of one document by reference: each fragment once."""

    document: str
    stream: str
    time: datetime
    fragments: tuple[FragmentMatch, ...] = ()

    def __len__(self) -> int:
        return len(self.fragments)
