"""Generated queries: seeded, parsable, of the kind asked for, and about something that occurs."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

import penstock
from penstock.generate import recursive, rss, xmark
from penstock.generate.dtd import from_dtd
from penstock.generate.observe import from_documents
from penstock.generate.queries import Parameters, queries
from penstock.generate.structure import Structure
from penstock.syntax import ast
from penstock.syntax.xpath import parse

DOCUMENTS = {
    "xmark": "".join(xmark(size=200_000)).encode(),
    "rss": "".join(rss(size=50_000)).encode(),
    "recursive": "".join(recursive(size=20_000, depth=9)).encode(),
}
BIB = """
<!ELEMENT bib (book*)><!ELEMENT book (title, (author+ | editor+), publisher?, price)>
<!ATTLIST book year CDATA #REQUIRED kind (paper | bound) "paper"><!ELEMENT title (#PCDATA)>
<!ELEMENT author (last, first)><!ELEMENT editor (last, first, affiliation)><!ELEMENT last (#PCDATA)>
<!ELEMENT first (#PCDATA)><!ELEMENT affiliation (#PCDATA)><!ELEMENT publisher (#PCDATA)><!ELEMENT price (#PCDATA)>
"""
RICH = Parameters(
    number=500, nested=(0, 3), predicates=(0, 2), number_share=0.2, contains_share=0.2, starts_share=0.1, zipf=1.0
)


@pytest.fixture(scope="module", params=DOCUMENTS)
def structure(request: pytest.FixtureRequest) -> Structure:
    return from_documents([DOCUMENTS[request.param]])


@pytest.fixture(scope="module")
def auctions() -> Structure:
    return from_documents([DOCUMENTS["xmark"]])


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    file = tmp_path / "bib.dtd"
    file.write_text(BIB)
    return file


def made(structure: Structure, **parameters: object) -> list[str]:
    return list(queries(structure, replace(Parameters(number=300), **parameters)))  # type: ignore[arg-type]


def main_steps(query: str) -> list[str]:
    """The steps of the path itself: predicates go first, from the inside out."""
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", query)) != query:
        query = shorter
    return re.findall(r"//?[^/]+", query)


def test_same_seed_gives_same_queries(structure: Structure) -> None:
    assert list(queries(structure, RICH)) == list(queries(structure, RICH))
    assert list(queries(structure, RICH)) != list(queries(structure, replace(RICH, seed=1)))


def test_queries_do_not_change_between_versions(auctions: Structure) -> None:
    """Two people who compare figures must have measured the same queries."""
    digest = hashlib.sha256("\n".join(queries(auctions, RICH)).encode()).hexdigest()
    assert digest[:16] == "02790024cd9666f0"


def test_every_query_parses_and_is_there_once(structure: Structure) -> None:
    texts = list(queries(structure, RICH))
    assert len(set(texts)) == len(texts) == 500
    for text in texts:
        assert isinstance(parse(text), ast.Path), text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_of_samples_match_the_samples(name: str) -> None:
    structure = from_documents([DOCUMENTS[name]])
    broker = penstock.Broker(namespaces=structure.namespaces, mode="FAILFAST")
    texts = made(structure, wildcard=0.2, closure=0.4)
    assert not broker.subscribe_many((text, text) for text in texts).rejected
    assert set(broker.matches(DOCUMENTS[name])) == set(texts)


def test_a_predicate_asks_for_what_occurs(auctions: Structure) -> None:
    tree = etree.fromstring(DOCUMENTS["xmark"])
    texts = made(auctions, predicates=(1, 1), number_share=0.2, contains_share=0.3, starts_share=0.2)
    assert sum(bool(tree.getroottree().xpath(text)) for text in texts) > 0.9 * len(texts)


def test_length_is_in_its_range(auctions: Structure) -> None:
    lengths = {len(main_steps(text)) for text in made(auctions, length=(2, 4), nested=(0, 2), predicates=(0, 2))}
    assert lengths == {2, 3, 4}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_wildcards_and_closures_have_their_shares(auctions: Structure, share: float) -> None:
    steps = [
        step
        for text in made(auctions, number=3_000, wildcard=share, closure=share, distinct=False)
        for step in main_steps(text)
    ]
    assert sum(step.endswith("*") for step in steps) / len(steps) == pytest.approx(share, abs=0.04)
    assert sum(step.startswith("//") for step in steps) / len(steps) == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_nested_paths_are_counted(auctions: Structure, count: int) -> None:
    for text in made(auctions, nested=(count, count), nested_length=(1, 1)):
        assert text.count("[") == count, text


@pytest.mark.parametrize("count", [0, 1, 2])
def test_value_predicates_are_counted(structure: Structure, count: int) -> None:
    for text in made(structure, predicates=(count, count)):
        path = parse(text)
        assert isinstance(path, ast.Path)
        assert sum(len(step.predicates) for step in path.steps) == count, text


def test_kinds_of_predicates_have_their_shares(auctions: Structure) -> None:
    texts = made(
        auctions,
        number=2_000,
        predicates=(1, 1),
        number_share=0.3,
        contains_share=0.2,
        starts_share=0.1,
        distinct=False,
    )
    shares = {mark: sum(mark in text for text in texts) / len(texts) for mark in ("contains(", "starts-with(")}
    assert shares == {"contains(": pytest.approx(0.2, abs=0.04), "starts-with(": pytest.approx(0.1, abs=0.03)}
    assert sum(bool(re.search(r" [<>]=? -?\d", text)) for text in texts) / len(texts) == pytest.approx(0.3, abs=0.04)


def test_skew_makes_frequent_constants_more_frequent() -> None:
    document = b"<a>" + b"".join(b"<b>%d</b>" % (number % 50 if number % 3 else 7) for number in range(500)) + b"</a>"
    structure = from_documents([document])
    shares = [
        sum("'7'" in text for text in made(structure, predicates=(1, 1), distinct=False, zipf=zipf, number=1_000))
        for zipf in (0.0, 0.8, 1.6)
    ]
    assert shares[0] * 4 < shares[1] < shares[2]


def test_shapes_are_limited(auctions: Structure) -> None:
    texts = made(auctions, number=200, predicates=(1, 1), shapes=20)
    assert len(set(texts)) == 200
    assert len({re.sub(r"'[^']*'|\"[^\"]*\"", "?", text) for text in texts}) == 20


def test_duplicates_are_left_in_when_asked_for(bib: Path) -> None:
    texts = made(from_dtd(bib), length=(1, 2), distinct=False)
    assert len(texts) == 300
    assert len(set(texts)) < 100


def test_ends_when_there_are_no_others(bib: Path) -> None:
    texts = made(from_dtd(bib), length=(2, 2), wildcard=0, closure=0)
    assert texts == ["/bib/book"]


def test_refuses_what_the_structure_does_not_have(bib: Path) -> None:
    with pytest.raises(ValueError, match="more than the structure has"):
        made(from_dtd(bib), length=(9, 9))


def test_constants_of_a_dtd_are_its_own_or_those_of_documents(bib: Path) -> None:
    kinds = {text for text in made(from_dtd(bib), predicates=(1, 1)) if "@kind" in text}
    assert all("'paper'" in text or "'bound'" in text for text in kinds)
    documents = [b"<bib><book year='1999'><title>Streams</title></book></bib>"]
    texts = made(from_dtd(bib, documents), predicates=(1, 1))
    assert set(re.findall(r"'([^']*)'", " ".join(texts))) == {"1999", "Streams"}


def test_a_dtd_needs_its_root(bib: Path) -> None:
    assert {main_steps(text)[0] for text in made(from_dtd(bib, root="author"), closure=0, wildcard=0)} == {"/author"}
    with pytest.raises(ValueError, match="no element 'film'"):
        from_dtd(bib, root="film")


def test_each_namespace_has_a_prefix_of_its_own() -> None:
    documents = [b"<a xmlns='urn:1'><p:b xmlns:p='urn:2'/></a>", b"<p:b xmlns:p='urn:3' p:c='1'/>"]
    structure = from_documents(documents)
    assert sorted(structure.namespaces.values()) == ["urn:1", "urn:2", "urn:3"]
    assert structure.namespaces["p"] == "urn:2"
    broker = penstock.Broker(namespaces=structure.namespaces)
    texts = made(structure, closure=0, wildcard=0, number=10)
    assert not broker.subscribe_many((text, text) for text in texts).rejected
    assert {id for document in documents for id in broker.matches(document)} == set(texts)
