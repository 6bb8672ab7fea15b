"""FLWOR subscriptions in a broker with many: shapes, files, figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import Broker
from penstock.broker import registry

BOOKS = b"""<bib><book year="1994"><title>Sluices</title><price>65</price></book>
<book year="2000"><title>Tides</title><price>39.95</price></book></bib>"""


def many(broker: Broker, shape: str, count: int = 60) -> None:
    outcome = broker.subscribe_many([(str(n), shape.format(n)) for n in range(count)])
    assert outcome.rejected == ()


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ("for $b in //book where $b/price < {} return <c>{{$b/title}}</c>", [str(n) for n in range(40, 60)]),
        ("for $b in //book where $b/@year = '19{}' return $b/title", []),
        (
            'for $b in //book where $b/price > {} and $b/title = "Tides" return <c k="v">so</c>',
            [str(n) for n in range(40)],
        ),
        ("<r>{{for $b in //book where $b/price < {} return $b/title}}</r>", [str(n) for n in range(40, 60)]),
    ],
)
def test_queries_of_a_known_shape_are_not_compiled(
    shape: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}") for n in range(40)])
    compiled: list[Any] = []
    whole = registry.compiled
    monkeypatch.setattr(registry, "compiled", lambda one: compiled.append(one) or whole(one))
    many(broker, shape)
    # Two of them, and one with literals that no query has.
    assert len(compiled) == 3
    assert broker.matches(BOOKS) == found
    alone = Broker()
    for number in range(60):
        alone.subscribe("one", shape.format(number), replace=True)
        texts = [one.fragment for one in alone.publish(BOOKS)]
        assert [one.fragment for one in broker.publish(BOOKS) if one.subscription == str(number)] == texts


def test_a_literal_outside_the_conditions_is_part_of_the_shape() -> None:
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}") for n in range(40)])
    rows = [
        (f"{n}{k}", f"for $b in //book where $b/price < {n} return <c k='{k}'>{{$b/title}}</c>")
        for n in (50, 70)
        for k in "abab"
    ]
    for id, query in rows:
        broker.subscribe(id, query, replace=True)
    found = {(one.subscription, one.fragment.partition(">")[0]) for one in broker.publish(BOOKS)}
    assert found == {(f"{n}{k}", f'<c k="{k}"') for n in (50, 70) for k in "ab"}


@pytest.mark.parametrize(
    ("literal", "is_found"),
    [("'&#84;ides'", True), ("'Ti&#100;es'", True), ('"Tides"', True), ("'Tides&amp;'", False), ("''''", False)],
)
def test_references_in_literals_are_read(literal: str, is_found: bool) -> None:
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}") for n in range(40)])
    shape = "for $b in //book where $b/title = {} return <c>{{$b/title}}</c>"
    for n in range(4):
        broker.subscribe(str(n), shape.format(f"'x{n}'"))
    broker.subscribe("last", shape.format(literal))
    assert broker.matches(BOOKS) == ["last"] * is_found


def test_doubts_of_a_known_shape() -> None:
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}") for n in range(40)])
    many(broker, "for $b in //book where $b/price < {} return <c>{{$b/title}}</c>")
    assert broker.matches(b"<bib><book><price>2.5e1</price><title/></book></bib>") == [str(n) for n in range(26, 60)]
    assert broker.publish(b"<bib><book><price>?</price></book></bib>") == []
    assert broker.dead_letters.count == 60
    assert all("FORG0001" in letter.message for letter in broker.dead_letters)


def test_saved_and_loaded(tmp_path: Path) -> None:
    broker = Broker()
    many(broker, "for $b in //book where $b/price < {} return <c>{{$b/title}}</c>")
    numbers = "for $b in //book where number($b/price) < {} return <c>{{$b/title}}</c>"
    broker.subscribe_many([(f"number {n}", numbers.format(n)) for n in range(60)])
    broker.subscribe("parents", "//title/..[price > 50]")
    broker.subscribe("last", "(//title)[last()]")
    broker.subscribe("ordered", "for $b in //book order by $b/price return $b/title")
    broker.subscribe("first", "(for $b in //book return $b/title/string())[1]")
    broker.save(tmp_path / "file")
    loaded = Broker.load(tmp_path / "file")
    assert [(one.subscription, one.fragment) for one in loaded.publish(BOOKS)] == [
        (one.subscription, one.fragment) for one in broker.publish(BOOKS)
    ]
    assert loaded.matches(b"<bib><book><price>2e1</price><title/></book></bib>") == broker.matches(
        b"<bib><book><price>2e1</price><title/></book></bib>"
    )
    names = ("indexed", "templated", "verified", "streamed", "works", "holes")
    assert [loaded.stats()[name] for name in names] == [broker.stats()[name] for name in names]


def test_figures_say_who_is_exact_and_who_is_verified() -> None:
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}") for n in range(40)])
    broker.subscribe("exact", "for $b in //book where $b/title = 'Tides' return <c>{$b/title}</c>")
    broker.subscribe("same work", "for $x in //book where $x/price < 50 return <c>{$x/title}</c>")
    broker.subscribe("checked", "for $b in //book where $b/title eq 'Tides' return <c>{$b/title}</c>")
    broker.subscribe("positions", "//book[last()]")
    broker.subscribe("counted", "count(//book)")
    stats = broker.stats()
    assert {name: stats[name] for name in ("indexed", "templated", "verified", "streamed", "holes")} == {
        "indexed": 44,
        "templated": 2,
        "verified": 2,
        "streamed": 1,
        "holes": 1,
    }


def test_a_document_that_no_binding_is_in_costs_no_evaluation() -> None:
    broker = Broker(limits={"evaluation_steps": 40})
    many(broker, "for $b in //book where $b/title eq '{}' return <c>{{for $x in 1 to 1000000 return $x}}</c>")
    assert broker.publish(b"<bib>" + b"<article/>" * 1000 + b"</bib>") == []
    assert broker.dead_letters.count == 0
