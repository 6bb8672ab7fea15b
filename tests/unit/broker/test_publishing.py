"""What comes back from a document: deliveries with their ids, times, places and kinds."""

from __future__ import annotations

import gc
import logging
import pickle
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from penstock import Broker, Delivery, Matches

DOCUMENT = "<r><!--c--><a k='1' j='2'>t<a/></a><?p i?></r>"


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.subscribe("elements", "//a", subscriber="ann")
    broker.subscribe("the rest", "//@* | //text() | //comment() | //processing-instruction()")
    return broker


def test_a_delivery_says_all_there_is_to_say() -> None:
    broker = Broker()
    broker.subscribe("one", "/a/b", subscriber="ann")
    (found,) = broker.publish("<a><b/></a>", stream="news", id="d7", time="2024-05-01T12:00:00+02:00")
    assert isinstance(found, Delivery)
    assert (found.subscription, found.subscriber, found.kind, found.fragment) == ("one", "ann", "element", "<b/>")
    assert (found.documents, found.stream) == (("d7",), "news")
    assert found.time == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert found.time.tzinfo is UTC
    assert found.sequence == 3
    assert len(found.match_id) == 32
    assert int(found.match_id, 16) >= 0


def test_results_come_in_document_order(broker: Broker) -> None:
    found = broker.publish(DOCUMENT)
    assert [one.fragment for one in found if one.subscription == "elements"] == ["<a k='1' j='2'>t<a/></a>", "<a/>"]
    rest = [one for one in found if one.subscription == "the rest"]
    assert [(one.kind, one.fragment) for one in rest] == [
        ("comment", "<!--c-->"),
        ("attribute", "1"),
        ("attribute", "2"),
        ("text", "t"),
        ("pi", "<?p i?>"),
    ]
    assert [one.sequence for one in rest] == sorted({one.sequence for one in rest})


def test_the_other_kinds() -> None:
    broker = Broker()
    broker.subscribe("document", "/")
    broker.subscribe("number", "count(//a)")
    broker.subscribe("boolean", "//a = 't'")
    broker.subscribe("string", "name(/*)")
    found = {one.subscription: (one.kind, one.fragment) for one in broker.publish(DOCUMENT)}
    assert found == {
        "document": ("document", DOCUMENT),
        "number": ("atomic", "2"),
        "boolean": ("atomic", "true"),
        "string": ("atomic", "r"),
    }


def test_documents_without_an_id_are_counted() -> None:
    broker = Broker()
    broker.subscribe("one", "/a")
    ids = [broker.publish("<a/>", id=id)[0].documents for id in (None, "mine", None)]
    assert ids[1] == ("mine",)
    assert len(set(ids)) == 3


@pytest.mark.parametrize(
    "time",
    [
        datetime(2024, 5, 1, 10, tzinfo=UTC),
        datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2))),
        "2024-05-01T10:00:00Z",
        "2024-05-01T12:00:00+02:00",
        1714557600,
        1714557600.0,
    ],
)
def test_times(time: datetime | str | float) -> None:
    broker = Broker()
    broker.subscribe("one", "/a")
    assert broker.publish("<a/>", time=time)[0].time == datetime(2024, 5, 1, 10, tzinfo=UTC)


def test_without_a_time_it_is_now() -> None:
    broker = Broker()
    broker.subscribe("one", "/a")
    before = datetime.now(UTC)
    time = broker.publish("<a/>")[0].time
    assert before <= time <= datetime.now(UTC)


@pytest.mark.parametrize("time", [datetime(2024, 5, 1), "2024-05-01T10:00:00", "yesterday"])  # noqa: DTZ001
def test_times_that_say_too_little_are_refused(time: datetime | str) -> None:
    with pytest.raises(ValueError, match=r"time zone|isoformat"):
        Broker().publish("<a/>", time=time)


def test_match_ids_are_the_same_however_the_document_comes(broker: Broker) -> None:
    whole = {(one.subscription, one.fragment): one.match_id for one in broker.publish(DOCUMENT, id="d")}
    for ordered in (False, True):
        feed = broker.open(id="d", ordered=ordered)
        parts = [one for byte in DOCUMENT.encode() for one in feed.write(bytes([byte]))] + feed.close()
        assert {(one.subscription, one.fragment): one.match_id for one in parts} == whole
    other = Broker()
    other.subscribe("more", "//*")
    other.subscribe("elements", "//a")
    again = {one.fragment: one.match_id for one in other.publish(DOCUMENT, id="d") if one.subscription == "elements"}
    assert again == {fragment: id for (name, fragment), id in whole.items() if name == "elements"}


def test_match_ids_tell_deliveries_apart(broker: Broker) -> None:
    ids = [one.match_id for document in ("d1", "d2") for one in broker.publish(DOCUMENT, id=document)]
    assert len(set(ids)) == len(ids) == 14


