"""Whether all ways of W7 deliver the same: row for row, and to Spark's own functions query for query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from penstock import Broker

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.bench.spark_data import Standing, Workload
    from penstock.bench.spark_process import AskedProcess


def embedded_deliveries(workload: Workload, standing: Standing) -> pa.Table:
    """What the embedded broker delivers, in the order of match ids."""
    broker = Broker(store=standing.url)
    return pa.concat_tables([broker.publish_batch(table) for table in workload.tables]).sort_by("match_id")


def same_rows(session: AskedProcess, engine: str, workload: Workload, expected: pa.Table) -> bool:
    """Whether batch and stream of a session give the rows of the embedded broker, column by column."""
    targets = {kind: workload.folder / f"{kind}-{engine}" for kind in ("batch", "stream")}
    for kind, target in targets.items():
        session.ask(kind, workload.many.url, str(target))
    return all(_written(target, expected.schema).equals(expected) for target in targets.values())


def same_truths(session: AskedProcess, few: Standing, expected: pa.Table, sample: int) -> bool:
    """Whether `xpath_boolean` is true of the documents from which the broker delivers something for the query."""
    own = {(id, int(subscription[1:])) for id, subscription in _pairs(expected) if int(id[1:]) < sample}
    found = session.ask("functions", few.queries, sample)["true"]
    return own == {(id, number) for id, number in found}


def matching_share(deliveries: pa.Table, workload: Workload) -> float:
    """How many of all pairs of a document and a subscription match."""
    return len(_pairs(deliveries)) / (workload.documents * len(workload.many.queries))


def _pairs(deliveries: pa.Table) -> set[tuple[str, str]]:
    """The documents from which subscriptions got something."""
    documents: list[Any] = deliveries.column("documents").to_pylist()
    subscriptions: list[Any] = deliveries.column("subscription").to_pylist()
    return {(id, subscription) for (id,), subscription in zip(documents, subscriptions, strict=True)}


def _written(folder: Path, schema: pa.Schema) -> pa.Table:
    found = pa.concat_tables([pq.read_table(path) for path in folder.glob("*.parquet")])
    # Spark's files have times in UTC, and do not say so.
    time = found.column("time").cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    return found.set_column(found.schema.get_field_index("time"), "time", time).cast(schema).sort_by("match_id")
