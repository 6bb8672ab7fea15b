"""Brokers used from many threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from penstock import Broker

THREADS = 8


def test_a_broker_each() -> None:
    def work(number: int) -> list[str]:
        broker = Broker()
        broker.subscribe("mine", f"//b[@n = {number}]/text()")
        found = []
        for turn in range(200):
            xml = f"<a><b n='{number}'>{number}.{turn}</b><b n='other'/></a>"
            found += [one.fragment for one in broker.publish(xml)]
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        for number, found in enumerate(pool.map(work, range(THREADS))):
            assert found == [f"{number}.{turn}" for turn in range(200)]


def test_one_broker_for_all() -> None:
    broker = Broker()
    broker.subscribe("names", "//item[price > 1]/name/text()")
    broker.subscribe("count", "count(//item)")

    def work(number: int) -> list[tuple[str, str]]:
        found = []
        for turn in range(100):
            id = f"{number}.{turn}"
            xml = f"<l><item><name>{id}</name><price>2</price></item><item><price>1</price></item></l>"
            deliveries = broker.publish(xml, id=id)
            assert {one.documents for one in deliveries} == {(id,)}
            found += [(one.subscription, one.fragment) for one in deliveries]
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        for number, found in enumerate(pool.map(work, range(THREADS))):
            assert [text for id, text in found if id == "names"] == [f"{number}.{turn}" for turn in range(100)]
            assert [text for id, text in found if id == "count"] == ["2"] * 100
    assert broker.stats()["documents"] == THREADS * 100
    assert broker.stats()["deliveries"] == THREADS * 200


def test_feeds_of_one_broker_in_many_threads() -> None:
    broker = Broker()
    broker.subscribe("b", "//b[c]/text()")

    def work(number: int) -> list[str]:
        found = []
        for _ in range(20):
            feed = broker.open()
            document = f"<a><b>{number}<c/></b></a>".encode()
            for offset in range(0, len(document), 3):
                found += [one.fragment for one in feed.write(document[offset : offset + 3])]
            found += [one.fragment for one in feed.close()]
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [[str(number)] * 20 for number in range(THREADS)]


def test_each_document_sees_one_set_of_subscriptions() -> None:
    """A writer replaces ten subscriptions at once, generation after generation; no document may see two generations."""
    broker = Broker()
    stop = threading.Event()
    ids = [f"s{place}" for place in range(10)]

    def rows(generation: int) -> list[dict[str, object]]:
        # Every other generation asks in another way, so that the automaton changes too.
        query = f"concat(//b/@k, '{generation}')" if generation % 2 else f"concat(/a/b/@k, string({generation}))"
        return [{"id": id, "query": query, "replace": True} for id in ids]

    broker.subscribe_many(rows(0))

    def change() -> int:
        generation = 0
        while not stop.is_set():
            generation += 1
            broker.subscribe_many(rows(generation))
            broker.subscribe("passing", "//b")
            broker.unsubscribe("passing")
        return generation

    def publish(_: int) -> int:
        newest = -1
        for _ in range(150):
            found = [one for one in broker.publish("<a><b k='v'/></a>") if one.subscription != "passing"]
            assert sorted(one.subscription for one in found) == ids
            (text,) = {one.fragment for one in found}
            generation = int(text.removeprefix("v"))
            assert generation >= newest
            newest = generation
        return newest

    with ThreadPoolExecutor(THREADS) as pool:
        changing = pool.submit(change)
        try:
            seen = list(pool.map(publish, range(4)))
        finally:
            stop.set()
        assert max(seen) <= changing.result()
    assert broker.dead_letters.count == 0


def test_subscribing_from_many_threads_loses_nothing() -> None:
    broker = Broker()

    def work(number: int) -> None:
        for turn in range(25):
            broker.subscribe(f"{number}.{turn}", f"//b[@k = '{number}']")
        for turn in range(0, 25, 2):
            broker.unsubscribe(f"{number}.{turn}")

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    assert len(broker.subscriptions()) == THREADS * 12
    assert len(broker.publish("<a><b k='3'/></a>")) == 12


def test_bad_documents_of_one_thread_do_not_touch_the_others() -> None:
    broker = Broker()
    broker.subscribe("b", "//b")

    def work(number: int) -> int:
        xml = "<a><b/></a>" if number % 2 else "<a><b></a>"
        return sum(len(broker.publish(xml)) for _ in range(100))

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [0, 100] * (THREADS // 2)
    assert broker.dead_letters.count == THREADS // 2 * 100
