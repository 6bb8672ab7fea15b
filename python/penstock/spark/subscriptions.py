"""Subscriptions of any origin, brought to where Spark's workers can open them: a store."""

from __future__ import annotations

import json
import logging
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from penstock.broker import Broker
from penstock.broker.prepare import stored_row
from penstock.spark.folders import temporary_folder
from penstock.spark.matching import Source
from penstock.store import open_store, subscribing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from penstock.broker import Subscription
    from penstock.broker.subscription import Registered, Rejected

Subscriptions: TypeAlias = Broker | DataFrame | str
COLUMNS = (
    *("id", "query", "language", "stream", "window", "namespaces", "publish", "subscriber"),
    *("running", "deliver", "deliver_empty"),
)
_REJECTED = "id string, query string, code string, message string"
_log = logging.getLogger("penstock")


def locate(
    subscriptions: Subscriptions, spark: SparkSession, namespaces: Mapping[str, str] | None, *, is_streaming: bool
) -> Source:
    """Where the workers find the subscriptions: as they are now, or for a stream as they are at each micro-batch."""
    match subscriptions:
        case Broker(store=None) if is_streaming:
            # The broker stays the master; what it changes from now on, it writes to this store.
            subscriptions.attach(f"sqlite:///{_new_file()}")
            return locate(subscriptions, spark, namespaces, is_streaming=is_streaming)
        case Broker(store=None):
            return _sent(subscriptions.subscriptions(), spark)
        case Broker(store=store) if store is not None:
            return Source(url=store.url, version=None if is_streaming else store.version())
        case str() if "://" in subscriptions:
            with open_store(subscriptions, create=False) as store:
                return Source(url=store.url, version=None if is_streaming else store.version())
        case str():
            return locate(spark.table(subscriptions), spark, namespaces, is_streaming=is_streaming)
        case DataFrame():
            outcome = _compiled(subscriptions, namespaces)
            for one in outcome.rejected:
                _log.warning("subscription %s is left out: %s", one.id, one.error)
            return _sent(outcome.accepted, spark)
        case _:
            raise TypeError(
                f"subscriptions are a Broker, a DataFrame, a table's name or a store's URL: {subscriptions!r}"
            )


def rejected(subscriptions: Subscriptions, namespaces: Mapping[str, str] | None = None) -> DataFrame:
    """Subscriptions that cannot be run: `id`, `query`, `code`, `message`. They stop nothing; `publish` logs them."""
    spark = SparkSession.active()
    if isinstance(subscriptions, str) and "://" not in subscriptions:
        subscriptions = spark.table(subscriptions)
    rows = [(one.id, one.error.query, one.error.code, str(one.error)) for one in _rejected(subscriptions, namespaces)]
    return spark.createDataFrame(rows, _REJECTED)


def _rejected(subscriptions: Subscriptions, namespaces: Mapping[str, str] | None) -> list[Rejected]:
    if isinstance(subscriptions, DataFrame):
        return list(_compiled(subscriptions, namespaces).rejected)
    if isinstance(subscriptions, Broker):
        return subscriptions.rejected
    with open_store(subscriptions, create=False) as store:
        return Broker(store=store).rejected


def _compiled(frame: DataFrame, namespaces: Mapping[str, str] | None) -> Registered:
    return Broker(namespaces=namespaces).subscribe_many(_parameters(frame))


def _parameters(frame: DataFrame) -> Iterator[dict[str, Any]]:
    """Rows as `Broker.subscribe` takes them; nulls are defaults, and bindings may come as JSON (CSV has no maps)."""
    for row in frame.select(*(name for name in COLUMNS if name in frame.columns)).toLocalIterator():
        parameters = {name: value for name, value in row.asDict().items() if value is not None}
        bindings = parameters.get("namespaces")
        if isinstance(bindings, str):
            # What is no JSON stays as it is, and is refused with all that is known of the row.
            with suppress(ValueError):
                parameters["namespaces"] = json.loads(bindings)
        yield parameters


def _sent(subscriptions: Sequence[Subscription], spark: SparkSession) -> Source:
    """A store's file of these subscriptions, which Spark brings to every worker."""
    file = _new_file()
    with open_store(f"sqlite:///{file}") as store:
        version = store.apply([subscribing(stored_row(one)) for one in subscriptions])
    spark.addArtifact(str(file), file=True)
    return Source(file=file.name, version=version)


def _new_file() -> Path:
    # Files that Spark sends need names of their own: workers have them all in one folder.
    return temporary_folder() / f"penstock-{uuid.uuid4().hex}.db"
