"""W7's documents and subscriptions, in a folder that broker and Spark sessions share: parquet files and stores."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from penstock import Broker, split_records
from penstock.generate import xmark
from penstock.generate.observe import from_documents
from penstock.generate.queries import Parameters, queries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ENOUGH_CHARACTERS = 8_500
"""Then a document is full: with the item that is too much, it has 10 KB on average."""
FILES = 8
"""As many tasks: few and large, and a number that two cores can share evenly."""
FEW = 100
"""So many queries are asked of Spark's own functions, too."""
_SAMPLE = 200
_BLOCK = 2_000
_START = datetime(2024, 5, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Standing:
    """Subscriptions in a store; their ids are `q` and the place of the query."""

    url: str
    queries: list[str]


@dataclass(frozen=True, slots=True)
class Workload:
    """What is matched: files of documents, and the documents as tables; and against what."""

    folder: Path
    tables: list[pa.Table]
    many: Standing
    few: Standing

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(table.num_rows for table in self.tables)

    def texts(self) -> list[bytes]:
        """The documents as bytes."""
        return [text for table in self.tables for text in _texts(table)]


def make_workload(folder: Path, documents: int, subscriptions: int) -> Workload:
    """Writes documents and subscriptions below a folder."""
    made = made_documents()
    ends = [documents * (file + 1) // FILES for file in range(FILES)]
    tables = [_table(list(islice(made, end - start)), start) for start, end in pairwise([0, *ends])]
    document_folder(folder).mkdir(parents=True)
    for number, table in enumerate(tables):
        pq.write_table(table, document_folder(folder) / f"{number:03}.parquet")
    sample = [text for table in tables for text in _texts(table)[: _SAMPLE // FILES]]
    queries = list(islice(rarely_matching(sample), subscriptions))
    many, few = (_subscribed(folder / f"{len(some)}.db", some) for some in (queries, queries[:FEW]))
    return Workload(folder, tables, many, few)


def document_folder(folder: Path) -> Path:
    """Where the documents of a workload are, as parquet files with the columns of documents."""
    return folder / "documents"


def rarely_matching(sample: list[bytes]) -> Iterator[str]:
    """Generated queries with one predicate on a value, without those that match more than 1 % of the sample."""
    drawn = queries(from_documents(sample), Parameters(number=1 << 30, length=(2, 6), predicates=(1, 1)))
    while block := list(islice(drawn, _BLOCK)):
        broker = Broker()
        broker.subscribe_many((str(number), text) for number, text in enumerate(block))
        found = Counter(id for document in sample for id in broker.matches(document))
        most = max(1, len(sample) // 100)
        yield from (text for number, text in enumerate(block) if found[str(number)] <= most)


def made_documents() -> Iterator[str]:
    """Documents without end: items of a generated XMark site, about 10 KB of them in each.

    >>> document = next(made_documents())
    >>> document.startswith("<items>"), 8_500 <= len(document) < 20_000
    (True, True)
    """
    items: list[str] = []
    size = 0
    # The site's items come first: no more of it is generated than is read.
    for record in split_records(_Pieces(xmark(size=1 << 40)), "item"):
        items.append(record.xml or "")
        size += len(items[-1])
        if size >= _ENOUGH_CHARACTERS:
            yield f"<items>{''.join(items)}</items>"
            items, size = [], 0


class _Pieces:
    """A generator's text as a file to read."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces

    def read(self, size: int, /) -> bytes:
        """About as many bytes as asked for; nothing is as bad as many small pieces."""
        taken: list[str] = []
        length = 0
        for piece in self._pieces:
            taken.append(piece)
            length += len(piece)
            if length >= size:
                break
        return "".join(taken).encode()


def _table(texts: list[str], first: int) -> pa.Table:
    numbers = range(first, first + len(texts))
    columns = {
        "id": [f"d{number:06}" for number in numbers],
        "stream": ["shop"] * len(texts),
        "time": pa.array([_START + timedelta(seconds=number) for number in numbers], pa.timestamp("us", "UTC")),
        "xml": texts,
    }
    return pa.table(columns)


def _texts(table: pa.Table) -> list[bytes]:
    documents: list[Any] = table.column("xml").to_pylist()
    return [document.encode() for document in documents]


def _subscribed(path: Path, queries: list[str]) -> Standing:
    url = f"sqlite:///{path.absolute()}"
    with closing(Broker(store=url)) as broker:
        outcome = broker.subscribe_many((f"q{number:06}", query) for number, query in enumerate(queries))
    if outcome.rejected:
        raise ValueError(f"a generated query was refused: {outcome.rejected[0].error}")
    return Standing(url, queries)
