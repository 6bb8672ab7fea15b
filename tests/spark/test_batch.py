"""A batch of documents gives what the embedded broker gives, whatever the partitions and origin of subscriptions."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import length, sha2

from penstock import Broker
from penstock.spark import publish, rejected, sending
from spark.frames import SUBSCRIPTIONS, embedded, frame, make_broker, rows_of, some_documents


def subscriptions_frame(spark: SparkSession) -> DataFrame:
    schema = "id string, query string, stream string, subscriber string, namespaces map<string,string>, deliver string"
    names = [column.split()[0] for column in schema.split(", ")]
    return spark.createDataFrame([tuple(one.get(name) for name in names) for one in SUBSCRIPTIONS], schema)


@pytest.mark.parametrize("partitions", [1, 5])
def test_same_rows_as_the_embedded_broker(spark: SparkSession, partitions: int) -> None:
    documents = some_documents(120)
    broker = make_broker()
    found = rows_of(publish(frame(spark, documents, partitions), broker))
    assert found == embedded(broker, documents)
    assert len(found) > 500


def test_publish_batch_gives_the_same_rows(spark: SparkSession) -> None:
    documents = frame(spark, some_documents(50))
    broker = make_broker()
    rows = broker.publish_batch(documents.toArrow()).to_pylist()
    expected = rows_of(publish(documents, make_broker()))
    assert {row["match_id"]: (*list(row.values())[:8],) for row in rows} == expected


def test_subscriptions_from_a_frame_a_table_and_a_store(spark: SparkSession, tmp_path: Path) -> None:
    documents = some_documents(20)
    expected = embedded(make_broker(), documents)
    given = subscriptions_frame(spark)
    given.createOrReplaceTempView("standing")
    url = f"sqlite:///{tmp_path / 'subs.db'}"
    make_broker(store=url).close()
    for subscriptions in (given, "standing", url, Broker(store=url)):
        assert rows_of(publish(frame(spark, documents), subscriptions)) == expected


def test_the_version_is_that_of_the_call(spark: SparkSession, tmp_path: Path) -> None:
    broker = Broker(store=f"sqlite:///{tmp_path / 'subs.db'}")
    documents = frame(spark, [("d", "s", datetime(2024, 5, 1, tzinfo=UTC), "<a><b/></a>")])
    broker.subscribe("first", "//a")
    before = publish(documents, broker)
    broker.subscribe("second", "//b")
    broker.unsubscribe("first")
    after = publish(documents, broker)
    # There and back: a worker moves to older versions, too.
    for deliveries, expected in ((before, {"first"}), (after, {"second"}), (before, {"first"})):
        assert {row.subscription for row in deliveries.collect()} == expected


def test_a_store_is_sent_again_when_much_has_changed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'subs.db'}"
    broker = Broker(store=url)
    assert broker.store is not None
    documents = frame(spark, [("d", "s", datetime(2024, 5, 1, tzinfo=UTC), "<a><b/></a>")])
    files: list[str] = []
    new_file = sending.new_file
    monkeypatch.setattr(sending, "new_file", lambda suffix: files.append(suffix) or new_file(suffix))
    monkeypatch.setattr(sending, "_FEW_CHANGES", 3)
    expected = set()
    for number, count in enumerate([1, 1, 1, 2, 2]):
        broker.subscribe(f"s{number}", "//b")
        expected.add(f"s{number}")
        found = publish(documents, (url, broker)[number % 2])
        assert {row.subscription for row in found.collect()} == expected
        assert len(files) == count
    broker.unsubscribe("s0")
    broker.store.compact()
    found = publish(documents, url)
    assert {row.subscription for row in found.collect()} == expected - {"s0"}
    assert len(files) == 3


def test_rejected_subscriptions_come_back_and_stop_nothing(spark: SparkSession) -> None:
    rows = [
        ("good", "//a", None),
        ("bad", "//[", None),
        ("good", "//b", None),
        (None, "//c", None),
        ("far", "//q:a", "{"),
    ]
    given = spark.createDataFrame(rows, "id string, query string, namespaces string")
    documents = spark.createDataFrame([("<a/>",)], "xml string")
    assert [row.subscription for row in publish(documents, given).collect()] == ["good"]
    refused = rejected(given).collect()
    assert [(row.id, row.code) for row in refused] == [
        ("bad", "XPST0003"),
        (None, "PNST0010"),
        ("far", "PNST0010"),
        ("good", "PNST0011"),
    ]
    assert all(row.code in row.message for row in refused)


def test_namespaces_hold_for_rows_of_a_frame(spark: SparkSession) -> None:
    given = spark.createDataFrame(
        [("a", "//p:a", None), ("b", "//p:b", '{"p": "urn:other"}')], "id string, query string, namespaces string"
    )
    documents = spark.createDataFrame([('<a xmlns="urn:p"><b xmlns="urn:other"/></a>',)], "xml string")
    found = publish(documents, given, namespaces={"p": "urn:p"})
    assert {row.subscription for row in found.collect()} == {"a", "b"}


def test_columns_and_nullability(spark: SparkSession) -> None:
    schema = publish(frame(spark, []), make_broker()).schema
    assert schema.simpleString() == (
        "struct<subscription:string,subscriber:string,documents:array<string>,stream:string,time:timestamp,"
        "sequence:bigint,kind:string,fragment:string,match_id:string>"
    )
    assert [field.name for field in schema if field.nullable] == ["subscriber"]


def test_missing_columns_have_defaults(spark: SparkSession) -> None:
    xml = ["<name>a</name>", "<name>b</name>"]
    documents = spark.createDataFrame([(one,) for one in xml], "xml string")
    rows = publish(documents, make_broker()).where("subscription = 'names'").collect()
    hashes = {row.xml: row.hash for row in documents.select("xml", sha2("xml", 256).alias("hash")).collect()}
    assert {row.fragment: row.documents for row in rows} == {one: [hashes[one]] for one in xml}
    assert {row.stream for row in rows} == {"default"}
    assert all(abs(datetime.now(UTC) - row.time.astimezone(UTC)).total_seconds() < 60 for row in rows)


def test_columns_can_be_mapped_and_nulls_are_defaults(spark: SparkSession) -> None:
    documents = spark.createDataFrame([(7, b"<name>a</name>", None)], "key long, value binary, stream string")
    (row,) = (
        publish(documents, make_broker(), columns={"id": "key", "xml": "value"}).where("kind = 'element'").collect()
    )
    assert (row.documents, row.fragment, row.stream) == (["7"], "<name>a</name>", "default")


@pytest.mark.parametrize("kind", ["timestamp", "string", "timestamp_ntz"])
def test_only_documents_without_a_time_have_that_of_the_batch(spark: SparkSession, kind: str) -> None:
    given = spark.sql(
        f"SELECT id, '<name/>' AS xml, CAST(time AS {kind}) AS time "
        "FROM VALUES ('old', '2024-05-01 12:00:00'), ('new', NULL) AS rows(id, time)"
    ).coalesce(1)
    rows = publish(given, make_broker()).where("subscription = 'names'").collect()
    times = {row.documents[0]: row.time.astimezone(UTC) for row in rows}
    # In the session's time zone, 5:45 east of Greenwich.
    assert times["old"] == datetime(2024, 5, 1, 6, 15, tzinfo=UTC)
    assert abs(datetime.now(UTC) - times["new"]).total_seconds() < 60


def test_wrong_calls_are_told_at_once(spark: SparkSession) -> None:
    documents = spark.createDataFrame([(1, "<a/>")], "number long, text string")
    broker = Broker()
    with pytest.raises(ValueError, match="no column xml"):
        publish(documents, broker)
    with pytest.raises(ValueError, match="no column body"):
        publish(documents, broker, columns={"xml": "body"})
    with pytest.raises(ValueError, match="not key"):
        publish(documents, broker, columns={"xml": "text", "key": "number"})
    with pytest.raises(TypeError, match="neither string nor binary"):
        publish(documents, broker, columns={"xml": "number"})
    named = documents.withColumnRenamed("text", "xml")
    with pytest.raises(ValueError, match="mode"):
        publish(named, broker, mode="LOOSE")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="errors"):
        publish(named, broker, errors="keep")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="subscriptions are"):
        publish(named, 7)  # type: ignore[arg-type]


def test_grouped_rows_hold_each_fragment_once(spark: SparkSession) -> None:
    broker = make_broker()
    broker.subscribe("names again", "//item/name", subscriber="cyd")
    documents = some_documents(30)
    expected = embedded(broker, documents)
    rows = publish(frame(spark, documents, 2), broker, grouped=True).collect()
    exploded = {
        taker.match_id: (
            taker.subscription,
            taker.subscriber,
            row.documents,
            row.stream,
            row.time.astimezone(UTC),
            row.sequence,
            row.kind,
            row.fragment,
        )
        for row in rows
        for taker in row.subscriptions
    }
    assert exploded == expected
    places = [(row.documents[0], row.kind, row.sequence, row.fragment) for row in rows if row.kind == "element"]
    assert len(places) == len(set(places))
    assert len(rows) < len(expected)


def test_large_results_come_in_several_bites(spark: SparkSession) -> None:
    broker = Broker()
    broker.subscribe_many((f"s{number}", "//name") for number in range(50))
    xml = f"<name>{'x' * 3_000_000}</name>"
    documents = spark.createDataFrame([("a", xml)], "id string, xml string")
    lengths = publish(documents, broker).select(length("fragment")).collect()
    assert [found for (found,) in lengths] == [len(xml)] * 50
