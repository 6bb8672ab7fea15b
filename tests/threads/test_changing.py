"""Subscriptions come and go while documents are published."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from random import Random

import pytest

from penstock import Broker

WORDS = ("pen", "ink", "map", "cup", "key")


def query(number: int) -> str:
    """Some thirty shapes, many constants."""
    shapes = (
        f"//item[name = 'n{number}']/price",
        f"/list/item[@id = '{number}']",
        f"//item[price > {number % 50}][name = 'n{number % 200}']",
        f"/list//item[contains(name, 'n{number}')]/name/text()",
        f"//item[not(sold) and price <= {number % 30}]/@id",
        f"/list/item/name[. = 'n{number}']",
        f"//{WORDS[number % 5]}{number % 40}[x = 'n{number}']",
        f"/list/item[w{number % 97}]/name",
    )
    return shapes[number % len(shapes)]


def document(random: Random) -> str:
    items = "".join(
        f"<item id='{random.randrange(400)}'><name>n{random.randrange(400)}</name><price>{random.randrange(60)}</price>"
        f"{'<sold/>' * random.randrange(2)}<w{random.randrange(97)}/></item>"
        for _ in range(random.randrange(1, 6))
    )
    return f"<list>{items}</list>"


def run_for(seconds: float, *jobs: Callable[[Callable[[], bool]], None]) -> None:
    end = time.monotonic() + seconds
    failures: list[BaseException] = []

    def guarded(job: Callable[[Callable[[], bool]], None]) -> None:
        try:
            job(lambda: time.monotonic() < end and not failures)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def check_changing(seconds: float, many: int) -> None:
    """Each pair is added in one call: a document sees both or none, and what stays is always there."""
    broker = Broker()
    broker.subscribe_many((f"stays{n}", query(n)) for n in range(many))
    broker.subscribe_many((f"mark{n}", "/list/item[1]/name") for n in range(3))

    def change(seed: int) -> Callable[[Callable[[], bool]], None]:
        def job(goes_on: Callable[[], bool]) -> None:
            random = Random(seed)
            while goes_on():
                number = random.randrange(10**6)
                text = query(number)
                ids = [f"{seed}-{number}-{side}" for side in ("left", "right")]
                assert len(broker.subscribe_many([(id, text) for id in ids]).accepted) == 2
                for id in reversed(ids):
                    broker.unsubscribe(id)

        return job

    def publish(seed: int) -> Callable[[Callable[[], bool]], None]:
        def job(goes_on: Callable[[], bool]) -> None:
            random = Random(seed)
            alone = Broker()
            alone.subscribe_many((f"stays{n}", query(n)) for n in range(many))
            while goes_on():
                text = document(random)
                matches = broker.publish(text, grouped=True)
                for one in matches.fragments:
                    # Both come at once, the right one goes first: who sees it sees the left one too.
                    seen = set(one.subscriptions)
                    assert all(id.replace("-right", "-left") in seen for id in seen if id.endswith("-right"))
                stays = [id for id in broker.matches(text) if id.startswith("stays")]
                assert stays == alone.matches(text)

        return job

    run_for(seconds, change(1), change(2), publish(3), publish(4))
    assert len(broker.subscriptions()) == many + 3


def test_while_subscriptions_come_and_go() -> None:
    check_changing(3, 300)


@pytest.mark.soak
def test_for_minutes() -> None:
    check_changing(float(os.environ.get("PENSTOCK_SOAK_SECONDS", "300")), 20_000)


def check_growth(many: int, rounds: int) -> None:
    broker = Broker()
    broker.subscribe_many((f"stays{n}", query(n)) for n in range(100))
    before = broker.publish(document(Random(0)))
    sizes = []
    for _ in range(rounds):
        broker.subscribe_many((str(n), query(n)) for n in range(many))
        sizes.append(broker.stats()["bytes"])
        for n in range(many):
            broker.unsubscribe(str(n))
    assert broker.stats()["indexed"] == len(broker.subscriptions()) == 100
    assert max(sizes) <= sizes[0] * 1.3
    after = broker.publish(document(Random(0)))
    assert [one.fragment for one in after] == [one.fragment for one in before]


def test_memory_is_used_again() -> None:
    check_growth(5_000, 5)


@pytest.mark.soak
def test_a_million_ten_times_over() -> None:
    check_growth(1_000_000, 10)
