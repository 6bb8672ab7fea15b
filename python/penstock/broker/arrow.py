"""Tables of documents in, tables of deliveries out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from penstock.broker.broker import Broker
    from penstock.broker.delivery import Delivery

DELIVERIES = pa.schema(
    [
        pa.field("subscription", pa.string(), nullable=False),
        pa.field("subscriber", pa.string()),
        pa.field("documents", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False),
        pa.field("stream", pa.string(), nullable=False),
        pa.field("time", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("sequence", pa.int64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("fragment", pa.string(), nullable=False),
        pa.field("match_id", pa.string(), nullable=False),
    ]
)


def publish_table(broker: Broker, table: pa.Table) -> pa.Table:
    """Publishes the rows one after the other; a null in `stream`, `id` or `time` means the default."""
    batches = [
        _deliveries([delivery for row in batch.to_pylist() for delivery in _publish_row(broker, row)])
        for batch in table.to_batches(max_chunksize=1024)
    ]
    return pa.Table.from_batches(batches, schema=DELIVERIES)


def _publish_row(broker: Broker, row: dict[str, Any]) -> list[Delivery]:
    given = {name: row[name] for name in ("stream", "id", "time") if row.get(name) is not None}
    deliveries: list[Delivery] = broker.publish(b"" if row["xml"] is None else row["xml"], **given)
    return deliveries


def _deliveries(deliveries: list[Delivery]) -> pa.RecordBatch:
    columns = {name: [getattr(delivery, name) for delivery in deliveries] for name in DELIVERIES.names}
    return pa.RecordBatch.from_pydict(columns, schema=DELIVERIES)
