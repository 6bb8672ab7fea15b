"""Rows that are read more than once and should be made once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame


@contextmanager
def persisted(rows: DataFrame) -> Iterator[DataFrame]:
    """The same rows, kept until the end of the block: what they come from is evaluated once."""
    kept = rows.persist()
    try:
        yield kept
    finally:
        kept.unpersist()
