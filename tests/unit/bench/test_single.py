"""W1 on small data: every engine gives the same number of results, figures come out in all three forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from penstock.bench import single
from penstock.bench.data import data_order, load, result_size
from penstock.bench.plot import svg
from penstock.bench.table import tables
from penstock.bench.workloads import CASES


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("no-data")
    options = single.Options(folder=folder, quick=True, rounds=1, datasets=("colours", "order"))
    return single.run(options, lambda _text: None)


def test_all_engines_agree(report: dict[str, Any]) -> None:
    assert len(report["rows"]) == 6
    for row in report["rows"]:
        assert row["agree"], row["query"]
        assert set(row["speed"]) == {"whole", "chunks", "lxml", "saxon"}
        assert all(speed > 0 for speed in row["speed"].values())
        assert row["peak_bytes"]["stream"] > 0


def test_result_counts_are_those_of_the_data(report: dict[str, Any]) -> None:
    results = {row["query"]: row["results"] for row in report["rows"]}
    colours = result_size(1_000_000)
    assert results["/a/red"] == colours.count("<red>")
    assert results["/a/blue"] == colours.count("<blue>")
    assert results["/data/A[@id=0]"] == results["/data/A[prior=0]"] == results["/data/A[posterior=0]"] == 0


def test_plot_is_well_formed_and_names_every_query(report: dict[str, Any]) -> None:
    picture = ElementTree.fromstring(svg(report))
    titles = {title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")}
    assert titles == {row["query"] for row in report["rows"]}


def test_one_table_per_data_set(report: dict[str, Any]) -> None:
    assert [str(table.title).split(":")[0] for table in tables(report)] == ["order", "colours"]


def test_data_order_has_the_deciding_children_in_their_places() -> None:
    tree = ElementTree.fromstring(data_order(200_000))
    assert len(tree) == 128
    assert all(element[0].tag == "prior" and element[-1].tag == "posterior" for element in tree)


def test_real_data_that_is_absent_is_left_out(tmp_path: Path) -> None:
    assert load("shakespeare", tmp_path, quick=True) is None
    loaded = load("xmark", tmp_path, quick=True)
    assert loaded is not None
    assert loaded[1] == "generated xmark"


def test_every_data_set_has_several_kinds_of_queries() -> None:
    for dataset in {case.dataset for case in CASES}:
        assert len({case.kind for case in CASES if case.dataset == dataset}) >= 3


def test_the_bar_follows_from_the_query_and_its_output(report: dict[str, Any]) -> None:
    bars = {row["query"]: row["bar"] for row in report["rows"]}
    assert bars["/data/A[@id=0]"] == bars["/data/A[posterior=0]"] == 2.5
    assert bars["/a/red"] == bars["/a/blue"] == 1.0
