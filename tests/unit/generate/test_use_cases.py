"""Documents and FLWOR queries of XQuery's use cases: the sizes of the paper, valid structure, distinct queries."""

from __future__ import annotations

from collections import Counter

import pytest
from lxml import etree

import penstock
from penstock.generate.flwors import FlworParameters, flwors
from penstock.generate.schemas import SCHEMAS
from penstock.generate.use_cases import bib, book


def documents(name: str, count: int = 200) -> list[etree._Element]:
    make = bib if name == "bib" else book
    return [etree.fromstring("".join(make(seed=seed)).encode()) for seed in range(count)]


@pytest.mark.parametrize(("name", "elements"), [("bib", 149), ("book", 83)])
def test_sizes_are_those_of_the_paper(name: str, elements: int) -> None:
    counts = [sum(1 for _ in one.iter()) for one in documents(name)]
    assert sum(counts) / len(counts) == pytest.approx(elements, rel=0.05)


@pytest.mark.parametrize("name", SCHEMAS)
def test_documents_are_as_the_schema_says(name: str) -> None:
    schema = SCHEMAS[name]
    for one in documents(name, 30):
        assert one.tag == schema.root
        for element in one.iter():
            declared = schema.elements[str(element.tag)]
            assert {str(child.tag) for child in element} <= set(declared.children)
            assert set(element.attrib) <= set(declared.attributes)
            assert bool((element.text or "").strip()) == declared.has_text


def test_sections_are_at_most_four_within_each_other() -> None:
    deepest = max(len(list(one.iterancestors("section"))) for root in documents("book") for one in root.iter("section"))
    assert deepest == 3


def test_values_are_numbers_up_to_the_largest() -> None:
    texts = {one.text for root in documents("bib", 20) for one in root.iter("price")}
    assert texts == {str(number) for number in range(1, 11)}


@pytest.mark.parametrize("name", SCHEMAS)
def test_queries_are_distinct_and_give_something(name: str) -> None:
    made = list(flwors(SCHEMAS[name], FlworParameters(number=500, returns=3)))
    assert len(set(made)) == 500
    assert max(Counter(query.partition(" where ")[0] for query in made).values()) < 400
    document = etree.tostring(documents(name, 1)[0])
    assert sum(bool(penstock.evaluate(query, document)) for query in made) > 10


def test_the_same_seed_gives_the_same_queries() -> None:
    one, again, other = (list(flwors(parameters=FlworParameters(number=50, seed=seed))) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_fewer_where_there_are_not_so_many() -> None:
    wanted = FlworParameters(number=10_000, depth=2, returns=1, inner_depth=1, closure=0, max_value=1)
    assert 0 < len(list(flwors(SCHEMAS["bib"], wanted))) < 100
