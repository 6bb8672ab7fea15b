"""Arrow tables of documents in, Arrow tables of deliveries out."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from penstock import Broker, DocumentError

TIME = datetime(2024, 5, 1, 10, tzinfo=UTC)


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.subscribe("names", "//name/text()", subscriber="ann")
    broker.subscribe("news", "count(//name)", stream="news")
    return broker


def test_columns_and_rows(broker: Broker) -> None:
    table = pa.table(
        {
            "id": ["d1", "d2"],
            "stream": ["news", "other"],
            "time": pa.array([TIME, TIME], pa.timestamp("us", tz="UTC")),
            "xml": ["<l><name>pen</name></l>", "<l><name>ink</name><name>nib</name></l>"],
        }
    )
    found = broker.publish_batch(table)
    assert found.schema.names == [
        "subscription",
        "subscriber",
        "documents",
        "stream",
        "time",
        "sequence",
        "kind",
        "fragment",
        "match_id",
    ]
    assert [name for name in found.schema.names if found.schema.field(name).nullable] == ["subscriber"]
    rows = [(row["subscription"], row["subscriber"], row["documents"], row["fragment"]) for row in found.to_pylist()]
    assert sorted(rows, key=str) == [
        ("names", "ann", ["d1"], "pen"),
        ("names", "ann", ["d2"], "ink"),
        ("names", "ann", ["d2"], "nib"),
        ("news", None, ["d1"], "1"),
    ]
    assert set(found["time"].to_pylist()) == {TIME}


def test_rows_equal_what_publish_gives(broker: Broker) -> None:
    xml = "<l><name>pen</name></l>"
    (row,) = broker.publish_batch(pa.table({"id": ["d"], "time": [TIME], "xml": [xml]})).to_pylist()
    (delivery,) = broker.publish(xml, id="d", time=TIME)
    assert {name: getattr(delivery, name) for name in row if name != "documents"} == {
        name: value for name, value in row.items() if name != "documents"
    }
    assert row["documents"] == list(delivery.documents)


def test_only_xml_is_needed_and_may_be_binary(broker: Broker) -> None:
    found = broker.publish_batch(pa.table({"xml": [b"<name>pen</name>", "<name>ž</name>".encode()]}))
    assert found["fragment"].to_pylist() == ["pen", "ž"]
    assert found["stream"].to_pylist() == ["default", "default"]


def test_nulls_are_defaults(broker: Broker) -> None:
    null = pa.array([None], pa.string())
    table = pa.table({"id": null, "stream": null, "xml": ["<name>pen</name>"]})
    (row,) = broker.publish_batch(table).to_pylist()
    assert row["stream"] == "default"
    assert row["documents"][0]


def test_no_deliveries_and_no_rows(broker: Broker) -> None:
    for xml in (["<l/>"], []):
        found = broker.publish_batch(pa.table({"xml": pa.array(xml, pa.string())}))
        assert found.num_rows == 0
        assert "match_id" in found.schema.names


def test_bad_rows_become_dead_letters(broker: Broker) -> None:
    xml = pa.array(["<name>pen</name>", "<name>", None, "<name>ink</name>"], pa.string())
    found = broker.publish_batch(pa.table({"id": ["a", "b", "c", "d"], "xml": xml}))
    assert found["fragment"].to_pylist() == ["pen", "ink"]
    assert [letter.document for letter in broker.dead_letters] == ["b", "c"]


def test_failfast_stops_the_batch() -> None:
    with pytest.raises(DocumentError):
        Broker(mode="FAILFAST").publish_batch(pa.table({"xml": ["<a/>", "<a>"]}))


def test_large_batches(broker: Broker) -> None:
    found = broker.publish_batch(pa.table({"xml": [f"<name>{number}</name>" for number in range(3000)]}))
    assert found["fragment"].to_pylist() == [str(number) for number in range(3000)]
