"""What subscribers get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from penstock.kernel.engine import match_id

if TYPE_CHECKING:
    from datetime import datetime

Kind: TypeAlias = Literal["element", "attribute", "text", "comment", "pi", "atomic", "document"]


@dataclass(frozen=True, slots=True)
class Delivery:
    """One result for one subscription.

    `sequence` grows in document order; it is the place of the result's first byte in the document as the engine reads
    it, and 0 for values that belong to no single node.
    """

    subscription: str
    subscriber: str | None
    kind: Kind
    fragment: str
    documents: tuple[str, ...]
    stream: str
    time: datetime
    sequence: int

    @property
    def match_id(self) -> str:
        """128 bits in hexadecimal: the same subscription, documents and nodes give the same, whenever and wherever."""
        return match_id(self.subscription, self.documents, self.kind, (self.sequence,))


@dataclass(frozen=True, slots=True)
class FragmentMatch:
    """One fragment and all subscriptions that it is for."""

    kind: Kind
    fragment: str
    sequence: int
    subscriptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """The results of one document by reference: each fragment once."""

    document: str
    stream: str
    time: datetime
    fragments: tuple[FragmentMatch, ...]

    def __len__(self) -> int:
        return len(self.fragments)
