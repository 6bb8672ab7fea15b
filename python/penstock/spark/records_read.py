"""What a task of the `xmlrecords` source does: parts of files in, Arrow batches of records out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.datasource import InputPartition

from penstock.errors import DocumentError, PenstockError
from penstock.kernel.records import WHOLE, Part, Record, RecordColumns, find_parts, split_columns
from penstock.kernel.unpacking import is_compressed, unpacked
from penstock.spark.records_decoding import Decoded
from penstock.spark.records_files import RecordFile, open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql.types import StructType

    from penstock.spark.records_options import RecordOptions

# What opening a file costs, in bytes that could be read instead (Spark's files.openCostInBytes).
OPEN_COST = 4 << 20
COLUMNS: dict[str, pa.DataType] = {
    "id": pa.string(),
    "stream": pa.string(),
    "time": pa.timestamp("us", tz="UTC"),
    "xml": pa.string(),
    "path": pa.string(),
    "offset": pa.int64(),
}


@dataclass(frozen=True)
class FilePart:
    """A part of a file, or all of it."""

    file: RecordFile
    part: Part = WHOLE


class RecordPartition(InputPartition):
    """What one task reads."""

    def __init__(self, pieces: Sequence[FilePart]) -> None:
        super().__init__(list(pieces))


def plan_partitions(files: Sequence[RecordFile], options: RecordOptions) -> list[RecordPartition]:
    """Large files are cut between records, small ones are read several by one task."""
    total = sum(file.size + OPEN_COST for file in files)
    enough = min(options.max_partition_bytes, max(OPEN_COST, total // (os.cpu_count() or 1)))
    partitions: list[RecordPartition] = []
    together: list[FilePart] = []
    weight = 0
    for file in files:
        pieces = _pieces(file, options)
        if len(pieces) > 1:
            partitions += [RecordPartition([piece]) for piece in pieces]
            continue
        if together and weight + file.size > enough:
            partitions.append(RecordPartition(together))
            together, weight = [], 0
        together += pieces
        weight += file.size + OPEN_COST
    if together:
        partitions.append(RecordPartition(together))
    return partitions


def read_partition(partition: InputPartition, options: RecordOptions, schema: StructType) -> Iterator[pa.RecordBatch]:
    """The partition's records in batches with the columns of `schema`."""
    arrow = arrow_schema(schema, options)
    for piece in partition.value:
        for batch in _batches(piece, options):
            if batch.num_rows:
                yield batch.select(arrow.names).cast(arrow)


def arrow_schema(schema: StructType, options: RecordOptions) -> pa.Schema:
    """The Arrow form of a schema, which may leave out columns but not invent any."""
    types = {**COLUMNS, options.corrupt_column: pa.string()} if options.names_corrupt else COLUMNS
    unknown = [field.name for field in schema.fields if field.name not in types]
    if unknown:
        raise ValueError(f"xmlrecords has no column {', '.join(unknown)}; it has {', '.join(types)}")
    return pa.schema([pa.field(field.name, types[field.name], field.nullable) for field in schema.fields])


def _pieces(file: RecordFile, options: RecordOptions) -> list[FilePart]:
    is_other = options.encoding not in (None, "utf-8")
    if file.size <= options.max_partition_bytes or is_compressed(file.path) or is_other:
        return [FilePart(file)]
    with open_file(file.path) as raw:
        return [FilePart(file, part) for part in find_parts(raw, options.row_tag, options.max_partition_bytes)]


def _batches(piece: FilePart, options: RecordOptions) -> Iterator[pa.RecordBatch]:
    """The records, those that are too large, and what is wrong with the file as a last one."""
    with open_file(piece.file.path) as raw:
        raw.seek(piece.part.start)
        source = unpacked(raw, piece.file.path)
        # Parts further on are of a file that is UTF-8, and have no declaration that could say otherwise.
        if options.encoding is not None and piece.part.start == 0:
            source = Decoded(source, options.encoding)
        try:
            for columns in split_columns(source, options.row_tag, options.max_record_bytes, piece.part):
                yield _good(columns, piece.file, options)
                for record in columns.too_large:
                    yield _bad(record, piece.file, options)
        except DocumentError as error:
            yield _bad(Record(None, error.offset, error.line, str(error)), piece.file, options)


def _good(columns: RecordColumns, file: RecordFile, options: RecordOptions) -> pa.RecordBatch:
    count = columns.count
    xml = pa.StringArray.from_buffers(count, pa.py_buffer(columns.ends), pa.py_buffer(columns.texts))
    offsets = pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(columns.offsets)])
    return _batch(xml, offsets, pa.nulls(count, pa.string()), file, options)


def _bad(record: Record, file: RecordFile, options: RecordOptions) -> pa.RecordBatch:
    if options.mode == "FAILFAST":
        raise PenstockError(f"{file.path}: {record.error}")
    kept = [record] if options.names_corrupt else []
    xml = pa.nulls(len(kept), pa.string())
    offsets = pa.array([record.offset for record in kept], pa.int64())
    return _batch(xml, offsets, pa.array([record.error for record in kept], pa.string()), file, options)


def _batch(
    xml: pa.Array[Any], offsets: pa.Array[Any], reasons: pa.Array[Any], file: RecordFile, options: RecordOptions
) -> pa.RecordBatch:
    count = len(xml)
    # The stubs do not know that scalars and arrays may be mixed.
    join: Any = pc.binary_join_element_wise
    columns: dict[str, pa.Array[Any]] = {
        "id": join(pa.scalar(file.name), offsets.cast(pa.string()), "#"),
        "stream": pa.repeat(options.stream, count),
        "time": pa.repeat(pa.scalar(options.time or file.time), count),
        "xml": xml,
        "path": pa.repeat(file.path, count),
        "offset": offsets,
    }
    if options.names_corrupt:
        columns[options.corrupt_column] = reasons
    return pa.RecordBatch.from_pydict(columns)
