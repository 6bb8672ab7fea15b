"""However a query is run, it delivers the same, byte for byte."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.strategies import documents, examples, queries
from support.ways import compiled, in_document_order, run_chunked, run_whole

CHUNKS = st.sampled_from((1, 3, 7, 64))


@examples(600)
@given(documents(), queries(extensions=True))
def test_machine_and_evaluator(document: bytes, query: str) -> None:
    assert run_whole([compiled(query)], document) == run_whole([compiled(query, machine=False)], document)


@examples(300)
@given(documents(), queries(extensions=True), CHUNKS)
def test_whole_and_chunked(document: bytes, query: str, size: int) -> None:
    program = [compiled(query)]
    whole = run_whole(program, document)
    assert run_chunked(program, document, size) == whole
    unordered = run_chunked(program, document, size, ordered=False)
    assert [in_document_order(delivered) for delivered in unordered] == whole


@examples(100)
@given(documents(), st.lists(queries(extensions=True), min_size=2, max_size=12), CHUNKS)
def test_together_and_alone(document: bytes, texts: list[str], size: int) -> None:
    programs = [compiled(text) for text in texts]
    alone = [run_whole([program], document)[0] for program in programs]
    assert run_whole(programs, document) == alone
    assert run_chunked(programs, document, size) == alone
