"""Compiled subscriptions, sent to Spark's workers as files."""

from __future__ import annotations

import logging
import uuid
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from penstock.errors import StoreError
from penstock.spark.folders import temporary_folder
from penstock.spark.worker import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from penstock.broker import Broker
    from penstock.broker.subscription import Rejected
    from penstock.store import Store

_FEW_CHANGES = 1000
_log = logging.getLogger("penstock")
# What was sent of each store. Sessions do not see one another's files.
_sent: WeakKeyDictionary[SparkSession, dict[str, Source]] = WeakKeyDictionary()


def send(broker: Broker, rejected: Iterable[Rejected], spark: SparkSession) -> Source:
    """The subscriptions of a broker as they are now; those that were rejected are told."""
    for one in rejected:
        _log.warning("subscription %s is left out: %s", one.id, one.error)
    file = new_file("subscriptions")
    version = broker.save(file)
    spark.addArtifact(str(file), file=True)
    return Source(file.name, None if broker.store is None else broker.store.url, holds=version)


def send_store(store: Store, broker: Callable[[], Broker], spark: SparkSession) -> Source:
    """The subscriptions of a store; `broker` gives a broker on it.

    What was sent before will do for a while: workers find in the store what was changed since.
    """
    known = _sent.setdefault(spark, {})
    source = known.get(store.url)
    if source is None or not _is_near(store, source.holds):
        made = broker()
        made.refresh()
        source = known[store.url] = send(made, made.rejected, spark)
    return source


def new_file(suffix: str) -> Path:
    """A place for a file that lives as long as the process."""
    # Files that Spark sends need names of their own: workers have them all in one folder.
    return temporary_folder() / f"penstock-{uuid.uuid4().hex}.{suffix}"


def _is_near(store: Store, version: int) -> bool:
    try:
        return sum(1 for _ in islice(store.changes(version), _FEW_CHANGES)) < _FEW_CHANGES
    except StoreError:
        # The log is compacted, or the store is another one now.
        return False
