"""However a query is run, it delivers the same, byte for byte."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from support.strategies import documents, examples, paths, queries
from support.ways import compiled, in_document_order, run_chunked, run_whole, running

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


@examples(200)
@given(documents(), st.sampled_from(("count", "sum", "avg", "min", "max")), paths(), CHUNKS)
def test_running_values_end_at_the_final_one(document: bytes, function: str, path: str, size: int) -> None:
    query = f"{function}({path})"
    (values,) = run_chunked([running(query)], document, size, ordered=False)
    (final,) = run_whole([compiled(query)], document)
    assert values[-1:] == [] or values[-1][1] == final[0][1]
    assert values or not final or final[0][1] == "0"
    # Each is another than the one before.
    assert all(one[1] != other[1] for one, other in itertools.pairwise(values))
