"""Very many subscriptions: they reach the workers, give what the embedded broker gives, and come back quickly."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from pyspark.sql import Observation, SparkSession

from penstock import Broker
from penstock.bench.spark_data import made_documents
from penstock.generate.observe import from_documents
from penstock.generate.queries import Parameters, queries
from penstock.spark import publish
from penstock.store import SubscriptionRow, open_store, subscribing
from spark.crashing import python_workers
from spark.frames import DOCUMENTS, START, Document, embedded, frame, rows_of, run, write_files

SHAPES = 200
STREAMS = (None, None, None, "news", "shop")
START_SECONDS, RESTART_SECONDS = 120, 1
_log = logging.getLogger(__name__)


@pytest.fixture(scope="module")
def sample() -> list[Document]:
    texts = list(islice(made_documents(), 150))
    return [(f"d{number}", ("shop", "news")[number % 2], START, text) for number, text in enumerate(texts)]


def some_rows(sample: list[Document], count: int, seed: int = 0) -> Iterator[SubscriptionRow]:
    """Queries of a few shapes that ask for values of the sample, each of a few documents."""
    structure = from_documents((xml or "").encode() for _, _, _, xml in sample)
    parameters = Parameters(
        count, length=(2, 6), predicates=(1, 1), min_values=50, distinct=False, shapes=SHAPES, seed=seed
    )
    for number, query in enumerate(queries(structure, parameters)):
        stream, subscriber = STREAMS[number % len(STREAMS)], ("ann", None)[number % 2]
        deliver = "document" if number % 7 == 0 else "item"
        yield SubscriptionRow(f"{seed}-{number}", query, "xpath", stream=stream, subscriber=subscriber, deliver=deliver)


def make_store(path: Path, sample: list[Document], count: int) -> str:
    with open_store(f"sqlite:///{path}") as store:
        store.apply([subscribing(row) for row in some_rows(sample, count)])
        return store.url


@pytest.mark.slow
def test_a_hundred_thousand_give_what_the_embedded_broker_gives(
    spark: SparkSession, tmp_path: Path, sample: list[Document]
) -> None:
    """As a snapshot, of a store, and of a store that is changed while a stream is read."""
    url = make_store(tmp_path / "subs.db", sample, 100_000)
    broker = Broker(store=url)
    assert broker.rejected == []
    documents = sample[:10]
    expected = embedded(broker, documents)
    assert len(expected) > 1000
    broker.save(tmp_path / "subs")
    for subscriptions in (url, Broker.load(tmp_path / "subs")):
        assert rows_of(publish(frame(spark, documents, 2), subscriptions)) == expected

    write_files(tmp_path / "in", documents[:5], 3)
    stream = spark.readStream.schema(DOCUMENTS).json(str(tmp_path / "in"))
    found = publish(stream, url)
    run(found, tmp_path / "out", tmp_path / "checkpoint")
    expected = embedded(broker, documents[:5])
    broker.subscribe_many(row._asdict() for row in some_rows(sample, 500, seed=1))
    for number in range(0, 100_000, 1000):
        broker.unsubscribe(f"0-{number}")
    write_files(tmp_path / "in", documents[5:], 3)
    run(found, tmp_path / "out", tmp_path / "checkpoint")
    expected |= embedded(broker, documents[5:])
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == expected


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(100_000, marks=pytest.mark.slow),
        pytest.param(1_000_000, marks=[pytest.mark.soak, pytest.mark.timeout(900)]),
    ],
)
def test_they_start_soon_and_a_new_worker_is_ready_at_once(
    spark: SparkSession, tmp_path: Path, sample: list[Document], count: int
) -> None:
    url = make_store(tmp_path / "subs.db", sample, count)
    began = time.monotonic()
    assert publish(frame(spark, sample[:2], 2), url).count() > 0
    started = time.monotonic() - began
    broker = Broker(store=url)
    ready = []
    for document in sample[2:5]:
        for pid in python_workers(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        observation = Observation()
        found = publish(frame(spark, [document]), broker, metrics=observation)
        assert rows_of(found) == embedded(broker, [document])
        ready.append(observation.get["loading_seconds"])
    _log.info("%d subscriptions: started in %.1f s, new workers ready in %s s", count, started, ready)
    assert started < START_SECONDS
    assert 0 < min(ready) < RESTART_SECONDS
