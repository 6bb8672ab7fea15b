"""Subscriptions whose queries name a stream get the documents of that stream, as with `stream=`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import penstock
from penstock import Broker, QueryError

DOCUMENT = "<a><b>1</b><b>2</b></a>"


def deliveries(broker: Broker, stream: str) -> list[tuple[str, str]]:
    return sorted((one.subscription, one.fragment) for one in broker.publish(DOCUMENT, stream=stream))


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.subscribe("path", "stream('news')//b[. = '1']")
    broker.subscribe("flwor", "for $b in doc('news')//b where $b = '2' return <r>{$b}</r>")
    return broker


FOUND = [("flwor", "<r><b>2</b></r>"), ("path", "<b>1</b>")]


def test_only_documents_of_the_stream_are_looked_at(broker: Broker) -> None:
    assert [one.stream for one in broker.subscriptions()] == ["news", "news"]
    assert deliveries(broker, "news") == FOUND
    assert deliveries(broker, "default") == []
    assert broker.matches(DOCUMENT, stream="news") == ["path", "flwor"]
    assert broker.matches(DOCUMENT) == []


@pytest.mark.parametrize(("stream", "expected"), [("news", FOUND), ("default", [])])
def test_in_chunks_and_tables_as_well(broker: Broker, stream: str, expected: list[tuple[str, str]]) -> None:
    with broker.open(stream=stream) as feed:
        found = [*feed.write(DOCUMENT.encode()), *feed.close()]
    assert sorted((one.subscription, one.fragment) for one in found) == expected
    rows = broker.publish_batch(pa.table({"xml": [DOCUMENT], "stream": [stream]})).to_pylist()
    assert sorted((row["subscription"], row["fragment"]) for row in rows) == expected


def test_many_that_are_alike() -> None:
    broker = Broker()
    texts = [
        f"for $b in stream('{'st'[n % 2]}')//b where $b = '{n % 3}' return <r n='{n % 2}'>{{$b}}</r>" for n in range(40)
    ]
    for place, text in enumerate(texts[:10]):
        broker.subscribe(f"{place}", text)
    broker.subscribe_many([(f"{place}", text) for place, text in enumerate(texts) if place >= 10])
    for number, stream in enumerate("st"):
        wanted = [f"{n}" for n in range(40) if n % 2 == number and n % 3]
        assert broker.matches(DOCUMENT, stream=stream) == wanted
    assert broker.matches(DOCUMENT) == []


def test_the_parameter_may_say_the_same_and_nothing_else() -> None:
    broker = Broker()
    assert broker.subscribe("same", "stream('news')//b", stream="news").stream == "news"
    with pytest.raises(QueryError, match="reads the stream 'news'") as caught:
        broker.subscribe("other", "stream('news')//b", stream="alerts")
    assert caught.value.code == "PNST0010"


def test_a_store_and_a_file_keep_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/subscriptions.db"
    first = Broker(store=url)
    first.subscribe("path", "stream('news')//b")
    first.subscribe_many([("more", "stream('news')//a/b"), ("else", "stream('else')//a/b")])
    second = Broker(store=url)
    assert second.matches(DOCUMENT, stream="news") == ["path", "more"]
    second.save(tmp_path / "saved")
    assert Broker.load(tmp_path / "saved").matches(DOCUMENT, stream="else") == ["else"]


def test_one_document_is_of_whatever_stream_the_query_names() -> None:
    assert penstock.evaluate("stream('news')//b[1]", DOCUMENT) == ["<b>1</b>"]
