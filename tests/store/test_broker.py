"""Brokers that share a store."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from penstock import Broker, Delivery, QueryError, StoreError
from penstock.store import Store, SubscriptionRow, open_store, subscribing, unsubscribing

DOCUMENT = "<list><item k='1'>pen</item><item>ink</item></list>"


@pytest.fixture
def broker(url: str) -> Iterator[Broker]:
    broker = Broker(store=url)
    yield broker
    broker.close()


@pytest.fixture
def store(broker: Broker) -> Store:
    assert broker.store is not None
    return broker.store


def following(store: Store) -> Broker:
    """Another broker on the same store, which looks at it before every document."""
    return Broker(store=store, store_refresh="0 seconds")


def fragments(broker: Broker) -> list[tuple[str, str]]:
    return [(found.subscription, found.fragment) for found in broker.publish(DOCUMENT)]


def test_subscriptions_outlive_the_broker(broker: Broker, store: Store) -> None:
    broker.subscribe("one", "//p:item/text()", namespaces={"p": ""}, stream="default", subscriber="ann")
    broker.subscribe("count", "count(//item)", running=True, deliver_empty=True, deliver="document")
    again = Broker(store=store.url)
    assert again.subscriptions() == broker.subscriptions()
    found = [(one.subscription, one.subscriber, one.fragment) for one in again.publish(DOCUMENT)]
    assert found == [("one", "ann", "pen"), ("one", "ann", "ink"), ("count", None, "12")]
    again.close()


def test_what_one_broker_changes_the_others_take_over(broker: Broker, store: Store) -> None:
    other = following(store)
    broker.subscribe("one", "//item[1]/text()")
    assert fragments(other) == [("one", "pen")]
    broker.subscribe_many([("two", "//item[2]/text()"), ("three", "//item/@k")])
    broker.subscribe("one", "//item[2]/text()", replace=True)
    assert sorted(fragments(other)) == [("one", "ink"), ("three", "1"), ("two", "ink")]
    assert [one.id for one in other.subscriptions()] == ["two", "three", "one"]
    broker.unsubscribe("two")
    broker.unsubscribe("one")
    assert fragments(other) == [("three", "1")]
    with other.open() as feed:
        assert [found.fragment for found in feed.write(DOCUMENT)] == ["1"]


def test_the_store_is_not_asked_at_every_document(broker: Broker, store: Store) -> None:
    other = Broker(store=store, store_refresh="1 hour")
    broker.subscribe("one", "//item[1]/text()")
    assert fragments(other) == []
    other.refresh()
    assert fragments(other) == [("one", "pen")]


def test_a_change_takes_over_what_others_did_before(broker: Broker, store: Store) -> None:
    other = Broker(store=store, store_refresh="1 hour")
    broker.subscribe("one", "//item[1]/text()")
    other.subscribe("two", "//item[2]/text()")
    assert fragments(other) == [("one", "pen"), ("two", "ink")]
    broker.subscribe("three", "//item/@k")
    other.unsubscribe("two")
    assert sorted(fragments(other)) == [("one", "pen"), ("three", "1")]


def test_an_id_that_another_broker_took_exists(broker: Broker, store: Store) -> None:
    other = Broker(store=store, store_refresh="1 hour")
    broker.subscribe("one", "//item[1]/text()")
    with pytest.raises(QueryError) as caught:
        other.subscribe("one", "//item[2]/text()")
    assert caught.value.code == "PNST0011"
    assert fragments(other) == [("one", "pen")]
    outcome = other.subscribe_many([("one", "//x"), ("two", "//item[2]/text()"), ("two", "//x"), ("bad", "//[")])
    assert [one.id for one in outcome.accepted] == ["two"]
    assert [(one.id, one.error.code) for one in outcome.rejected] == [
        ("bad", "XPST0003"),
        ("one", "PNST0011"),
        ("two", "PNST0011"),
    ]
    assert store.version() == 2


def test_an_id_that_another_broker_removed_is_unknown(broker: Broker, store: Store) -> None:
    broker.subscribe("one", "//item")
    other = Broker(store=store, store_refresh="1 hour")
    broker.unsubscribe("one")
    with pytest.raises(KeyError, match="one"):
        other.unsubscribe("one")
    assert other.subscriptions() == []
    other.subscribe("one", "//item/@k")
    assert fragments(other) == [("one", "1")]


def test_refused_queries_never_reach_the_store(broker: Broker, store: Store) -> None:
    with pytest.raises(QueryError):
        broker.subscribe("bad", "//item[")
    with pytest.raises(QueryError) as caught:
        broker.subscribe("nul\0", "//item")
    assert caught.value.code == "PNST0010"
    broker.subscribe_many([("worse", "//p:item"), {"id": 5, "query": "//a"}])
    assert (store.version(), broker.subscriptions()) == (0, [])


def test_rows_that_this_version_cannot_run_are_told_and_stop_nothing(broker: Broker, store: Store) -> None:
    newer = SubscriptionRow("newer", "for $a in //a return $a", language="xscl")
    store.apply([subscribing(newer), subscribing(SubscriptionRow("good", "//item/@k"))])
    other = following(store)
    assert fragments(other) == [("good", "1")]
    assert [(one.id, one.error.code) for one in other.rejected] == [("newer", "PNST0006")]
    store.apply([subscribing(newer._replace(id="good"), replace=True)])
    assert fragments(other) == []
    assert [one.id for one in other.rejected] == ["newer", "good"]
    with pytest.raises(QueryError, match="exists already"):
        other.subscribe("newer", "//item")
    other.subscribe("good", "//item/@k", replace=True)
    other.unsubscribe("newer")
    assert (other.rejected, fragments(other)) == ([], [("good", "1")])
    broker.refresh()
    assert (broker.rejected, fragments(broker)) == ([], [("good", "1")])


def test_a_row_means_the_same_to_every_broker(broker: Broker, store: Store) -> None:
    defaults = Broker(store=store, namespaces={"": "urn:d", "p": "urn:p"})
    defaults.subscribe("theirs", "//x/text() | //p:x/text()")
    broker.subscribe("ours", "//x/text()")
    xml = "<r><x>1</x><x xmlns='urn:d'>2</x><x xmlns='urn:p'>3</x></r>"
    for one in (broker, defaults, Broker(store=store, namespaces={"": "urn:p", "p": "urn:other"})):
        one.refresh()
        found = [(delivery.subscription, delivery.fragment) for delivery in one.publish(xml)]
        assert sorted(found) == [("ours", "1"), ("theirs", "2"), ("theirs", "3")]


def test_callbacks_are_this_process_s_own(broker: Broker, store: Store) -> None:
    calls: list[Delivery] = []
    broker.subscribe("one", "//item[1]/text()", callback=calls.append)
    other = following(store)
    assert fragments(other) == [("one", "pen")]
    assert calls == []
    other.subscribe("one", "//item[2]/text()", replace=True)
    broker.refresh()
    broker.publish(DOCUMENT)
    assert [delivery.fragment for delivery in calls] == ["ink"]


def test_a_broker_that_fell_behind_a_compaction_reads_the_store_anew(broker: Broker, store: Store) -> None:
    broker.subscribe_many([("same", "//item/@k"), ("gone", "//item"), ("other", "//item[1]/text()")])
    same = broker.get("same")
    row = SubscriptionRow("other", "//item[2]/text()", language="xpath")
    store.apply([unsubscribing("gone"), subscribing(row, replace=True)])
    store.apply([subscribing(SubscriptionRow("newer", "//q", language="xscl"))])
    store.compact()
    broker.refresh()
    assert sorted(fragments(broker)) == [("other", "ink"), ("same", "1")]
    assert broker.get("same") == same
    assert [one.id for one in broker.rejected] == ["newer"]


def test_a_store_that_is_away_stops_no_documents(url: str, caplog: pytest.LogCaptureFixture) -> None:
    store = open_store(url)
    broker = following(store)
    broker.subscribe("one", "//item[1]/text()")
    store.close()
    with caplog.at_level(logging.WARNING, logger="penstock"):
        assert fragments(broker) == [("one", "pen")]
    assert "version 1 stay in force" in caplog.text
    with pytest.raises(StoreError):
        broker.refresh()
    with pytest.raises(StoreError):
        broker.subscribe("two", "//item")
    assert [one.id for one in broker.subscriptions()] == ["one"]


def test_a_broker_closes_only_what_it_opened(store: Store) -> None:
    Broker(store=store).close()
    assert store.version() == 0
    own = Broker(store=store.url)
    own.close()
    with pytest.raises(StoreError, match="closed"):
        own.refresh()


def test_a_broker_without_a_store_has_nothing_to_refresh() -> None:
    broker = Broker()
    broker.refresh()
    broker.close()
    assert (broker.store, broker.rejected) == (None, [])
