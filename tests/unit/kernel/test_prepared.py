"""Compiled queries that wait to be added take fewer bytes than programs, and mean the same."""

import pytest

from penstock.kernel.compile import compile_query
from penstock.kernel.engine import Subscriptions, make_engine

QUERIES = (
    "//a",
    "/r/*[@k = 'x']//b",
    "//a[b > 2][not(c)]",
    "//a[b[2] or contains(c, 'é')]/@k",
    "//b | //c[. != '']",
    "//b/ancestor::a",
    "count(//b) > 3",
    "for $a in //a where $a/b = 1 return <found>{$a/b}</found>",
)
DOCUMENTS = (
    "<r><a k='x'><b>1</b><b>3</b></a></r>",
    "<r><a><c>café</c></a><b>1</b><b/><b/><b/></r>",
    "<c>1</c>",
)


@pytest.mark.parametrize("few", [0, 32])
def test_a_prepared_query_matches_as_its_program_does(few: int) -> None:
    programs = [compile_query(query).native for query in QUERIES]
    given = [(str(place), query, None, None, 0, False) for place, query in enumerate(QUERIES)]
    whole, prepared = Subscriptions(few), Subscriptions(few)
    assert whole.change([], list(zip(given, programs, strict=True))) == []
    ready = [prepared.prepare(program) for program in programs]
    assert prepared.change([], list(zip(given, ready, strict=True))) == []
    assert prepared.all() == whole.all()
    engine = make_engine()
    found = [engine.matching_ids(prepared, document, "default") for document in DOCUMENTS]
    assert found == [engine.matching_ids(whole, document, "default") for document in DOCUMENTS]
    assert {id for ids in found for id in ids} == {one[0] for one in given}


def test_queries_prepared_for_few_are_added_to_many() -> None:
    subscriptions = Subscriptions(2)
    given = [(str(place), query, None, None, 0, False) for place, query in enumerate(QUERIES)]
    early = subscriptions.prepare(compile_query(QUERIES[0]).native)
    subscriptions.announce(len(given))
    late = [subscriptions.prepare(compile_query(query).native) for query in QUERIES[1:]]
    assert subscriptions.change([], list(zip(given, [early, *late], strict=True))) == []
    assert make_engine().matching_ids(subscriptions, DOCUMENTS[2], "default") == ["4"]
