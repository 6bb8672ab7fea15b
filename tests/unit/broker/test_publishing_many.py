"""`publish_many`: what `publish` gives, document by document."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from penstock import Broker, Delivery, DocumentError
from penstock.broker.broker import Mode

TIME = "2024-05-01T12:00:00Z"
MIXED: list[Any] = [
    b"<r><a>1</a></r>",
    "<r><a>\u20ac</a><b k='2'/></r>",
    b"<r><a>no end",
    b"",
    "",
    b"\xff",
    memoryview(b"<r><b k='3'/></r>"),
    bytearray(b"<r><a/></r>"),
    {"xml": b"<r><a>4</a></r>", "id": "mine", "time": TIME},
    {"xml": "<r><s/></r>", "stream": "other"},
    {"xml": "<r>", "id": "broken"},
    "<r><n>no number</n></r>",
    b"\xef\xbb\xbf<?xml version='1.0'?><r><a>behind a mark</a></r>",
    "<r><a>6</a></r>".encode("utf-16"),
    b"<!DOCTYPE r [<!ENTITY e '<a>7</a>'>]><r>&e;</r>",
    b"<r/>",
]

Said = list[tuple[Any, ...]]


def subscribed(few: bool, mode: Mode = "PERMISSIVE", **parameters: Any) -> Broker:
    """A broker whose subscriptions run in the machine, if they are few, or in the index."""
    broker = Broker(mode=mode, **parameters)
    if not few:
        broker.subscribe_many([(f"none {number}", f"//none{number}") for number in range(100)])
    broker.subscribe("a", "//a", subscriber="ann")
    broker.subscribe("b", "//b/@k")
    broker.subscribe("s", "//s", stream="other")
    broker.subscribe("n", "for $n in //n return <m>{xs:integer($n) + 1}</m>")
    broker.subscribe("joined", "//a", deliver="document")
    return broker


def said(results: Any) -> Said:
    """What deliveries or `Matches` say, but for the time that was taken."""
    if isinstance(results, list):
        return [
            (*one.documents, one.stream, one.subscription, one.subscriber, one.kind, one.fragment) for one in results
        ]
    found = [(one.kind, one.fragment, one.sequence, one.subscriptions) for one in results.fragments]
    return [(results.document, results.stream, results.deliveries, *found)]


def letters(broker: Broker) -> Said:
    return [
        (one.document, one.stream, one.error_class, one.message, one.xml, one.subscription)
        for one in broker.dead_letters
    ]


def one_by_one(broker: Broker, document: Any, **how: Any) -> Any:
    if isinstance(document, Mapping):
        return broker.publish(**{**how, **document})
    return broker.publish(document, **how)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("stream", ["default", "other"])
@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
def test_it_gives_what_publish_gives(few: bool, grouped: bool, stream: str, mode: Mode) -> None:
    broker, other = subscribed(few, mode), subscribed(few, mode)
    many = [said(found) for found in broker.publish_many(MIXED, stream=stream, grouped=grouped)]
    assert many == [said(one_by_one(other, document, stream=stream, grouped=grouped)) for document in MIXED]
    assert sum(map(len, many)) >= 8
    assert letters(broker) == letters(other)
    assert len(letters(broker)) == (6 if mode == "PERMISSIVE" else 1)
    counts = ("documents", "deliveries", "errors")
    assert [broker.stats()[count] for count in counts] == [other.stats()[count] for count in counts]


def test_a_document_that_is_refused_is_raised_and_the_next_ones_come() -> None:
    broker = subscribed(False, "FAILFAST")
    found = broker.publish_many(["<a>1</a>", "<a>", "<a>3</a>"])
    assert said(next(found))[0][0] == "1"
    with pytest.raises(DocumentError, match="not-well-formed"):
        next(found)
    # The one that was refused had a number too, and only one.
    assert said(next(found))[0][0] == "3"
    assert list(found) == []


def test_the_time_is_that_of_each_document() -> None:
    times = [
        found.time
        for found in subscribed(False).publish_many(["<a/>", "<a/>", {"xml": "<a/>", "time": TIME}], grouped=True)
    ]
    assert times[2] < times[0] < times[1]


def test_a_document_is_asked_for_when_the_last_one_is_done() -> None:
    broker = subscribed(False)
    asked: list[int] = []

    def documents() -> Iterator[str]:
        for number in range(3):
            asked.append(number)
            yield f"<a>{number}</a>"

    found = broker.publish_many(documents())
    assert asked == []
    for number, deliveries in enumerate(found):
        assert asked == list(range(number + 1))
        assert deliveries[0].fragment == f"<a>{number}</a>"


def test_changes_between_documents_are_seen() -> None:
    broker = subscribed(False)
    found = broker.publish_many(["<c/>"] * 4)
    assert next(found) == []
    broker.subscribe("c", "//c")
    assert [one.subscription for one in next(found)] == ["c"]
    broker.subscribe_many([("c2", "//c"), ("c3", "//c")])
    assert [one.subscription for one in next(found)] == ["c", "c2", "c3"]
    for id in ("c", "c2"):
        broker.unsubscribe(id)
    assert [one.subscription for one in next(found)] == ["c3"]


@pytest.mark.parametrize("grouped", [True, False])
def test_callbacks_that_come_and_go(grouped: bool) -> None:
    broker = subscribed(False)
    seen: list[str] = []
    found = broker.publish_many([f"<c>{number}</c>" for number in range(5)], grouped=grouped)
    next(found)
    broker.subscribe("called", "//c", callback=lambda one: seen.append(one.fragment))
    next(found)
    next(found)
    broker.subscribe("called", "//c", replace=True)
    assert [one[0] for one in said(next(found))] == ["4"]
    broker.unsubscribe("called")
    next(found)
    assert seen == ["<c>1</c>", "<c>2</c>"]


def test_listeners_that_come_and_go() -> None:
    async def main() -> list[str]:
        broker = subscribed(False)
        found = broker.publish_many([f"<a>{number}</a>" for number in range(4)], grouped=True)
        next(found)
        listener = broker.listen("a")
        next(found)
        next(found)
        listener.close()
        next(found)
        return [one.fragment async for one in listener]

    assert asyncio.run(main()) == ["<a>1</a>", "<a>2</a>"]


def test_what_others_change_in_the_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/subscriptions.db"
    broker, other = Broker(url, store_refresh="0 seconds"), Broker(url)
    found = broker.publish_many(["<a/>"] * 3)
    assert next(found) == []
    other.subscribe("a", "//a")
    assert [one.subscription for one in next(found)] == ["a"]
    other.unsubscribe("a")
    assert next(found) == []


def test_a_store_that_is_attached_meanwhile(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/subscriptions.db"
    broker = Broker(store_refresh="0 seconds")
    broker.subscribe("a", "//a")
    found = broker.publish_many(["<r><a/><b/></r>"] * 2)
    assert len(next(found)) == 1
    broker.attach(url)
    Broker(url).subscribe("b", "//b")
    assert [one.subscription for one in next(found)] == ["a", "b"]


def test_an_iterator_that_is_left_alone_gives_its_worker_back() -> None:
    broker = subscribed(False)
    found = broker.publish_many(["<a/>"] * 3)
    next(found)
    assert broker.stats()["automaton_states"] == 0
    del found
    gc.collect()
    assert broker.stats()["automaton_states"] > 0
    rest = broker.publish_many(["<a/>"])
    assert len(list(rest)) == 1
    assert broker.stats()["automaton_states"] > 0


def test_documents_that_cannot_be_had() -> None:
    def documents() -> Iterator[str]:
        yield "<a>1</a>"
        raise OSError("the feed is gone")

    found = subscribed(False).publish_many(documents())
    assert len(next(found)) == 2
    with pytest.raises(OSError, match="the feed is gone"):
        next(found)
    assert list(found) == []


@pytest.mark.parametrize("wrong", [5, None, {"id": "no xml"}, {"xml": "<a/>", "what": 1}, "\ud800"])
def test_what_is_no_document(wrong: Any) -> None:
    found = subscribed(False).publish_many([wrong, "<a/>"])
    with pytest.raises((TypeError, UnicodeEncodeError)):
        next(found)
    assert len(next(found)) == 2


def test_documents_must_be_many() -> None:
    with pytest.raises(TypeError, match="not iterable"):
        Broker().publish_many(5)


def test_results_stay_when_the_documents_and_the_iterator_are_gone() -> None:
    broker = subscribed(False)
    padding = "<r>" + "<b k='0'/>" * 9000
    documents = (
        make(f"{padding if number % 2 else '<r>'}<a>{number}</a></r>")
        for number in range(40)
        for make in (str, str.encode)
    )
    kept = list(broker.publish_many(documents, grouped=True))
    list(broker.publish_many(["<r><a>other</a></r>"] * 100))
    gc.collect()
    found = [one.fragment for matches in kept for one in matches.fragments if one.kind == "element"]
    assert found == [f"<a>{number}</a>" for number in range(40) for _ in range(2)]


def test_threads_with_an_iterator_each() -> None:
    broker = subscribed(False)
    found: dict[int, list[str]] = {}

    def run(number: int) -> None:
        documents = [f"<r><a>{number}.{place}</a></r>".encode() for place in range(500)]
        kept = [one for deliveries in broker.publish_many(documents) for one in deliveries]
        found[number] = [one.fragment for one in kept if one.subscription == "a"]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        broker.subscribe(f"more {number}", "//more")
    for thread in threads:
        thread.join()
    assert found == {number: [f"<a>{number}.{place}</a>" for place in range(500)] for number in range(4)}
    assert broker.stats()["documents"] == 2000


def test_threads_that_share_an_iterator() -> None:
    broker = subscribed(False)
    numbers = iter(range(2000))
    lock = threading.Lock()

    class Documents:
        def __iter__(self) -> Documents:
            return self

        def __next__(self) -> str:
            with lock:
                return f"<r><a>{next(numbers)}</a></r>"

    shared = broker.publish_many(Documents())
    found: list[Delivery] = []

    def run() -> None:
        for deliveries in shared:
            found.extend(deliveries)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.fragment for one in found if one.subscription == "a") == sorted(
        f"<a>{n}</a>" for n in range(2000)
    )
    assert len({one.documents for one in found}) == 2000


def test_an_endless_feed() -> None:
    def documents() -> Iterator[bytes]:
        while True:
            yield b"<a/>"

    assert len(list(islice(subscribed(True).publish_many(documents()), 10))) == 10
