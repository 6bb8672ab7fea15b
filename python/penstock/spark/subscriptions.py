"""Subscriptions of any origin, compiled and brought to where Spark's workers can open them."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from penstock.broker import Broker
from penstock.spark.sending import new_file, send, send_store
from penstock.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.broker.subscription import Rejected
    from penstock.spark.worker import Source
    from penstock.store import Store

Subscriptions: TypeAlias = Broker | DataFrame | str
COLUMNS = (
    *("id", "query", "language", "stream", "window", "namespaces", "publish", "subscriber"),
    *("running", "deliver", "deliver_empty"),
)
_AT_ONCE = 1000
_REJECTED = "id string, query string, code string, message string"


def locate(
    subscriptions: Subscriptions, spark: SparkSession, namespaces: Mapping[str, str] | None, *, is_streaming: bool
) -> Source:
    """Where the workers find the subscriptions: as they are now, or for a stream as they are at each micro-batch."""
    match subscriptions:
        case Broker(store=None) if is_streaming:
            # The broker stays the master; what it changes from now on, it writes to this store.
            subscriptions.attach(f"sqlite:///{new_file('db')}")
            return locate(subscriptions, spark, namespaces, is_streaming=is_streaming)
        case Broker(store=None):
            return send(subscriptions, (), spark)
        case Broker(store=store) if store is not None:
            return _of_store(store, lambda: subscriptions, spark, is_streaming=is_streaming)
        case str() if "://" in subscriptions:
            with open_store(subscriptions, create=False) as store:
                return _of_store(store, lambda: Broker(store=store), spark, is_streaming=is_streaming)
        case str():
            return locate(spark.table(subscriptions), spark, namespaces, is_streaming=is_streaming)
        case DataFrame():
            return send(*_entered(subscriptions, namespaces), spark)
        case _:
            raise TypeError(
                f"subscriptions are a Broker, a DataFrame, a table's name or a store's URL: {subscriptions!r}"
            )


def _of_store(store: Store, broker: Callable[[], Broker], spark: SparkSession, *, is_streaming: bool) -> Source:
    version = store.version()
    source = send_store(store, broker, spark)
    return source if is_streaming else replace(source, version=max(version, source.holds))


def rejected(subscriptions: Subscriptions, namespaces: Mapping[str, str] | None = None) -> DataFrame:
    """Subscriptions that cannot be run: `id`, `query`, `code`, `message`. They stop nothing; `publish` logs them."""
    spark = SparkSession.active()
    if isinstance(subscriptions, str) and "://" not in subscriptions:
        subscriptions = spark.table(subscriptions)
    rows = [(one.id, one.error.query, one.error.code, str(one.error)) for one in _rejected(subscriptions, namespaces)]
    return spark.createDataFrame(rows, _REJECTED)


def _rejected(subscriptions: Subscriptions, namespaces: Mapping[str, str] | None) -> list[Rejected]:
    if isinstance(subscriptions, DataFrame):
        return _entered(subscriptions, namespaces)[1]
    if isinstance(subscriptions, Broker):
        return subscriptions.rejected
    with open_store(subscriptions, create=False) as store:
        return Broker(store=store).rejected


def _entered(frame: DataFrame, namespaces: Mapping[str, str] | None) -> tuple[Broker, list[Rejected]]:
    """A broker with the subscriptions of a frame. Nobody reads it yet: shapes learned in one step serve the next."""
    broker = Broker(namespaces=namespaces)
    rejected: list[Rejected] = []
    for batch in frame.select(*(name for name in COLUMNS if name in frame.columns)).toArrow().to_batches(_AT_ONCE):
        rejected += broker.subscribe_many(map(_parameters, batch.to_pylist())).rejected
    return broker, rejected


def _parameters(row: dict[str, Any]) -> tuple[str, str] | dict[str, Any]:
    """A row as `subscribe_many` takes it. Nulls are defaults; bindings are an Arrow map, or JSON: CSV has no maps."""
    parameters = {name: value for name, value in row.items() if value is not None}
    if parameters.keys() == {"id", "query"}:
        return parameters["id"], parameters["query"]
    bindings = parameters.get("namespaces")
    if isinstance(bindings, str):
        # What is no JSON stays as it is, and is refused with all that is known of the row.
        with suppress(ValueError):
            parameters["namespaces"] = json.loads(bindings)
    elif isinstance(bindings, list) and all(isinstance(pair, tuple) for pair in bindings):
        parameters["namespaces"] = dict(bindings)
    return parameters
