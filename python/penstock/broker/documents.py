"""Documents, apart from their XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class Document(NamedTuple):
    """What is known of a document besides its XML."""

    id: str
    stream: str
    time: datetime
