"""Documents in chunks through a broker."""

from __future__ import annotations

import pytest

from penstock import Broker, DocumentError


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.subscribe("names", "//name/text()")
    broker.subscribe("count", "count(//name)")
    return broker


def test_write_returns_what_is_certain_and_close_the_rest(broker: Broker) -> None:
    feed = broker.open(stream="s", id="d", time="2024-05-01T10:00:00Z")
    assert feed.write(b"<l><name>p") == []
    (first,) = feed.write("en</name><na")
    assert (first.fragment, first.documents, first.stream, first.time.year) == ("pen", ("d",), "s", 2024)
    assert [one.fragment for one in feed.write(b"me>ink</name></l>")] == ["ink"]
    assert not feed.closed
    assert [(one.subscription, one.fragment) for one in feed.close()] == [("count", "2")]
    assert feed.closed
    assert feed.close() == []


def test_as_a_context_manager_it_closes_itself(broker: Broker) -> None:
    with broker.open() as feed:
        feed.write(b"<name>pen</name>")
    assert feed.closed
    assert [one.fragment for one in feed.rest] == ["1"]


def test_an_exception_inside_leaves_the_document_unfinished(broker: Broker) -> None:
    feed = broker.open()
    feed.write(b"<name>")
    with pytest.raises(RuntimeError, match="mine"), feed:
        raise RuntimeError("mine")
    assert feed.closed
    assert feed.rest == []
    assert broker.dead_letters.count == 0


def test_a_closed_feed_takes_no_more(broker: Broker) -> None:
    feed = broker.open()
    feed.write(b"<a/>")
    feed.close()
    with pytest.raises(ValueError, match="closed"):
        feed.write(b"<a/>")


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview], ids=lambda form: form.__name__)
def test_chunks_of_any_form(broker: Broker, form: type) -> None:
    with broker.open() as feed:
        assert [one.fragment for one in feed.write(form("<l><name>ž</name>".encode()))] == ["ž"]
        assert feed.write(form(b"</l>")) == []


def test_empty_chunks_change_nothing(broker: Broker) -> None:
    with broker.open() as feed:
        assert feed.write(b"") == []
        feed.write(b"<name>pen")
        assert feed.write(b"") == []
        assert [one.fragment for one in feed.write(b"</name>")] == ["pen"]


def test_deliver_document_comes_with_the_end() -> None:
    broker = Broker()
    broker.subscribe("one", "//b", deliver="document")
    feed = broker.open()
    assert feed.write(b"<a><b>1<b>2</b></b><b/></a>") == []
    assert [one.fragment for one in feed.close()] == ["<b>1<b>2</b></b><b>2</b><b/>"]


def test_what_was_certain_before_an_error_stays_delivered(broker: Broker) -> None:
    feed = broker.open(id="broken")
    assert [one.fragment for one in feed.write(b"<l><name>pen</name>")] == ["pen"]
    assert feed.write(b"<name>ink</nome>") != [] or feed.closed
    assert feed.closed
    assert feed.close() == []
    (letter,) = broker.dead_letters
    assert (letter.document, letter.error_class, letter.xml) == ("broken", "not-well-formed", None)


def test_results_and_the_error_may_come_from_one_chunk(broker: Broker) -> None:
    feed = broker.open()
    assert [one.fragment for one in feed.write(b"<l><name>pen</name></m>")] == ["pen"]
    assert feed.closed
    assert broker.dead_letters.count == 1


def test_what_comes_after_an_error_gives_nothing(broker: Broker) -> None:
    feed = broker.open()
    feed.write(b"<l></m>")
    assert feed.write(b"<name>pen</name></l>") == []
    assert feed.close() == []
    assert broker.dead_letters.count == 1


def test_an_end_too_early_is_an_error(broker: Broker) -> None:
    feed = broker.open()
    feed.write(b"<l><name>pen</name>")
    assert feed.close() == []
    assert broker.dead_letters.count == 1


def test_failfast_raises_from_the_write_that_found_it() -> None:
    broker = Broker(mode="FAILFAST")
    feed = broker.open()
    feed.write(b"<a>\n<b>")
    with pytest.raises(DocumentError) as caught:
        feed.write(b"</a>")
    assert (caught.value.line, caught.value.error_class) == (2, "not-well-formed")
    assert feed.closed


def test_a_feed_keeps_the_subscriptions_that_it_began_with(broker: Broker) -> None:
    feed = broker.open()
    feed.write(b"<l><name>pen</name>")
    broker.unsubscribe("names")
    broker.subscribe("late", "//name")
    assert [(one.subscription, one.fragment) for one in feed.write(b"<name>ink</name></l>")] == [("names", "ink")]
    feed.close()


def test_many_feeds_at_once(broker: Broker) -> None:
    feeds = [broker.open(id=str(number)) for number in range(20)]
    for feed in feeds:
        feed.write(b"<l><name>")
    for number, feed in enumerate(feeds):
        feed.write(f"n{number}".encode())
    found = [[one.fragment for one in feed.write(b"</name></l>")] for feed in feeds]
    assert found == [[f"n{number}"] for number in range(20)]
