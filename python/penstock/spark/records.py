"""The `xmlrecords` data source: large XML files, or a folder of them as a stream, as rows of record documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from penstock.spark.records_files import list_files
from penstock.spark.records_offsets import INITIAL, advance, between
from penstock.spark.records_options import RecordOptions, read_options
from penstock.spark.records_read import arrow_schema, plan_partitions, read_partition

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from penstock.spark.records_files import RecordFile


def register(spark: SparkSession) -> None:
    """Makes `spark.read.format("xmlrecords")` and `spark.readStream.format("xmlrecords")` known to a session."""
    spark.dataSource.register(XmlRecords)


class XmlRecords(DataSource):
    """Rows `id, stream, time, xml, path, offset`, one for each outermost element named `rowTag`."""

    @classmethod
    def name(cls) -> str:
        """What `format` calls it."""
        return "xmlrecords"

    def schema(self) -> StructType:
        """The columns; with mode PERMISSIVE one more for what is wrong."""
        options = read_options(self.options)
        fields = [
            StructField("id", StringType(), nullable=False),
            StructField("stream", StringType(), nullable=False),
            StructField("time", TimestampType(), nullable=False),
            StructField("xml", StringType(), nullable=options.names_corrupt),
            StructField("path", StringType(), nullable=False),
            StructField("offset", LongType(), nullable=False),
        ]
        if options.names_corrupt:
            fields.append(StructField(options.corrupt_column, StringType()))
        return StructType(fields)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads what is there now."""
        return RecordReader(read_options(self.options), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        """Reads what is there, and files as they come."""
        return RecordStreamReader(read_options(self.options), schema)


class RecordReader(DataSourceReader):
    """All records of the files."""

    def __init__(self, options: RecordOptions, schema: StructType) -> None:
        arrow_schema(schema, options)
        self._options = options
        self._schema = schema

    def partitions(self) -> Sequence[InputPartition]:
        """The files, cut or packed into tasks."""
        return plan_partitions(list_files(self._options), self._options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of one task."""
        return read_partition(partition, self._options, self._schema)


class RecordStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A folder as a stream of files. Which were read is in the offset, and so in the query's checkpoint."""

    def __init__(self, options: RecordOptions, schema: StructType) -> None:
        arrow_schema(schema, options)
        self._options = options
        self._schema = schema
        self._all_there_is: list[RecordFile] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """No file was read."""
        return INITIAL

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """As many files as maxFilesPerTrigger says."""
        most = self._options.max_files_per_trigger
        return ReadAllAvailable() if most is None else ReadMaxFiles(most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """What comes after this call is left for the next run."""
        self._all_there_is = list_files(self._options)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """The offset after the next files, oldest first."""
        files = list_files(self._options) if self._all_there_is is None else self._all_there_is
        most = limit.max_files if isinstance(limit, ReadMaxFiles) else None
        return advance(start, files, most, self._options.max_file_age)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The files that came between the offsets, cut or packed into tasks."""
        new = between(start, end)
        return plan_partitions(new, self._options) if new else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of one task."""
        return read_partition(partition, self._options, self._schema)
