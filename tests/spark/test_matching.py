"""The match stage by itself, as a worker process runs it: what it loads and compiles, and when."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark import SparkFiles

from penstock import Broker, Limits, StoreError
from penstock.broker import registry
from penstock.broker.arrow import TIME
from penstock.spark import worker
from penstock.spark.matching import MatchStage
from penstock.spark.worker import Source
from penstock.store import Store, SubscriptionRow, open_store, subscribing, unsubscribing
from spark.frames import START


@pytest.fixture(autouse=True)
def new_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A worker process that has done nothing yet; files that are sent to it are where they were made."""
    monkeypatch.setattr(SparkFiles, "get", lambda name: str(tmp_path / name))
    restart()
    yield
    restart()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'subs.db'}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as store:
        yield store


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that are compiled from now on."""
    seen: list[str] = []
    compile_one = registry.compiled

    def counted(subscription: registry.Subscription) -> object:
        seen.append(subscription.query)
        return compile_one(subscription)

    monkeypatch.setattr(registry, "compiled", counted)
    return seen


def restart() -> None:
    """As when the process ends and another is started."""
    worker._worker.cache_clear()


def sent(folder: Path, store: Store | None, rows: list[tuple[str, str]] | None = None) -> Source:
    """What the driver sends now."""
    broker = Broker(store=store)
    broker.subscribe_many(rows or [])
    name = f"{len(list(folder.iterdir()))}.subscriptions"
    return Source(name, None if store is None else store.url, holds=broker.save(folder / name))


def at(source: Source, version: int | None) -> Source:
    return Source(source.file, source.url, source.holds, version)


def stage(source: Source) -> MatchStage:
    return MatchStage(source, Limits(), False, failfast=False, refused_as_rows=True, failures_as_rows=True)


def documents(count: int) -> pa.RecordBatch:
    columns = {
        "id": [f"d{number}" for number in range(count)],
        "stream": ["s"] * count,
        "time": pa.array([START] * count, TIME),
        "xml": ["<a><b/></a>"] * count,
    }
    return pa.RecordBatch.from_pydict(columns)


def found(source: Source) -> set[str]:
    batches = stage(source)(iter([documents(1)]))
    return {id for batch in batches for id in batch.column("subscription").to_pylist()}


def test_a_worker_loads_the_file_and_compiles_what_changed(tmp_path: Path, store: Store, compiled: list[str]) -> None:
    broker = Broker(store=store)
    broker.subscribe_many((f"s{number}", f"//a[{number}]") for number in range(1, 50))
    source = sent(tmp_path, store)
    broker.subscribe("b", "//b")
    broker.unsubscribe("s1")
    compiled.clear()
    assert found(at(source, 1)) == {"s1"}
    assert compiled == []
    assert found(at(source, 3)) == {"b"}
    assert compiled == ["//b"]
    compiled.clear()
    assert found(at(source, 2)) == {"s1", "b"}
    assert compiled == ["//a[1]"]
    restart()
    compiled.clear()
    assert found(at(source, 3)) == {"b"}
    assert compiled == ["//b"]


def test_a_version_that_is_older_than_the_file(tmp_path: Path, store: Store, compiled: list[str]) -> None:
    """As when a driver starts again after a crash, and its first micro-batch has claimed its version before that."""
    broker = Broker(store=store)
    broker.subscribe_many([("same", "//b"), ("gone", "/a"), ("other", "//a[b]")])
    broker.unsubscribe("gone")
    broker.subscribe("other", "//none", replace=True)
    broker.subscribe("late", "//a/b")
    source = sent(tmp_path, store)
    compiled.clear()
    assert found(at(source, 1)) == {"same", "gone", "other"}
    assert sorted(compiled) == ["//a[b]", "/a"]
    assert found(at(source, 4)) == {"same", "late"}
    assert found(at(source, 2)) == {"same", "other"}
    assert found(at(source, 0)) == set()


def test_a_file_from_before_a_compaction(tmp_path: Path, store: Store) -> None:
    broker = Broker(store=store)
    broker.subscribe_many([("same", "//b"), ("gone", "/a"), ("other", "//a[b]")])
    source = sent(tmp_path, store)
    broker.unsubscribe("gone")
    broker.subscribe("other", "//a", replace=True)
    broker.subscribe("late", "//a/b")
    store.compact()
    assert found(at(source, 4)) == {"same", "other", "late"}
    with pytest.raises(StoreError, match="compacted"):
        found(at(source, 1))


def test_a_snapshot_needs_no_store(tmp_path: Path, compiled: list[str]) -> None:
    rows = [(f"s{number}", f"//a[{number}]") for number in range(1, 50)]
    source, other = sent(tmp_path, None, rows), sent(tmp_path, None, [("b", "//b")])
    compiled.clear()
    for _ in range(2):
        assert found(source) == {"s1"}
        assert found(other) == {"b"}
        restart()
    assert compiled == []


def test_all_files_of_a_store_serve_one_machine(tmp_path: Path, store: Store, compiled: list[str]) -> None:
    broker = Broker(store=store)
    broker.subscribe("a", "//a")
    first = sent(tmp_path, store)
    assert found(at(first, 1)) == {"a"}
    broker.subscribe("b", "//b")
    second = sent(tmp_path, store)
    (tmp_path / second.file).unlink()
    compiled.clear()
    assert found(at(second, 2)) == {"a", "b"}
    assert compiled == ["//b"]


def test_a_worker_that_got_far_leaves_a_file_to_the_next(
    tmp_path: Path, store: Store, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FAR_SECONDS", 0)
    broker = Broker(store=store)
    broker.subscribe("a", "//a")
    source = sent(tmp_path, store)
    broker.subscribe("b", "//b")
    broker.subscribe("c", "//a/b")
    assert found(at(source, 2)) == {"a", "b"}
    assert found(at(source, 3)) == {"a", "b", "c"}
    # Not over a newer one.
    assert found(at(source, 2)) == {"a", "b"}
    assert sorted(path.name for path in tmp_path.glob("*.subscriptions*")) == [source.file, f"{source.file}.3"]
    restart()
    compiled.clear()
    assert found(at(source, 3)) == {"a", "b", "c"}
    assert found(at(source, 1)) == {"a"}
    assert compiled == []


def test_a_file_that_cannot_be_left_stops_nothing(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker, "FAR_SECONDS", 0)
    source = sent(tmp_path, store)
    Broker(store=store).subscribe("b", "//b")
    (tmp_path / f"{source.file}.1.{os.getpid()}.partial").mkdir()
    assert found(at(source, 1)) == {"b"}
    assert "version 1 are not saved" in caplog.text


def test_rows_that_cannot_be_run_are_told_when_they_come(
    tmp_path: Path, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    newer = SubscriptionRow("newer", "select a", language="newer")
    store.apply([subscribing(newer), subscribing(SubscriptionRow("good", "//a"))])
    source = sent(tmp_path, store)
    store.apply([subscribing(newer._replace(id="newest"))])
    store.apply([unsubscribing("newer")])
    store.apply([subscribing(newer._replace(id="good"), replace=True)])
    with caplog.at_level(logging.WARNING, logger="penstock"):
        assert found(at(source, 1)) == {"good"}
        assert caplog.text == ""
        assert found(at(source, 2)) == {"good"}
        assert "newest is left out" in caplog.text
        assert found(at(source, 4)) == set()
        assert "good is left out" in caplog.text
        assert found(at(source, 1)) == {"good"}


def test_large_batches_are_matched_in_bites(tmp_path: Path) -> None:
    source = sent(tmp_path, None, [("b", "//b")])
    batches = list(stage(source)(iter([documents(1000), documents(0), documents(3)])))
    assert len(batches) > 2
    assert sum(batch.num_rows for batch in batches) == 1003


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    source = sent(tmp_path, None, [("b", "//b")])
    missing = Source(source.file, f"sqlite:///{tmp_path / 'none.db'}", holds=1, version=1)
    with pytest.raises(StoreError, match="no such store"):
        list(stage(missing)(iter([])))
    assert not (tmp_path / "none.db").exists()


def test_a_version_can_be_claimed_by_a_streaming_query_only(tmp_path: Path, store: Store) -> None:
    Broker(store=store).subscribe("b", "//b")
    with pytest.raises(StoreError, match="streaming query only"):
        list(stage(sent(tmp_path, store))(iter([])))
