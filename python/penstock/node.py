"""The nodes of syntax trees, normal forms and programs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

__all__ = ["node"]

if TYPE_CHECKING:
    from dataclasses import dataclass as node
else:

    def node(*, frozen: bool, slots: bool):
        """A dataclass that no one changes, which mypy sees to.

        A class that sees to it itself sets each field by a call, so that a node takes three times as long to make; and
        a query has some hundred of them at its stages.
        """
        return dataclasses.dataclass(unsafe_hash=frozen, slots=slots)
