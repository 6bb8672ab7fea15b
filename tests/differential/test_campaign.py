"""Seeded campaigns: larger documents and whole sets of queries, every way of running them compared.

PENSTOCK_CAMPAIGN_SEEDS makes them longer, PENSTOCK_CAMPAIGN_START moves them to other seeds.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from support import lxml_oracle, saxon_oracle
from support.documents import make_document
from support.queries import make_query
from support.ways import compiled, in_document_order, run_chunked, run_indexed, run_whole

START = int(os.environ.get("PENSTOCK_CAMPAIGN_START", "0"))
SEEDS = int(os.environ.get("PENSTOCK_CAMPAIGN_SEEDS", "60"))
SIZES = (1, 3, 7, 64)


def seeds(share: float = 1) -> range:
    return range(START, START + max(1, int(SEEDS * share)))


def case(seed: int, queries: int, **wanted: bool) -> tuple[bytes, list[str]]:
    random = Random(seed)
    document = make_document(random, nodes=random.choice((6, 20, 60, 200)))
    return document, [make_query(random, **wanted) for _ in range(queries)]


def explain(seed: int, query: str, document: bytes) -> str:
    return f"seed {seed}: {query}\n{document.decode()}"


def test_every_way_of_running_a_set() -> None:
    for seed in seeds():
        document, texts = case(seed, Random(seed).choice((1, 5, 40, 200)), extensions=True, namespace_axis=True)
        programs = [compiled(text) for text in texts]
        expected = run_whole([compiled(text, machine=False) for text in texts], document)
        size = SIZES[seed % len(SIZES)]
        ways = {
            "in one set": run_whole(programs, document),
            "in an index": run_indexed(programs, document),
            "alone": [run_whole([program], document)[0] for program in programs],
            f"in chunks of {size}": run_chunked(programs, document, size),
            f"alone in chunks of {size}": [run_chunked([program], document, size)[0] for program in programs],
            "unordered": [in_document_order(found) for found in run_chunked(programs, document, size, ordered=False)],
        }
        for way, found in ways.items():
            for text, got, wanted in zip(texts, found, expected, strict=True):
                assert got == wanted, f"{way}, {explain(seed, text, document)}"


def test_lxml() -> None:
    for seed in seeds():
        document, texts = case(seed, 40, absolute=True)
        tree = lxml_oracle.parse(document)
        for text, delivered in zip(texts, run_whole([compiled(text) for text in texts], document), strict=True):
            if lxml_oracle.is_fair(text, document):
                answer = lxml_oracle.ask(tree, text)
                assert lxml_oracle.comparable(delivered, answer) == answer, explain(seed, text, document)


@pytest.mark.slow
def test_saxon() -> None:
    saxon = saxon_oracle.Saxon()
    for seed in seeds(0.5):
        document, texts = case(seed, 40, extensions=True)
        tree = saxon.parse(document)
        for text, delivered in zip(texts, run_whole([compiled(text) for text in texts], document), strict=True):
            answer = saxon.ask(tree, text) if saxon_oracle.is_fair(text) else None
            if answer is not None:
                assert saxon_oracle.comparable(delivered, answer) == answer, explain(seed, text, document)
