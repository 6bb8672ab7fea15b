"""FLWORs and documents generated together: Saxon must say the same."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conformance.running import query, run
from penstock.syntax.xquery.printer import to_text
from penstock.syntax.xquery.prolog import parse
from support.canonical import canonical
from support.flwors import make_flwor
from support.library import make_library
from support.saxon_xquery import SaxonXQuery
from support.strategies import examples

RANDOMS = st.randoms(use_true_random=False)


@pytest.fixture(scope="module")
def saxon() -> SaxonXQuery:
    return SaxonXQuery()


@examples(300)
@given(RANDOMS.map(make_flwor))
def test_a_printed_query_is_the_same_query(text: str) -> None:
    tree = parse(text)
    assert parse(to_text(tree)) == tree


@examples(600)
@given(RANDOMS.map(make_library), RANDOMS.map(make_flwor))
def test_saxon_agrees(saxon: SaxonXQuery, document: bytes, text: str) -> None:
    answer = saxon.ask(saxon.parse(document), text)
    # What Saxon finds an error in, another order of evaluation may not.
    assume(answer is not None)
    (outcome,) = run("whole", document, [query(text, {}, "xquery")])
    assert not isinstance(outcome, str), outcome
    assert [(kind, canonical(kind, fragment)) for kind, fragment in outcome] == answer


@examples(100)
@given(RANDOMS.map(make_library), st.lists(RANDOMS.map(make_flwor), min_size=2, max_size=5))
def test_chunks_and_company_change_nothing(document: bytes, texts: list[str]) -> None:
    queries = [query(text, {}, "xquery") for text in texts]
    assert run("linked", document, queries) == run("whole", document, queries)
    assert run("chunks of 7", document, queries) == run("whole", document, queries)
