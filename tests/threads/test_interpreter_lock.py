"""The lock of the interpreter is released while the engine works."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from penstock import Broker

FAR = 200_000
"""Tens of milliseconds: more than the turns that a thread gets before the lock is taken and after it."""
ITEMS = b"<item><quantity>7</quantity><name>pen</name></item>" * 120_000


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.subscribe_many((str(number), f"//item[quantity = {number + 10}]/name") for number in range(50))
    return broker


@pytest.fixture(autouse=True)
def _short_turns() -> Iterator[None]:
    # While the lock is held no one counts; before and after it a turn must be too short to count far.
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def counted_during(work: Callable[[], object]) -> int:
    """How far this thread counts while another one works."""
    begun, done = threading.Event(), threading.Event()

    def run() -> None:
        begun.set()
        work()
        done.set()

    worker = threading.Thread(target=run)
    worker.start()
    begun.wait()
    count = 0
    while not done.is_set():
        count += 1
    worker.join()
    return count


def test_while_a_document_is_matched(broker: Broker) -> None:
    assert counted_during(lambda: broker.publish(b"<list>" + ITEMS + b"</list>")) > FAR
    assert broker.dead_letters.count == 0


def test_while_a_chunk_is_matched(broker: Broker) -> None:
    feed = broker.open()
    feed.write(b"<list>")
    assert counted_during(lambda: feed.write(ITEMS)) > FAR