def test_running_values_have_their_own_match_ids() -> None:
    broker = Broker()
    broker.subscribe("one", "count(//a)", running=True)
    ids = [one.match_id for one in broker.publish("<r><a/><a/><a/></r>", id="d")]
    assert len(set(ids)) == 3


def test_deliveries_compare_by_value_and_travel(broker: Broker) -> None:
    time = datetime(2024, 5, 1, tzinfo=UTC)
    first, second = (broker.publish(DOCUMENT, id="d", time=time) for _ in range(2))
    assert first == second
    assert set(first) == set(second)
    copies = pickle.loads(pickle.dumps(first))
    assert copies == first
    assert [one.match_id for one in copies] == [one.match_id for one in first]
    assert "elements" in repr(first[0]) or "the rest" in repr(first[0])


def test_a_delivery_outlives_those_that_came_with_it(broker: Broker) -> None:
    whole, part = broker.publish(DOCUMENT, id="d"), []
    with broker.open(id="d") as feed:
        part = feed.write(DOCUMENT)
    for found in (whole, part):
        kept = next(one for one in found if one.subscription == "elements")
        del found[:]
        gc.collect()
        assert (kept.subscriber, kept.kind, kept.documents) == ("ann", "element", ("d",))
        assert kept.fragment == "<a k='1' j='2'>t<a/></a>"


def test_a_delivery_is_what_its_fields_say(broker: Broker) -> None:
    for one in broker.publish(DOCUMENT, id="d"):
        match one:
            case Delivery(subscription, subscriber, kind, fragment, documents, stream, time, sequence):
                again = Delivery(subscription, subscriber, kind, fragment, documents, stream, time, sequence)
        assert again == one
        assert hash(again) == hash(one)
        assert again.as_dict() == one.as_dict()
        assert repr(again) == repr(one)


def test_those_who_get_the_same_fragment_share_its_text() -> None:
    broker = Broker()
    for id in ("x", "y"):
        broker.subscribe(id, "//a")
    first, second = broker.publish("<r><a>the same text for both</a></r>")
    assert first.subscription != second.subscription
    assert first.fragment is second.fragment


def test_deliveries_cannot_be_changed(broker: Broker) -> None:
    with pytest.raises(AttributeError):
        broker.publish(DOCUMENT)[0].fragment = "other"  # type: ignore[misc]


def test_grouped_gives_each_fragment_once() -> None:
    broker = Broker()
    for id in ("x", "y"):
        broker.subscribe(id, "//a")
    broker.subscribe("z", "//a[@k]")
    time = "2024-05-01T10:00:00Z"
    found = broker.publish("<r><a k=''/><a/></r>", id="d", stream="s", time=time, grouped=True)
    assert isinstance(found, Matches)
    assert (found.document, found.stream, found.time) == ("d", "s", datetime(2024, 5, 1, 10, tzinfo=UTC))
    assert [(one.kind, one.fragment, set(one.subscriptions)) for one in found.fragments] == [
        ("element", "<a k=''/>", {"x", "y", "z"}),
        ("element", "<a/>", {"x", "y"}),
    ]
    assert len(found) == 2


def test_matches_names_those_that_would_get_something() -> None:
    broker = Broker()
    for id, query in {"d": "//a", "b": "//nothing", "c": "//a = 't'", "a": "not(//a)", "e": "count(//x)"}.items():
        broker.subscribe(id, query)
    assert broker.matches("<r><a>t</a></r>") == ["d", "c", "e"]
    assert broker.stats()["documents"] == 0


def test_advance_without_joins_delivers_nothing() -> None:
    assert Broker().advance("2024-05-01T10:00:00Z") == []
    with pytest.raises(ValueError, match="time zone"):
        Broker().advance("2024-05-01T10:00:00")


def test_a_broker_without_subscriptions_still_checks_documents() -> None:
    broker = Broker()
    assert broker.publish("<a/>") == []
    assert broker.publish("<a>") == []
    assert broker.dead_letters.count == 1


@pytest.mark.parametrize("make", [str, str.encode])
@pytest.mark.parametrize("grouped", [True, False])
def test_results_hold_their_document_and_nothing_else_does(
    make: type, grouped: bool, caplog: pytest.LogCaptureFixture
) -> None:
    # What is logged would hold a document that is refused.
    caplog.set_level(logging.CRITICAL, logger="penstock")
    broker = Broker(mode="DROPMALFORMED")
    broker.subscribe_many([(f"a{number}", f"//a{number}") for number in range(100)])
    large, broken = make("<r>" + "<b/>" * 30_000 + "<a1>x</a1></r>"), make("<r><a1>")
    small, unmatched = make("<r><a1>x</a1></r>"), make("<r><b/></r>")
    documents = (small, large, unmatched, broken)
    before = [sys.getrefcount(document) for document in documents]
    kept = [broker.publish(document, grouped=grouped) for document in documents]
    assert [sys.getrefcount(document) for document in documents] == [before[0] + 1, *before[1:]]
    broker.matches(small)
    del kept
    gc.collect()
    assert [sys.getrefcount(document) for document in documents] == before
