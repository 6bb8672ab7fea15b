"""Deliveries pushed to callbacks and to asyncio."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from penstock import Broker, Delivery


def test_callbacks_get_their_subscription_s_deliveries() -> None:
    broker = Broker()
    mine: list[Delivery] = []
    broker.subscribe("mine", "//a", callback=mine.append)
    broker.subscribe("other", "//b")
    returned = broker.publish("<r><a>1</a><b/><a>2</a></r>")
    assert [one.fragment for one in mine] == ["<a>1</a>", "<a>2</a>"]
    assert mine == [one for one in returned if one.subscription == "mine"]


def test_callbacks_come_from_feeds_as_they_happen() -> None:
    broker = Broker()
    seen: list[str] = []
    broker.subscribe("mine", "//a", callback=lambda found: seen.append(found.fragment))
    with broker.open() as feed:
        feed.write(b"<r><a/>")
        assert seen == ["<a/>"]
        feed.write(b"<a>2</a></r>")
    assert seen == ["<a/>", "<a>2</a>"]


def test_an_error_in_a_callback_is_logged_and_harms_no_one(caplog: pytest.LogCaptureFixture) -> None:
    broker = Broker()
    seen: list[str] = []

    def fail(_: Delivery) -> None:
        raise RuntimeError("subscriber is ill")

    broker.subscribe("ill", "//a", callback=fail)
    broker.subscribe("well", "//a", callback=lambda found: seen.append(found.fragment))
    with caplog.at_level(logging.ERROR, logger="penstock"):
        assert len(broker.publish("<r><a/><a/></r>")) == 4
    assert seen == ["<a/>", "<a/>"]
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert "ill" in caplog.text
    assert "subscriber is ill" in caplog.text


def test_no_callback_after_unsubscribe_or_replace() -> None:
    broker = Broker()
    seen: list[str] = []
    broker.subscribe("a", "//a", callback=lambda found: seen.append(found.fragment))
    broker.subscribe("b", "//a", callback=lambda found: seen.append(found.fragment))
    broker.unsubscribe("a")
    broker.subscribe("b", "//a", replace=True)
    broker.publish("<a/>")
    assert seen == []


def test_a_callback_may_use_the_broker() -> None:
    broker = Broker()
    seen: list[str] = []

    def follow(found: Delivery) -> None:
        broker.subscribe(f"after {found.fragment}", "//b", callback=lambda later: seen.append(later.fragment))
        broker.publish("<b/>")

    broker.subscribe("a", "//a", callback=follow)
    broker.publish("<a/>")
    assert seen == ["<b/>"]


def test_listen_hears_what_other_threads_publish() -> None:
    async def main() -> list[tuple[str, str]]:
        broker = Broker()
        broker.subscribe("a", "//a/text()")
        broker.subscribe("b", "//b")
        heard = []
        async with broker.listen("a") as listener:
            threads = [
                threading.Thread(target=broker.publish, args=(f"<r><a>{number}</a><b/></r>",)) for number in range(8)
            ]
            for thread in threads:
                thread.start()
            async for found in listener:
                heard.append((found.subscription, found.fragment))
                if len(heard) == 8:
                    break
            for thread in threads:
                thread.join()
        return heard

    assert sorted(asyncio.run(main())) == [("a", str(number)) for number in range(8)]


def test_listen_to_everyone_until_closed() -> None:
    async def main() -> list[str]:
        broker = Broker()
        broker.subscribe("a", "//a")
        broker.subscribe("b", "//b")
        listener = broker.listen()
        await asyncio.to_thread(broker.publish, "<r><a/><b/></r>")
        listener.close()
        broker.publish("<r><a/></r>")
        return [found.subscription async for found in listener]

    assert asyncio.run(main()) == ["a", "b"]


def test_two_listeners_hear_the_same() -> None:
    async def main() -> tuple[str, str]:
        broker = Broker()
        broker.subscribe("a", "//a")
        async with broker.listen() as first, broker.listen("a") as second:
            broker.publish("<a/>")
            return (await anext(first)).fragment, (await anext(second)).fragment

    assert asyncio.run(main()) == ("<a/>", "<a/>")


def test_a_listener_whose_loop_is_gone_stops_no_one() -> None:
    broker = Broker()
    broker.subscribe("a", "//a")

    async def listen() -> None:
        broker.listen()

    asyncio.run(listen())
    assert len(broker.publish("<a/>")) == 1


def test_grouped_results_are_pushed_and_counted_too() -> None:
    broker = Broker()
    seen: list[tuple[str, str]] = []
    broker.subscribe("a", "//a", callback=lambda found: seen.append((found.subscription, found.match_id)))
    broker.subscribe("b", "//a")
    single = broker.publish("<r><a/></r>", id="d", time=0)
    pushed = seen.copy()
    broker.publish("<r><a/></r>", id="d", time=0, grouped=True)
    assert seen == [*pushed, ("a", single[0].match_id)]
    assert broker.stats()["deliveries"] == 4
