"""Documents as the match stage wants them: `id`, `stream`, `time`, `xml`, whatever the user calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BinaryType, StringType, StructField, TimestampType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import Column, DataFrame

NAMES = ("id", "stream", "time", "xml")
CORRUPT = "_corrupt_record"
"""Where Spark's sources in mode PERMISSIVE, `xmlrecords` among them, tell why a row has no document."""
NOW = "_now"
"""The time of the (micro-)batch in microseconds, as text, in rows that have no time of their own."""


def standard_documents(documents: DataFrame, columns: Mapping[str, str] | None) -> DataFrame:
    """The four columns; `columns` says what the user calls them. What is missing or null gets its default.

    The default of `id` is a hash of the document, so that a replayed document has the same; of `stream` "default"; of
    `time` the time of the (micro-)batch, which the match stage puts in. A column `_corrupt_record` is kept.
    """
    given = _given(documents, columns or {})
    xml = documents[given["xml"]]
    if not isinstance(documents.schema[given["xml"]].dataType, StringType | BinaryType):
        raise TypeError(f"the column {given['xml']} of documents is neither string nor binary")
    content = F.coalesce(F.sha2(xml.cast("binary"), 256), F.lit("null"))
    return documents.select(
        _or_default(documents, given.get("id"), "string", content).alias("id"),
        _or_default(documents, given.get("stream"), "string", F.lit("default")).alias("stream"),
        *_times(documents, given.get("time")),
        xml.alias("xml"),
        *([documents[CORRUPT].cast("string").alias(CORRUPT)] if CORRUPT in documents.columns else []),
    )


def _given(documents: DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """Which of the four there are, and under which names."""
    unknown = columns.keys() - set(NAMES)
    if unknown:
        raise ValueError(f"columns= maps {', '.join(NAMES)} to columns, not {', '.join(sorted(unknown))}")
    missing = [column for column in columns.values() if column not in documents.columns]
    given = {name: columns.get(name, name) for name in NAMES if columns.get(name, name) in documents.columns}
    if missing or "xml" not in given:
        raise ValueError(
            f"the documents have no column {', '.join(missing or ['xml'])}: {', '.join(documents.columns)}"
        )
    return given


def _times(documents: DataFrame, name: str | None) -> Iterator[Column]:
    time = (F.lit(None) if name is None else documents[name]).cast("timestamp")
    yield time.alias("time")
    # What is cast from another type may become null.
    if name is None or documents.schema[name] != StructField(name, TimestampType(), nullable=False):
        now = _now_of_stream() if documents.isStreaming else _now()
        yield F.when(time.isNull(), now).alias(NOW)


def _now() -> Column:
    """Spark writes a timestamp into the code that it generates, and would compile all of it anew for every batch.

    What is text, it keeps beside the code.
    """
    return F.unix_micros(F.current_timestamp()).cast("string")


def _now_of_stream() -> Column:
    """The same for a stream: Spark puts in the time of a micro-batch when it is too late to make text of it beforehand.

    For `from_json` it generates no code: it keeps the function, and the time in it, beside the code.
    """
    return F.from_json(F.concat(F.lit('{"now":'), _now(), F.lit("}")), "now string")["now"]


def _or_default(documents: DataFrame, name: str | None, kind: str, default: Column) -> Column:
    return default if name is None else F.coalesce(documents[name].cast(kind), default)
