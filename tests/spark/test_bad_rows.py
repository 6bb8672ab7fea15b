"""Bad documents stop nothing, unless they are meant to."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from penstock import Broker
from penstock.spark import dead_letters, publish
from penstock.spark.letters import XML_LIMIT
from spark.frames import START

MANY = 10_000
BINDINGS = " ".join(f'xmlns:n{number}="urn:{number}"' for number in range(MANY))
SPACED = f"<a {BINDINGS}><n{MANY - 1}:b/></a>"
ROWS: dict[str, bytes | None] = {
    "good": b"<a/>",
    "null": None,
    "empty": b"",
    "garbage": bytes(range(256)) * 4,
    "encoding": b'<?xml version="1.0" encoding="UTF-8"?><a>\xff</a>',
    "unknown": b'<?xml version="1.0" encoding="klingon"?><a/>',
    "open": b"<a>\n  <b>",
    "long": b"<a>" + "ž".encode() * 100_000,
    "spaced": SPACED.encode(),
}
REFUSED = set(ROWS) - {"good", "spaced"}


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    rows = [(id, "s", START, xml) for id, xml in ROWS.items()]
    return spark.createDataFrame(rows, "id string, stream string, time timestamp, xml binary").repartition(3).cache()


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.subscribe("a", "/a")
    return broker


def test_they_are_dropped_unless_asked_for(documents: DataFrame, broker: Broker) -> None:
    assert {row.documents[0] for row in publish(documents, broker).collect()} == {"good", "spaced"}


@pytest.mark.parametrize("grouped", [False, True])
def test_letters_tell_what_the_embedded_broker_tells(documents: DataFrame, broker: Broker, grouped: bool) -> None:
    found = publish(documents, broker, errors="rows", grouped=grouped)
    assert {row.documents[0] for row in found.where("kind <> 'error'").collect()} == {"good", "spaced"}
    letters = {row.document: row for row in dead_letters(found).collect()}
    assert set(letters) == REFUSED
    for id in REFUSED - {"null"}:
        broker.publish(ROWS[id] or b"", id=id)
    for expected in broker.dead_letters:
        row = letters[expected.document]
        place = (expected.error_class, expected.message, expected.line, expected.column, expected.offset)
        assert (row.error_class, row.message, row.line, row.column, row.offset) == place
        assert row.subscription is None
    assert letters["null"].message == "the document is null"
    assert letters["null"].xml is None
    assert letters["open"].xml == "<a>\n  <b>"
    assert letters["long"].xml == "<a>" + "ž" * (XML_LIMIT - 3)


def test_rows_of_letters_are_as_other_rows(documents: DataFrame, broker: Broker) -> None:
    found = publish(documents, broker, errors="rows").where("kind = 'error'").collect()
    assert {row.subscription for row in found} == {""}
    assert len({row.match_id for row in found}) == len(REFUSED)
    assert {len(row.match_id) for row in found} == {32}


def test_mode_dropmalformed(documents: DataFrame, broker: Broker) -> None:
    rows = publish(documents, broker, errors="rows", mode="DROPMALFORMED").collect()
    assert {row.documents[0] for row in rows} == {"good", "spaced"}


def test_mode_failfast(documents: DataFrame, broker: Broker) -> None:
    with pytest.raises(PySparkException, match="DocumentError"):
        publish(documents, broker, mode="FAILFAST").collect()
    good = documents.where("id in ('good', 'spaced')")
    assert publish(good, broker, mode="FAILFAST").count() == 2


def test_limits_hold_in_workers(documents: DataFrame, broker: Broker) -> None:
    found = publish(documents.where("id = 'spaced'"), broker, errors="rows", limits={"attributes": 100})
    assert [row.error_class for row in dead_letters(found).collect()] == ["limit"]


@pytest.mark.parametrize("grouped", [False, True])
def test_a_failed_evaluation_costs_one_subscription(spark: SparkSession, broker: Broker, grouped: bool) -> None:
    broker.subscribe("pattern", "/a[matches('x', string(@p))]")
    given = spark.createDataFrame([('<a p="("/>',)], "xml string")
    found = publish(given, broker, errors="rows", mode="DROPMALFORMED", grouped=grouped)
    assert [row.fragment for row in found.where("kind <> 'error'").collect()] == ['<a p="("/>']
    (letter,) = dead_letters(found).collect()
    broker.publish('<a p="("/>')
    expected = broker.dead_letters[0]
    assert (letter.error_class, letter.message, letter.subscription) == ("evaluation", expected.message, "pattern")


def test_a_source_says_why_there_is_no_document(spark: SparkSession, broker: Broker) -> None:
    rows = [("d1", None, "cut off at line 7"), ("d2", "<a", "nothing"), ("d3", None, None)]
    given = spark.createDataFrame(rows, "id string, xml string, _corrupt_record string")
    letters = {row.document: row.message for row in dead_letters(publish(given, broker, errors="rows")).collect()}
    assert letters["d1"] == "no document: cut off at line 7"
    assert "nothing" not in letters["d2"]
    assert letters["d3"] == "the document is null"
    with pytest.raises(PySparkException, match="cut off at line 7"):
        publish(given.where("id = 'd1'"), broker, mode="FAILFAST").collect()
