"""Queries and documents generated together: lxml and Saxon must say the same."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from support import lxml_oracle, saxon_oracle
from support.strategies import documents, examples, queries
from support.ways import compiled, run_whole


@examples(500)
@given(documents(), queries(absolute=True))
def test_lxml_agrees(document: bytes, query: str) -> None:
    assume(lxml_oracle.is_fair(query, document))
    answer = lxml_oracle.ask(lxml_oracle.parse(document), query)
    (delivered,) = run_whole([compiled(query)], document)
    assert lxml_oracle.comparable(delivered, answer) == answer


@pytest.fixture(scope="module")
def saxon() -> saxon_oracle.Saxon:
    return saxon_oracle.Saxon()


@examples(300)
@given(documents(), queries(extensions=True))
def test_saxon_agrees(saxon: saxon_oracle.Saxon, document: bytes, query: str) -> None:
    assume(saxon_oracle.is_fair(query))
    answer = saxon.ask(saxon.parse(document), query)
    assume(answer is not None)
    (delivered,) = run_whole([compiled(query)], document)
    assert answer is not None
    assert saxon_oracle.comparable(delivered, answer) == answer
