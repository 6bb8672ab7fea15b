"""Many subscriptions at once."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from penstock.broker.prepare import prepare
from penstock.broker.subscription import Accepted, Registered, Rejected
from penstock.errors import QueryError
from penstock.plan.language import is_surely_xquery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from penstock.broker.registry import Registry
    from penstock.broker.synchronise import Synchronised
    from penstock.kernel.engine import Given, Program

    Row = tuple[str, str] | Mapping[str, Any]
    Rows = Iterable[Row] | pa.Table | Path

_AT_ONCE = 4096


class Entering:
    """Enters rows into a registry. Those of known shapes are told apart in bulk: only the others are compiled."""

    def __init__(
        self, registry: Registry, namespaces: Mapping[str, str], progress: Callable[[int], None] | None
    ) -> None:
        self._registry = registry
        self._namespaces = namespaces
        self._progress = progress
        self._options = {
            is_xquery: registry.number(prepare({"id": "", "query": "", "language": language}, namespaces).options)
            for is_xquery, language in ((False, "xpath"), (True, "xquery"))
        }
        self._entered: list[tuple[Given, Program | None]] = []
        self._rejected: list[Rejected] = []

    def enter(
        self, rows: Rows, changing: AbstractContextManager[object], synchronised: Synchronised | None
    ) -> Registered:
        """All of them become active together."""
        given = iter(_rows(rows))
        while chunk := list(itertools.islice(given, _AT_ONCE)):
            self._registry.native.announce(len(chunk))
            self._prepare(chunk)
            if self._progress is not None:
                self._progress(len(chunk))
        with changing:
            if synchronised is None:
                refused = frozenset(self._registry.add_rows(self._entered))
            else:
                refused = frozenset(synchronised.add_rows(self._entered))
        rejected = [*self._rejected, *(_exists(self._entered[place][0]) for place in sorted(refused))]
        ids = [given[0] for place, (given, _) in enumerate(self._entered) if place not in refused]
        return Registered(Accepted(ids, self._registry.get), tuple(rejected))

    def _prepare(self, rows: list[Row]) -> None:
        plain: list[Given] = [(*row, None, None, self._number(row[1]), False) for row in rows if _is_plain(row)]
        known = iter(zip(plain, self._registry.knows(plain), strict=True))
        for row in rows:
            if _is_plain(row):
                given, is_known = next(known)
                if is_known:
                    self._entered.append((given, None))
                    continue
            self._compile(row)

    def _number(self, query: str) -> int:
        return self._options[is_surely_xquery(query)]

    def _compile(self, row: Row) -> None:
        parameters: dict[str, Any] = dict(row) if isinstance(row, Mapping) else {"id": row[0], "query": row[1]}
        replace = bool(parameters.pop("replace", False))
        try:
            one, program = self._registry.ready(prepare(parameters, self._namespaces))
            self._entered.append((self._registry.given(one, replace), program))
        except QueryError as error:
            self._rejected.append(Rejected(parameters.get("id"), error))


def _is_plain(row: Row) -> TypeGuard[tuple[str, str]]:
    return type(row) is tuple and len(row) == 2 and type(row[0]) is str and type(row[1]) is str


def _exists(given: Given) -> Rejected:
    return Rejected(given[0], exists(given[0], given[1]))


def exists(id: str, query: str) -> QueryError:
    """The error for an id that is taken."""
    return QueryError("PNST0011", f"a subscription {id!r} exists already", query=query)


def _rows(rows: Rows) -> Iterable[Row]:
    if isinstance(rows, Path):
        return _rows_of_file(rows)
    # Arrow is large: who does not use tables does not load it.
    if not isinstance(rows, Iterable):
        return _rows_of_table(rows)
    return rows


def _rows_of_table(table: pa.Table) -> Iterator[Row]:
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        if set(table.column_names) == {"id", "query"}:
            yield from zip(batch.column("id").to_pylist(), batch.column("query").to_pylist(), strict=True)
        else:
            for row in batch.to_pylist():
                yield {name: value for name, value in row.items() if value is not None}


def _rows_of_file(file: Path) -> Iterator[Row]:
    """A line is a JSON object of `subscribe`'s parameters, or a query, whose id is then the number of its line."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if text.startswith("{"):
                yield json.loads(text)
            elif text:
                yield (str(number), text)
