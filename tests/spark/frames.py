"""Documents, subscriptions and rows that the tests of the pipeline share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from penstock import Broker

DOCUMENTS = "id string, stream string, time timestamp, xml string"
START = datetime(2024, 5, 1, 10, tzinfo=UTC)
COLUMNS = ("subscription", "subscriber", "documents", "stream", "time", "sequence", "kind", "fragment")
Document = tuple[str, str, datetime, str | None]
SUBSCRIPTIONS: list[dict[str, Any]] = [
    {"id": "names", "query": "//name", "subscriber": "ann"},
    {"id": "texts", "query": "//name/text()"},
    {"id": "ids", "query": "//item/@id", "subscriber": "bob"},
    {"id": "count", "query": "count(//item)", "stream": "shop"},
    {"id": "dear", "query": "//item[price > 10]/name", "stream": "shop", "subscriber": "ann"},
    {"id": "joined", "query": "//price", "deliver": "document"},
    {"id": "spaced", "query": "//p:note", "namespaces": {"p": "urn:p"}},
]


def some_documents(count: int) -> list[Document]:
    """Documents of two streams, with other content in each; every seventh is broken."""
    return [(f"d{number}", ("shop", "news")[number % 2], _time(number), _xml(number)) for number in range(count)]


def _time(number: int) -> datetime:
    return START + timedelta(seconds=number, microseconds=number)


def _xml(number: int) -> str:
    items = "".join(
        f'<item id="{number}-{place}"><name>pen {place} ž</name><price>{5 * place}</price></item>'
        for place in range(number % 5)
    )
    end = "" if number % 7 == 6 else "</list>"
    return f'<list>{items}<p:note xmlns:p="urn:p">{number}</p:note>{end}'


def frame(spark: SparkSession, documents: list[Document], partitions: int = 1) -> DataFrame:
    return spark.createDataFrame(documents, DOCUMENTS).repartition(partitions)


def make_broker(**parameters: Any) -> Broker:
    broker = Broker(**parameters)
    assert not broker.subscribe_many(SUBSCRIPTIONS).rejected
    return broker


def embedded(broker: Broker, documents: Iterable[Document]) -> dict[str, tuple[Any, ...]]:
    """What the embedded broker delivers, by match_id."""
    found = [
        delivery
        for id, stream, time, xml in documents
        for delivery in broker.publish(xml or "", stream=stream, id=id, time=time)
    ]
    rows = {
        one.match_id: (
            one.subscription,
            one.subscriber,
            list(one.documents),
            one.stream,
            one.time,
            one.sequence,
            one.kind,
            one.fragment,
        )
        for one in found
    }
    assert len(rows) == len(found)
    return rows


def rows_of(deliveries: DataFrame) -> dict[str, tuple[Any, ...]]:
    """The rows of a DataFrame of deliveries in the same form."""
    found = deliveries.collect()
    rows = {row.match_id: (*row[:4], utc(row.time), *row[5:8]) for row in found}
    assert len(rows) == len(found)
    return rows


def arrow_rows(deliveries: pa.Table) -> dict[str, tuple[Any, ...]]:
    """The same of an Arrow table, such as a file of deliveries."""
    # Spark's parquet files have times in UTC, and do not say so.
    time = deliveries.column("time").cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    found = deliveries.set_column(deliveries.schema.get_field_index("time"), "time", time).to_pylist()
    rows = {row["match_id"]: (*(row[name] for name in COLUMNS),) for row in found}
    assert len(rows) == len(found)
    return rows


def utc(time: datetime) -> datetime:
    """Spark gives times as they are here, without saying where that is."""
    return time.astimezone(UTC)


def write_files(folder: Path, documents: list[Document], each: int) -> int:
    """Documents as JSON files, so many in each, in the order of their names; returns how many files there are."""
    import json

    folder.mkdir(exist_ok=True)
    known = len(list(folder.iterdir()))
    for start in range(0, len(documents), each):
        lines = [
            json.dumps({"id": id, "stream": stream, "time": time.isoformat(), "xml": xml})
            for id, stream, time, xml in documents[start : start + each]
        ]
        known += 1
        (folder / f"{known:05}.json").write_text("\n".join(lines))
    return known


def run(deliveries: DataFrame, target: Path, checkpoint: Path) -> None:
    """Runs a streaming query over all there is, into files."""
    writer = deliveries.writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start(str(target))
    query.awaitTermination()
    assert query.exception() is None
