"""Tables of documents in, tables of deliveries out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from penstock.broker.delivery import Delivery
from penstock.broker.documents import Document
from penstock.broker.times import event_time
from penstock.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.kernel.engine import Engine, Subscriptions

TIME = pa.timestamp("us", tz="UTC")
_HEADER = [
    pa.field("documents", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False),
    pa.field("stream", pa.string(), nullable=False),
    pa.field("time", TIME, nullable=False),
    pa.field("sequence", pa.int64(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("fragment", pa.string(), nullable=False),
]
_SUBSCRIPTION = [pa.field("subscription", pa.string(), nullable=False), pa.field("subscriber", pa.string())]
_MATCH = pa.field("match_id", pa.string(), nullable=False)
DELIVERIES = pa.schema([*_SUBSCRIPTION, *_HEADER, _MATCH])
"""One row a delivery."""
GROUPED = pa.schema(
    [
        pa.field(
            "subscriptions",
            pa.list_(pa.field("element", pa.struct([*_SUBSCRIPTION, _MATCH]), nullable=False)),
            nullable=False,
        ),
        *_HEADER,
    ]
)
"""One row a fragment."""
_XML_TYPES = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
_ROWS_AT_ONCE = 1024


class Letter(NamedTuple):
    """What went wrong with the document of a row, for one subscription or (None) altogether."""

    row: int
    subscription: str | None
    error_class: str
    message: str
    line: int
    column: int
    offset: int

    def error(self) -> DocumentError:
        """The same as an exception."""
        return DocumentError(self.error_class, self.message, self.line, self.column, self.offset)


class DocumentBatch:
    """Documents as the engine reads them: `id`, `stream` and `time` without nulls, and `xml`."""

    def __init__(self, rows: pa.RecordBatch) -> None:
        self.rows = rows

    def match(
        self, engine: Engine, subscriptions: Subscriptions, *, grouped: bool = False, stop: bool = False
    ) -> tuple[list[pa.RecordBatch], list[Letter]]:
        """Deliveries, and letters on what went wrong. With `stop` the first refused document is the last."""
        found, letters = engine.table(subscriptions, self.rows, grouped, stop)
        return found, [Letter(*letter) for letter in letters]

    def accepted(self, letters: list[Letter], *, stop: bool = False) -> int:
        """How many documents went through, given the letters of `match`."""
        refused = {letter.row for letter in letters if letter.subscription is None}
        return min(refused) if stop and refused else self.rows.num_rows - len(refused)

    def document(self, row: int) -> Document:
        """What is known of a document besides its XML."""
        return Document(*(self.rows.column(name)[row].as_py() for name in ("id", "stream", "time")))

    def xml(self, row: int) -> str | bytes | None:
        """A document."""
        xml: str | bytes | None = self.rows.column("xml")[row].as_py()
        return xml


def document_batches(table: pa.Table, counter: Iterator[int]) -> Iterator[DocumentBatch]:
    """The documents of a table; a missing or null `stream`, `id` or `time` means the default."""
    if "xml" not in table.column_names:
        raise ValueError("a table of documents needs a column xml")
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        given = {name: batch.column(name) for name in ("id", "stream", "time") if name in table.column_names}
        ids = given["id"].cast(pa.string()).to_pylist() if "id" in given else [None] * batch.num_rows
        columns = {
            "id": pa.array([str(next(counter)) if id is None else id for id in ids], pa.string()),
            "stream": _streams(given.get("stream"), batch.num_rows),
            "time": _times(given.get("time"), batch.num_rows),
            "xml": as_xml(batch.column("xml")),
        }
        yield DocumentBatch(pa.RecordBatch.from_pydict(columns))


def as_xml(column: pa.Array[Any]) -> pa.Array[Any]:
    """Documents in one of the types that the engine reads in place."""
    if column.type in _XML_TYPES:
        return column
    binary = pa.types.is_fixed_size_binary(column.type) or column.type == pa.binary_view()
    return column.cast(pa.large_binary() if binary else pa.large_string())


def deliveries_of(batches: list[pa.RecordBatch]) -> list[Delivery]:
    """Rows as objects."""
    return [
        Delivery(
            row["subscription"],
            row["subscriber"],
            row["kind"],
            row["fragment"],
            tuple(row["documents"]),
            row["stream"],
            row["time"].astimezone(UTC),
            row["sequence"],
        )
        for batch in batches
        for row in batch.to_pylist()
    ]


def joined_table(batches: list[pa.RecordBatch]) -> pa.Table:
    """Deliveries as one table."""
    return pa.Table.from_batches(batches, schema=DELIVERIES)


def _streams(column: pa.Array[Any] | None, length: int) -> pa.Array[Any]:
    if column is None:
        return pa.array(["default"] * length, pa.string())
    return column.cast(pa.string()).fill_null("default")


def _times(column: pa.Array[Any] | None, length: int) -> pa.Array[Any]:
    now = pa.array([datetime.now(UTC)] * length, TIME)
    if column is None:
        return now
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        return pc.coalesce(column.cast(TIME, safe=False), now)
    return pa.array([event_time(time) for time in column.to_pylist()], TIME)
