"""Documents, apart from their XML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of a document besides its XML."""

    id: str
    stream: str
    time: datetime
