"""Arrow tables of documents in, Arrow tables of deliveries out."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from penstock import Broker, Delivery, DocumentError

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


def test_callbacks_listeners_and_counts_see_batches(broker: Broker) -> None:
    seen: list[Delivery] = []
    broker.subscribe("pushed", "//name", callback=seen.append)
    found = broker.publish_batch(pa.table({"id": ["a", "b"], "time": [TIME, TIME], "xml": ["<name/>", "<name>"]}))
    assert seen == [Delivery("pushed", None, "element", "<name/>", ("a",), "default", TIME, 0)]
    assert found["match_id"].to_pylist() == [seen[0].match_id]
    counts = broker.stats()
    assert (counts["documents"], counts["deliveries"], counts["errors"]) == (2, 1, 1)


def test_counts_of_a_batch_that_failed_fast() -> None:
    strict = Broker(mode="FAILFAST")
    with pytest.raises(DocumentError, match="null"):
        strict.publish_batch(pa.table({"xml": pa.array(["<a/>", "<a/>", None, "<a/>"], pa.string())}))
    assert strict.stats()["documents"] == 3
    assert strict.stats()["errors"] == 1


def test_joined_deliveries_are_those_of_publish() -> None:
    broker = Broker()
    broker.subscribe("joined", "//name | //@id", deliver="document")
    broker.subscribe("single", "//name")
    xml = '<l id="1"><name>pen</name><name>ink</name></l>'
    rows = broker.publish_batch(pa.table({"id": ["d"], "time": [TIME], "xml": [xml]})).to_pylist()
    expected = [{**one.as_dict(), "documents": ["d"]} for one in broker.publish(xml, id="d", time=TIME)]
    assert rows == [{name: one[name] for name in rows[0]} for one in expected]
    assert [row["kind"] for row in rows] == ["element", "element", "document"]


def test_failed_evaluations_are_dead_letters_of_their_subscription(broker: Broker) -> None:
    broker.subscribe("pattern of the document", "//name[matches('x', string(../@p))]")
    xml = '<l p="("><name>pen</name></l>'
    single = [one.fragment for one in broker.publish(xml, id="one")]
    assert broker.publish_batch(pa.table({"id": ["two"], "xml": [xml]}))["fragment"].to_pylist() == single == ["pen"]
    one, two = broker.dead_letters
    assert (one.error_class, one.message, one.subscription) == (two.error_class, two.message, two.subscription)
    assert two.subscription == "pattern of the document"


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_any_type_of_text(broker: Broker, kind: pa.DataType) -> None:
    found = broker.publish_batch(pa.table({"xml": pa.array(["<name>pen</name>", None], pa.string()).cast(kind)}))
    assert found["fragment"].to_pylist() == ["pen"]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(16)])
def test_any_type_of_bytes(broker: Broker, kind: pa.DataType) -> None:
    found = broker.publish_batch(pa.table({"xml": pa.array([b"<name>pen</name>", None], kind)}))
    assert found["fragment"].to_pylist() == ["pen"]


def test_times_as_publish_takes_them(broker: Broker) -> None:
    for time in (
        pa.array([TIME.isoformat()]),
        pa.array([TIME.timestamp()]),
        pa.array([TIME], pa.timestamp("ms", "Asia/Tokyo")),
    ):
        found = broker.publish_batch(pa.table({"time": time, "xml": ["<name>pen</name>"]}))
        assert found["time"].to_pylist() == [TIME]
    with pytest.raises(ValueError, match="no time zone"):
        broker.publish_batch(pa.table({"time": pa.array([TIME.replace(tzinfo=None)]), "xml": ["<name/>"]}))


def test_a_slice_of_a_table(broker: Broker) -> None:
    table = pa.table({"xml": [f"<name>{number}</name>" for number in range(10)]})
    assert broker.publish_batch(table.slice(3, 4))["fragment"].to_pylist() == ["3", "4", "5", "6"]


def test_a_table_without_documents_is_an_error(broker: Broker) -> None:
    with pytest.raises(ValueError, match="xml"):
        broker.publish_batch(pa.table({"id": ["a"]}))
