"""Spoilt documents and queries: no panic, no hang, no growth, and the next good document is answered right.

PENSTOCK_FUZZ_CASES sets how many; `make fuzz` asks for a million.
"""

from __future__ import annotations

import gc
import logging
import os
import time
from pathlib import Path
from random import Random

import pytest

import penstock
from support.documents import make_document
from support.mutations import mutate_document, mutate_query
from support.queries import make_query
from support.vocabulary import NAMESPACES

CASES = int(os.environ.get("PENSTOCK_FUZZ_CASES", "4000"))
SLOWEST = 5.0
GROWTH = 64 << 20
GOOD = '<a x="1"><b>good</b><!--c--><a><b>better</b></a></a>'
STANDING = {"all": "//a[b]", "late": "//b[last()]", "above": "//b[ancestor::a[@x]]/text()", "number": "count(//b)"}

pytestmark = pytest.mark.fuzz


def resident_bytes() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Fails when one case takes too much processor time, or when memory grows beyond what the first cases needed."""

    def __init__(self) -> None:
        self.base = 0

    def case(self, number: int, cases: int, started: float, what: object) -> None:
        assert time.process_time() - started < SLOWEST, what
        if not Path("/proc/self/statm").exists():
            return
        if number == cases // 4:
            self.base = resident_bytes()
        if number == cases - 1:
            assert resident_bytes() - self.base < GROWTH


def test_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every refusal is logged, and pytest keeps what is logged.
    monkeypatch.setattr(logging.getLogger("penstock"), "disabled", True)
    random = Random(1)
    broker = penstock.Broker(namespaces=NAMESPACES, limits={"evaluation_steps": 10_000_000})
    for name, query in STANDING.items():
        broker.subscribe(name, query)
    for number in range(60):
        broker.subscribe(f"random {number}", make_query(random, extensions=True, namespace_axis=True))
    expected = [delivery.fragment for delivery in broker.publish(GOOD)]
    assert expected
    corpus = [make_document(random, nodes=30) for _ in range(50)]
    watch = Watch()
    for number in range(CASES):
        document = mutate_document(random, random.choice(corpus), corpus)
        started = time.process_time()
        if number % 4:
            broker.publish(document)
        else:
            publish_in_chunks(broker, document, random.choice((1, 3, 7, 64)))
        watch.case(number, CASES, started, document)
        if number % 8 == 0:
            assert [delivery.fragment for delivery in broker.publish(GOOD)] == expected, document
    assert broker.stats()["documents"] > CASES


def publish_in_chunks(broker: penstock.Broker, document: bytes, size: int) -> None:
    with broker.open() as feed:
        for start in range(0, len(document), size):
            if feed.closed:
                break
            feed.write(document[start : start + size])


def test_queries() -> None:
    random = Random(2)
    document = make_document(random, nodes=60)
    corpus = [make_query(random, extensions=True, namespace_axis=True) for _ in range(300)]
    answered = 0
    watch = Watch()
    for number in range(CASES):
        query = mutate_query(random, random.choice(corpus))
        started = time.process_time()
        try:
            penstock.evaluate(query, document, namespaces=NAMESPACES)
            answered += 1
        except (penstock.QueryError, penstock.DocumentError):
            pass
        watch.case(number, CASES, started, query)
    # Enough of them are queries still.
    assert answered > CASES // 20
