"""Many subscriptions at once."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.broker.prepare import prepare
from penstock.broker.subscription import Accepted, Registered, Rejected
from penstock.errors import QueryError
from penstock.kernel.engine import Waiting
from penstock.plan.language import is_surely_xquery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from penstock.broker.registry import Registry
    from penstock.broker.synchronise import Synchronised
    from penstock.kernel.engine import Given, PreparedQuery

    Row = tuple[str, str] | Mapping[str, Any]
    Rows = Iterable[Row] | pa.Table | Path
    _Ready = tuple[Given, PreparedQuery | None]

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
        self._ids: list[str] = []
        self._waiting = Waiting()
        self._rejected: list[Rejected] = []

    def enter(
        self, rows: Rows, changing: AbstractContextManager[object], synchronised: Synchronised | None
    ) -> Registered:
        """All of them become active together."""
        given = iter(_rows(rows))
        while chunk := list(itertools.islice(given, _AT_ONCE)):
            self._registry.native.announce(len(chunk))
            ready = self._prepared(chunk)
            self._ids += [given[0] for given, _ in ready]
            self._waiting.extend(ready)
            if self._progress is not None:
                self._progress(len(chunk))
        with changing:
            refused = dict((self._registry if synchronised is None else synchronised).enter(self._waiting))
        for place, query in refused.items():
            self._rejected.append(Rejected(self._ids[place], exists(self._ids[place], query)))
        ids = [id for place, id in enumerate(self._ids) if place not in refused]
        return Registered(Accepted(ids, self._registry.get), tuple(self._rejected))

    def _prepared(self, rows: list[Row]) -> list[_Ready]:
        given = [self._given(row) for row in rows]
        known = iter(self._registry.knows([one for one in given if one is not None]))
        ready: list[_Ready] = []
        for row, one in zip(rows, given, strict=True):
            if one is not None and next(known):
                ready.append((one, None))
            elif found := self._compiled(row):
                ready.append(found)
        return ready

    def _given(self, row: Row) -> Given | None:
        """A row as the engine takes it, if there is nothing unusual about it."""
        if type(row) is tuple and len(row) == 2 and type(row[0]) is str and type(row[1]) is str:
            return (row[0], row[1], None, None, self._options[is_surely_xquery(row[1])], False)
        return None

    def _compiled(self, row: Row) -> _Ready | None:
        parameters: dict[str, Any] = dict(row) if isinstance(row, Mapping) else {"id": row[0], "query": row[1]}
        replace = bool(parameters.pop("replace", False))
        try:
            one, program = self._registry.ready(prepare(parameters, self._namespaces))
            return self._registry.given(one, replace), program
        except QueryError as error:
            self._rejected.append(Rejected(parameters.get("id"), error))
            return None


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
