"""The match stage by itself, as a worker process runs it: what it builds, and when."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from penstock import Broker, Limits, StoreError
from penstock.broker import prepare
from penstock.broker.arrow import TIME
from penstock.spark.matching import MatchStage, Source
from spark.frames import START


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'subs.db'}"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that are compiled from now on."""
    seen: list[str] = []
    compile_query = prepare.compile_query

    def counted(query: str, **parameters: object) -> object:
        seen.append(query)
        return compile_query(query, **parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(prepare, "compile_query", counted)
    return seen


def stage(url: str, version: int | None) -> MatchStage:
    source = Source(url=url, version=version)
    return MatchStage(source, Limits(), False, failfast=False, refused_as_rows=True, failures_as_rows=True)


def documents(count: int) -> pa.RecordBatch:
    columns = {
        "id": [f"d{number}" for number in range(count)],
        "stream": ["s"] * count,
        "time": pa.array([START] * count, TIME),
        "xml": ["<a><b/></a>"] * count,
    }
    return pa.RecordBatch.from_pydict(columns)


def found(url: str, version: int) -> set[str]:
    batches = stage(url, version)(iter([documents(1)]))
    return {id for batch in batches for id in batch.column("subscription").to_pylist()}


def test_a_worker_compiles_once_and_then_what_changed(url: str, compiled: list[str]) -> None:
    broker = Broker(store=url)
    broker.subscribe_many((f"s{number}", f"//a[{number}]") for number in range(1, 50))
    broker.subscribe("b", "//b")
    broker.unsubscribe("s1")
    compiled.clear()
    assert found(url, 1) == {"s1"}
    assert len(compiled) == 49
    compiled.clear()
    assert found(url, 1) == {"s1"}
    assert compiled == []
    assert found(url, 3) == {"b"}
    assert compiled == ["//b"]
    compiled.clear()
    assert found(url, 2) == {"s1", "b"}
    assert compiled == ["//a[1]"]


def test_large_batches_are_matched_in_bites(url: str) -> None:
    Broker(store=url).subscribe("b", "//b")
    batches = list(stage(url, 1)(iter([documents(1000), documents(0), documents(3)])))
    assert len(batches) > 2
    assert sum(batch.num_rows for batch in batches) == 1003


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such store"):
        list(stage(f"sqlite:///{tmp_path / 'none.db'}", 1)(iter([])))
    assert list(tmp_path.iterdir()) == []


def test_a_version_can_be_claimed_by_a_streaming_query_only(url: str) -> None:
    Broker(store=url).subscribe("b", "//b")
    with pytest.raises(StoreError, match="streaming query only"):
        list(stage(url, None)(iter([])))
