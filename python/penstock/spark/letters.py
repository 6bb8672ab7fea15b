"""Dead letters: rows of kind `error` among the deliveries, and how they are told from them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812

from penstock.broker.arrow import DELIVERIES, GROUPED
from penstock.spark.schema import LETTER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from penstock.broker.arrow import DocumentBatch, Letter

XML_LIMIT = 65_536
"""So many characters of a document are kept in its dead letter."""


def dead_letters(deliveries: DataFrame) -> DataFrame:
    """The dead letters among deliveries that were made with `errors="rows"`, batch or streaming.

    Columns: `document`, `stream`, `time`, `error_class`, `message`, `line`, `column`, `offset`, `xml` (its beginning,
    if it is long), `subscription` (the one whose evaluation failed; null if the document was refused) and `match_id`.
    """
    letter = F.from_json("fragment", LETTER)
    found = deliveries.where(F.col("kind") == "error").withColumn("letter", letter)
    return found.select(
        F.col("documents")[0].alias("document"),
        "stream",
        "time",
        F.col("letter.class").alias("error_class"),
        *(f"letter.{name}" for name in ("message", "line", "column", "offset", "xml", "subscription", "match_id")),
    )


def error_rows(batch: DocumentBatch, letters: list[Letter], *, grouped: bool) -> pa.RecordBatch:
    """Letters as rows among the deliveries of their documents."""
    rows = [_row(batch, letter, grouped=grouped) for letter in letters]
    return pa.RecordBatch.from_pylist(rows, schema=GROUPED if grouped else DELIVERIES)


def _row(batch: DocumentBatch, letter: Letter, *, grouped: bool) -> dict[str, Any]:
    document = batch.document(letter.row)
    subscription = letter.subscription or ""
    identity = _identity(subscription, document.id)
    fragment = {
        "subscription": letter.subscription,
        "class": letter.error_class,
        "message": letter.message,
        "line": letter.line,
        "column": letter.column,
        "offset": letter.offset,
        "xml": _beginning(batch.xml(letter.row)),
        "match_id": identity,
    }
    row: dict[str, Any] = {
        "documents": [document.id],
        "stream": document.stream,
        "time": document.time,
        "sequence": letter.offset,
        "kind": "error",
        "fragment": json.dumps(fragment, ensure_ascii=False),
    }
    if grouped:
        return {"subscriptions": [], **row}
    return {"subscription": subscription, "subscriber": None, **row, "match_id": identity}


def _identity(subscription: str, document: str) -> str:
    """128 bits, as those of deliveries: a sink that knows rows by them keeps a replayed letter once."""
    name = json.dumps(["error", subscription, document])
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()


def _beginning(xml: str | bytes | None) -> str | None:
    if isinstance(xml, bytes):
        # A character has four bytes at most.
        return xml[: 4 * XML_LIMIT].decode(errors="replace")[:XML_LIMIT]
    return None if xml is None else xml[:XML_LIMIT]
