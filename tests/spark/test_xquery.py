"""Subscriptions in XQuery on Spark: the same rows as the embedded broker gives."""

from __future__ import annotations

from datetime import UTC, datetime

from pyspark.sql import SparkSession

from penstock import Broker
from penstock.spark import dead_letters, publish
from spark.frames import embedded, frame, rows_of

TIME = datetime(2024, 5, 1, tzinfo=UTC)
DOCUMENTS = [
    ("one", "s", TIME, "<bib><book y='1'><t>Sluices</t></book><book y='2'><t>Tea &amp; time</t></book></bib>"),
    ("two", "s", TIME, "<bib><book y='3'><t>Dams</t></book></bib>"),
    ("none", "s", TIME, "<bib/>"),
]


def make_broker() -> Broker:
    broker = Broker()
    broker.subscribe("titles", "for $b in //book order by $b/t descending return <t y='{$b/@y}'>{string($b/t)}</t>")
    broker.subscribe("list", "<list>{for $b in //book return $b/t}</list>", deliver="document")
    broker.subscribe("only", "exactly-one(//book)/t")
    return broker


def test_same_rows_as_the_embedded_broker(spark: SparkSession) -> None:
    broker = make_broker()
    found = rows_of(publish(frame(spark, DOCUMENTS), broker))
    assert found == embedded(broker, DOCUMENTS)
    assert len(found) == 6


def test_a_query_that_fails_on_a_document_is_a_dead_letter(spark: SparkSession) -> None:
    rows = dead_letters(publish(frame(spark, DOCUMENTS), make_broker(), errors="rows")).collect()
    assert sorted((row.document, row.message[:8]) for row in rows) == [("none", "FORG0005"), ("one", "FORG0005")]
