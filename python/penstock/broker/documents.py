"""Documents as they are given, and what is known of them besides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime

Xml: TypeAlias = str | bytes | bytearray | memoryview
Documents: TypeAlias = Iterable[Xml | Mapping[str, Any]]
"""Documents, or mappings with the parameters of `Broker.publish`."""


class Document(NamedTuple):
    """What is known of a document besides its XML."""

    id: str
    stream: str
    time: datetime
