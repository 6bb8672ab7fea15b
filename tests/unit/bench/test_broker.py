"""W3 on few subscriptions: what is measured, whether all agree, which bars hold, and the figures in all forms."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from penstock.bench import broker as workload
from penstock.bench.broker_bars import bars
from penstock.bench.broker_plot import svg
from penstock.bench.broker_table import tables
from penstock.bench.broker_workloads import EXPERIMENTS, quickened


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    options = workload.Options(documents=5, rounds=1, most=60, figures=(8, 12))
    return workload.run(options, lambda _text: None)


def test_rows_are_the_points_of_the_figures(report: dict[str, Any]) -> None:
    points = [(row["figure"], row["dataset"], row["value"], row["subscriptions"]) for row in report["rows"]]
    assert points == [(8, "bib", 1, 60), (8, "bib", 2, 60), (8, "bib", 3, 60), (12, "book", 60, 60)]


def test_all_agree_and_every_subscription_is_templated(report: dict[str, Any]) -> None:
    for row in report["rows"]:
        assert row["agree"], row
        assert (row["rejected"], row["templated"], row["streamed"]) == (0, 60, 0)
        assert row["whole_ms"] > 0
        assert min(row["match_ms"], row["construct_ms"]) >= 0
    assert set(report["rows"][-1]["peers"]) == {"one by one", "saxon"}
    assert report["rows"][1]["peers"] == {}


def test_forms(report: dict[str, Any]) -> None:
    assert [table.row_count for table in tables(report)] == [3, 1, len(report["bars"])]
    texts = [one.text for one in ElementTree.fromstring(svg(report)).iter("{http://www.w3.org/2000/svg}text")]
    assert "figure 8: bib, ms a message" in texts


def test_bars() -> None:
    def row(figure: int, value: float, match: float) -> dict[str, Any]:
        peers = {"one by one": {"ms": 5_000.0}}
        figures = {"match_ms": match, "whole_ms": 4.0, "reference_ms": 2 * match, "subscriptions": value}
        return {"figure": figure, "value": value, "varied": "return paths", "peers": peers, **figures}

    rows = [row(12, 10_000, 0.1), row(12, 100_000, 0.5), row(9, 1, 1.0), row(9, 4, 1.5)]
    assert [(bar["what"], bar["value"], bar["passes"]) for bar in bars(rows)] == [
        ("x one by one, delivered", 1250.0, True),
        ("x one by one, by reference", 5000.0, True),
        ("ms by reference at 100,000", 1.0, True),
        ("match and group, 100,000 to 10,000", 5.0, False),
        ("match and group, 4 to 1 return paths", 1.5, True),
    ]


def test_sizes_are_those_of_the_paper() -> None:
    numbers = {one.figure: [wanted.number for _, wanted in one.points] for one in EXPERIMENTS}
    assert (numbers[7], numbers[11][-1], numbers[12][-1]) == ([5_000], 40_000, 100_000)
    assert [value for value, _ in quickened(EXPERIMENTS[-1], 20_000).points] == [10_000, 20_000]
