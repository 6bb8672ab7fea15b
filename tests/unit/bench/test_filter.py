"""W2 on small data: what is measured, what is left out, which bars hold, and the figures in all three forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from penstock import Broker
from penstock.bench import filter as workload
from penstock.bench.filter_bars import bars
from penstock.bench.filter_changes import latencies, slowdown
from penstock.bench.filter_data import load_corpus
from penstock.bench.filter_plot import svg
from penstock.bench.filter_table import tables
from penstock.bench.filter_workloads import WORKLOADS, sizes, variations
from penstock.bench.lines import Chart, page

BY_NAME = {one.name: one for one in WORKLOADS}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    options = workload.Options(
        folder=tmp_path_factory.mktemp("no-data"),
        quick=True,
        rounds=1,
        most=100,
        datasets=("nitf", "rss"),
        kinds=("one predicate", "twigs"),
        varied=False,
    )
    return workload.run(options, lambda _text: None)


def test_generated_documents_where_real_ones_are_absent(report: dict[str, Any]) -> None:
    rows = report["rows"]
    assert [(row["dataset"], row["kind"], row["subscriptions"]) for row in rows] == [
        ("rss", "one predicate", 100),
        ("rss", "twigs", 100),
    ]
    assert {row["source"] for row in rows} == {"generated rss"}


def test_all_ways_are_measured_and_peers_agree(report: dict[str, Any]) -> None:
    for row in report["rows"]:
        assert set(row["speed"]) == {"ids", "shared", "exploded", "lxml", "saxon"}
        assert all(speed > 0 for speed in row["speed"].values())
        assert row["agree"]
        assert row["rejected"] == 0
        assert row["extrapolated_from"]["saxon"]["queries"] == 20
        assert 0 < row["match_rate"] < 0.2
        assert row["cold"]["documents"] == row["documents"] == 100
        assert row["cold"]["thousand_seconds"] > row["cold"]["seconds"] > 0
        assert row["warming_passes"] > 2


def test_changes_are_measured_where_the_workload_has_them(report: dict[str, Any]) -> None:
    one, twigs = report["rows"]
    assert "changes" not in twigs
    assert one["changes"]["subscribe_seconds"] > 0
    assert one["changes"]["throughput_left"] > 0


def test_threads_are_measured_on_every_set(report: dict[str, Any]) -> None:
    for row in report["rows"]:
        assert row["threads"]["number"] >= 1
        assert row["threads"]["speed_up"] > 0


def test_tables_and_plot(report: dict[str, Any]) -> None:
    titles = [str(table.title) for table in tables(report)]
    assert [title.split(";")[0].split(",")[0] for title in titles] == ["rss: generated rss", "rss: registration"]
    picture = ElementTree.fromstring(svg(report))
    assert len(picture.findall("{http://www.w3.org/2000/svg}g")) == 3


def row(**changed: Any) -> dict[str, Any]:
    """A row that holds every bar of 100,000 subscriptions."""
    figures: dict[str, Any] = {
        "subscriptions": 100_000,
        "speed": {"shared": 5.0, "lxml": 0.001},
        "match_rate": 0.005,
        "cold": {"documents": 500, "seconds": 0.3, "thousand_seconds": 0.4},
        "bytes_warm": 300.0,
        "registered_per_second": 200_000.0,
    }
    return figures | changed


def failing(kind: str, **changed: Any) -> set[str]:
    return {bar["what"] for bar in bars(BY_NAME[kind], row(**changed)) if not bar["passes"]}


def test_bars_hold_or_not() -> None:
    assert failing("one predicate") == set()
    assert failing("one predicate", speed={"shared": 0.8}) == {"x expat"}
    assert failing("one predicate", speed={"shared": 0.8}, match_rate=0.02) == set()
    assert failing("linear paths", speed={"shared": 3.9}, match_rate=0.9) == {"x expat"}
    assert failing("twigs", speed={"shared": 0.2}, match_rate=0.02) == {"x expat"}
    slow = {"documents": 500, "seconds": 0.5, "thousand_seconds": 0.6}
    assert failing("twigs", cold=slow) == {"cold seconds"}
    assert failing("twigs", cold=slow | {"thousand_seconds": None}) == set()
    assert failing("known shapes", subscriptions=1_000_000, bytes_warm=500) == {"bytes per subscription"}
    assert failing("one predicate", subscriptions=1_000_000, bytes_warm=500) == set()
    slowly = {"registered_per_second": 100_000, "bytes_warm": 300}
    assert failing("known shapes", subscriptions=1_000_000, **slowly) == {"registered per second"}
    assert failing("known shapes", subscriptions=10_000, **slowly) == set()
    assert failing("linear paths", subscriptions=10_000, speed={"shared": 5.0, "lxml": 0.01}) == {"x lxml loop"}
    changes = {"subscribe_seconds": 0.002, "unsubscribe_seconds": 0.002, "throughput_left": 0.7}
    assert failing("one predicate", changes=changes) == {
        "subscribe seconds",
        "unsubscribe seconds",
        "throughput left by changes",
    }


def test_changes_leave_the_subscriptions_as_they_were() -> None:
    broker = Broker()
    broker.subscribe("a", "//a")
    latencies(broker, [b"<a/>"], ["//b", "//c"])
    assert slowdown(broker, [b"<a/>"], ["//b"], seconds=0.05) > 0
    assert [one.id for one in broker.subscriptions()] == ["a"]


def test_sizes_go_as_far_as_the_bars() -> None:
    assert sizes(BY_NAME["linear paths"], quick=False) == [1_000, 10_000, 100_000, 200_000]
    assert sizes(BY_NAME["one predicate"], quick=False)[-1] == 1_000_000
    for one in WORKLOADS:
        assert set(one.speeds) <= set(sizes(one, quick=False))


def test_parameters_are_varied_one_at_a_time() -> None:
    counts: dict[str, int] = {}
    for variation in variations():
        counts[variation.parameter] = counts.get(variation.parameter, 0) + 1
    assert counts == {"P(*)": 6, "P(//)": 5, "length": 4, "nested paths": 4, "value predicates": 3}


def test_auctions_are_generated(tmp_path: Path) -> None:
    corpus = load_corpus("xmark", tmp_path, quick=True)
    assert corpus is not None
    assert [len(document) for document in corpus.documents] == pytest.approx([100_000, 100_000], rel=0.2)


def test_a_chart_keeps_its_points_inside() -> None:
    chart = Chart("cost", "subscriptions", {"one": [(1_000, 0.2), (1_000_000, 40.0)], "two": [(10_000, 3.0)]})
    picture = ElementTree.fromstring(page([chart, Chart("flat", "P(*)", {"one": [(0.1, 5.0)]}, log_x=False)]))
    circles = picture.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 4
    assert all(60 <= float(circle.attrib["cx"]) <= 410 for circle in circles)
    assert all(40 <= float(circle.attrib["cy"]) <= 262 for circle in circles)
