"""All paths of three steps, all conditions of two, and a share of those with predicates."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator

import pytest

from support import lxml_oracle
from support.enumeration import DOCUMENTS, conditions, paths_of_three, paths_of_two
from support.ways import compiled, run_chunked, run_whole

# 1 runs all of them; the default is a share that takes seconds. Odd, so that every step has its turn.
STRIDE = int(os.environ.get("PENSTOCK_ENUMERATION_STRIDE", "13"))
BATCH = 100

FAMILIES = {"paths of two": (paths_of_two, 7), "paths of three": (paths_of_three, 1), "conditions": (conditions, 1)}


def batches(family: str) -> Iterator[list[str]]:
    make, weight = FAMILIES[family]
    queries = itertools.islice(make(), 0, None, 1 if STRIDE == 1 else STRIDE * weight)
    while batch := list(itertools.islice(queries, BATCH)):
        yield batch


@pytest.mark.parametrize("family", FAMILIES)
def test_machine_evaluator_and_lxml_agree(family: str) -> None:
    trees = [lxml_oracle.parse(document) for document in DOCUMENTS]
    for batch in batches(family):
        programs = [compiled(query) for query in batch]
        evaluators = [compiled(query, machine=False) for query in batch]
        for document, tree in zip(DOCUMENTS, trees, strict=True):
            expected = run_whole(evaluators, document)
            alone = [run_whole([program], document)[0] for program in programs]
            together = run_chunked(programs, document, 3)
            for query, wanted, one, other in zip(batch, expected, alone, together, strict=True):
                assert one == wanted, query
                assert other == wanted, query
                if lxml_oracle.is_fair(query, document):
                    answer = lxml_oracle.ask(tree, query)
                    assert lxml_oracle.comparable(wanted, answer) == answer, query


def test_what_is_counted_is_what_is_delivered() -> None:
    """A condition that only a count waits for is decided in a way of its own."""
    for batch in batches("paths of two"):
        counts = [compiled(f"count({query})") for query in batch]
        evaluators = [compiled(query, machine=False) for query in batch]
        for document in DOCUMENTS:
            expected = [str(len(delivered)) for delivered in run_whole(evaluators, document)]
            for query, wanted, program in zip(batch, expected, counts, strict=True):
                assert [text for _, text, _ in run_whole([program], document)[0]] == [wanted], query
            together = run_chunked(counts, document, 3)
            assert [text for ((_, text, _),) in together] == expected


@pytest.mark.parametrize("make", [make for make, _ in FAMILIES.values()], ids=FAMILIES)
def test_no_query_twice(make: Callable[[], Iterator[str]]) -> None:
    queries = list(itertools.islice(make(), 20_000))
    assert len(set(queries)) == len(queries)
