"""W7 on a little data: all ways deliver the same, figures come out in all three forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from penstock import Broker
from penstock.bench.spark_data import FEW, FILES, make_workload
from penstock.bench.spark_table import tables
from penstock.cli import main

DOCUMENTS, SUBSCRIPTIONS = 40, 150


def test_documents_and_subscriptions_are_what_they_should_be(tmp_path: Path) -> None:
    workload, again = (make_workload(tmp_path / name, DOCUMENTS, SUBSCRIPTIONS) for name in ("a", "b"))
    assert workload.texts() == again.texts()
    assert workload.many.queries == again.many.queries
    assert len(workload.tables) == FILES
    assert workload.documents == len(workload.texts()) == DOCUMENTS
    assert 8_500 < sum(map(len, workload.texts())) / DOCUMENTS < 11_500
    assert len(set(workload.many.queries)) == SUBSCRIPTIONS
    assert workload.few.queries == workload.many.queries[:FEW]
    broker = Broker(store=workload.many.url)
    matching = sum(len(broker.matches(text)) for text in workload.texts())
    assert 0 < matching < DOCUMENTS * SUBSCRIPTIONS / 20


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """What the command prints and draws."""
    picture = tmp_path_factory.mktemp("bench") / "spark.svg"
    size = ["--documents", str(DOCUMENTS), "--subscriptions", str(SUBSCRIPTIONS), "--rounds", "1"]
    done = CliRunner().invoke(main, ["bench", "spark", "--json", "--plot", str(picture), *size])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), picture.read_text(encoding="utf-8")


@pytest.mark.slow
def test_all_ways_are_measured_and_deliver_the_same(output: tuple[dict[str, Any], str]) -> None:
    report, _ = output
    assert report["agreement"] == {"local[1]": True, "local[2]": True, "xpath_boolean": True}
    assert report["deliveries"] > 0
    ways = {(row["subscriptions"], row["kind"], row["engine"]) for row in report["rows"]}
    assert ways == {
        *((150, "batch", engine) for engine in ("embedded", "embedded, in memory")),
        *((150, kind, engine) for kind in ("batch", "stream") for engine in ("local[1]", "local[2]")),
        *((100, "batch", engine) for engine in ("embedded", "embedded, in memory", "local[1]", "xpath_boolean")),
    }
    assert all(row["seconds"] > 0 and row["cold_seconds"] > 0 for row in report["rows"])
    assert [row["engine"] for row in report["rows"] if row["is_extrapolated"]] == []
    assert [bar["bar"] for bar in report["bars"]] == [1.6, 1.6, 0.5, 150]
    assert set(report["session_start_seconds"]) == {"local[1]", "local[2]"}


@pytest.mark.slow
def test_tables_and_picture_have_them_all(output: tuple[dict[str, Any], str]) -> None:
    report, picture = output
    ways, bars = tables(report)
    assert ways.row_count == len(report["rows"])
    assert bars.row_count == len(report["bars"]) + len(report["agreement"])
    labels = {text.text for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")}
    assert {"batch", "stream", "Spark's xpath_boolean", "penstock, embedded"} <= labels
