"""What can be said in a pipeline's file: the fields of a class are the keys of a section, with their types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from penstock.errors import PenstockError

Options = dict[str, str]
"""Names and values that are handed on as they are; Spark knows them."""


class ConfigError(PenstockError):
    """A pipeline's file that cannot be used. The text names the file, the line and the key."""


@dataclass(frozen=True)
class Source:
    """Where documents come from: a `format` of Spark, or a `table` of its catalog."""

    format: str | None = None
    path: str | None = None
    table: str | None = None
    schema: str | None = None
    options: Options = field(default_factory=dict)
    columns: Options = field(default_factory=dict)


@dataclass(frozen=True)
class Subscriptions:
    """Where subscriptions come from."""

    store: str | None = None
    file: str | None = None
    table: str | None = None
    namespaces: Options = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """Where deliveries, or dead letters, go."""

    kind: Literal["files", "table", "database", "console"]
    path: str | None = None
    format: str | None = None
    by: str | None = None
    options: Options = field(default_factory=dict)
    table: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class Query:
    """How it runs. A stream has a checkpoint and one of Spark's triggers; with a `batch` name it is a batch."""

    name: str = "penstock"
    checkpointLocation: str | None = None  # noqa: N815 - Spark's name
    availableNow: bool = False  # noqa: N815 - Spark's name
    once: bool = False
    processingTime: str | None = None  # noqa: N815 - Spark's name
    batch: str | None = None
    mode: Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"] = "PERMISSIVE"
    watermark: str | None = None


@dataclass(frozen=True)
class Spark:
    """Which Spark: a `master`, or `sc://...` for Spark Connect, and its configuration."""

    master: str = "local[*]"
    config: Options = field(default_factory=dict)


@dataclass(frozen=True)
class Pipeline:
    """All of it."""

    source: Source
    subscriptions: Subscriptions
    sink: Target
    query: Query = field(default_factory=Query)
    dead_letters: Target | None = None
    spark: Spark = field(default_factory=Spark)
