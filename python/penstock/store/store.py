"""The store: a log of changes, read as of any version."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.errors import StoreError
from penstock.store.planning import plan_changes
from penstock.store.rows import COLUMNS, Change, LogEntry, SubscriptionRow, decoded, is_storable, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import timedelta

    from penstock.store.backend import Backend, Transaction

CLAIMS_KEPT = 1000
"""How many batches a query may go back. Spark itself keeps what it needs to go back a hundred."""
_COLUMNS = quoted(COLUMNS)


class ConflictError(StoreError):
    """Changes that are not possible: ids subscribed that exist already, or removed that do not."""

    def __init__(self, existing: tuple[str, ...], unknown: tuple[str, ...]) -> None:
        super().__init__(existing, unknown)
        self.existing = existing
        self.unknown = unknown

    def __str__(self) -> str:
        parts = (("subscribed already", self.existing), ("not subscribed", self.unknown))
        return "; ".join(f"{what}: {', '.join(ids)}" for what, ids in parts if ids)


class CompactedError(StoreError):
    """A version was asked for that the log no longer holds."""


class Applied(NamedTuple):
    """What `Store.apply_possible` did: the version, and the places of the changes that were not possible."""

    version: int
    refused: tuple[int, ...]


class Store:
    """Subscriptions and their history, shared by any number of threads and processes.

    Every method may be called from any thread. A pickled store opens its URL anew.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @property
    def url(self) -> str:
        """The URL that opens this store from any folder."""
        return self._backend.url

    def __repr__(self) -> str:
        return f"<Store {self._backend.name}>"

    def __reduce__(self) -> tuple[Callable[[str], Store], tuple[str]]:
        from penstock.store.url import open_store

        return open_store, (self.url,)

    # Changing

    def apply(self, changes: Sequence[Change]) -> int:
        """Makes all of the changes, as one new version, which it returns; or none of them and a ConflictError.

        Without changes it returns the version there is.
        """
        return self._apply(changes, in_part=False).version

    def apply_possible(self, changes: Sequence[Change]) -> Applied:
        """As `apply`, but leaves out the changes that are not possible, and says which."""
        return self._apply(changes, in_part=True)

    def _apply(self, changes: Sequence[Change], *, in_part: bool) -> Applied:
        if not changes:
            return Applied(self.version(), ())
        _check_texts(changes)
        among, ids = self._backend.among, self._backend.id_list(change.id for change in changes)
        with self._backend.writing() as transaction:
            newest, _ = _locked_state(transaction)
            version = newest + 1
            live_rows = transaction.rows(f"SELECT id FROM penstock_log WHERE ended IS NULL AND {among}", (ids,))  # noqa: S608
            live = {id for (id,) in live_rows}
            plan = plan_changes(changes, live, version, self._backend.time(datetime.now(UTC)))
            if plan.refused and not in_part:
                raise _conflict([changes[place] for place in plan.refused])
            if not plan.lines:
                return Applied(newest, tuple(plan.refused))
            if plan.ending:
                ending = (version, self._backend.id_list(plan.ending))
                transaction.run(f"UPDATE penstock_log SET ended = ? WHERE ended IS NULL AND {among}", ending)  # noqa: S608
            transaction.append(plan.lines)
            transaction.run("UPDATE penstock_state SET version = ?", (version,))
        return Applied(version, tuple(plan.refused))

    # Reading

    def version(self) -> int:
        """The newest version; 0 before the first change."""
        with self._backend.reading() as transaction:
            return _state(transaction)[0]

    def snapshot(self, version: int | None = None, ids: Iterable[str] | None = None) -> Iterator[SubscriptionRow]:
        """The subscriptions as of a version (the newest by default), oldest first, streamed; with `ids` only theirs."""
        return _begun(self._snapshot(version, ids))

    def _snapshot(self, wanted: int | None, ids: Iterable[str] | None) -> Iterator[SubscriptionRow | None]:
        among, parameters = ("true", []) if ids is None else (self._backend.among, [self._backend.id_list(ids)])
        with self._backend.reading() as transaction:
            version = _existing(transaction, wanted)
            yield None
            sql = f"""
                SELECT {_COLUMNS} FROM penstock_log
                WHERE version <= ? AND (ended IS NULL OR ended > ?) AND {among} ORDER BY version, place
            """  # noqa: S608
            yield from map(decoded, transaction.stream(sql, (version, version, *parameters)))

    def changes(self, after: int, upto: int | None = None) -> Iterator[LogEntry]:
        """What was changed after a version, up to another (the newest by default), in order, streamed."""
        return _begun(self._changes(after, upto))

    def _changes(self, after: int, upto: int | None) -> Iterator[LogEntry | None]:
        with self._backend.reading() as transaction:
            _existing(transaction, after)
            last = _existing(transaction, upto)
            yield None
            sql = f"""
                SELECT version, operation, time, {_COLUMNS} FROM penstock_log
                WHERE version > ? AND version <= ? ORDER BY version, place
            """  # noqa: S608
            for version, operation, time, *values in transaction.stream(sql, (after, last)):
                row = decoded(values) if operation == "subscribe" else None
                yield LogEntry(version, operation, values[0], row, self._backend.moment(time))

    # Claims

    def claim(self, query_id: str, batch_id: int) -> int:
        """The version of a micro-batch: the newest when it was first claimed, the same for all who claim it later.

        The claims of a query's last thousand batches are kept.
        """
        key = (query_id, batch_id)
        with self._backend.reading() as transaction:
            claimed = _claimed(transaction, key)
        if claimed is not None:
            return claimed
        with self._backend.writing() as transaction:
            now = self._backend.time(datetime.now(UTC))
            transaction.run(
                """
                INSERT INTO penstock_claims SELECT CAST(? AS TEXT), CAST(? AS BIGINT), version, ?
                FROM penstock_state WHERE true ON CONFLICT DO NOTHING
                """,
                (*key, now),
            )
            transaction.run(
                "DELETE FROM penstock_claims WHERE query_id = ? AND batch_id <= ?", (query_id, batch_id - CLAIMS_KEPT)
            )
            claimed = _claimed(transaction, key)
        if claimed is None:
            raise StoreError(f"the claim of batch {batch_id} of query {query_id} was removed while it was made")
        return claimed

    # Keeping it small

    def prune_claims(self, older_than: timedelta) -> int:
        """Forgets claims of this age, for queries that no longer run; returns how many there were."""
        limit = self._backend.time(datetime.now(UTC) - older_than)
        with self._backend.writing() as transaction:
            ((count,),) = transaction.rows("SELECT count(*) FROM penstock_claims WHERE time < ?", (limit,))
            transaction.run("DELETE FROM penstock_claims WHERE time < ?", (limit,))
        return int(count)

    def compact(self) -> int:
        """Forgets the history before the oldest claimed version (the newest, if none is); returns the oldest left.

        Subscriptions of older versions, and changes since them, can no longer be asked for.
        """
        with self._backend.writing() as transaction:
            version, oldest = _locked_state(transaction)
            transaction.exclude_claims()
            ((claimed,),) = transaction.rows("SELECT min(version) FROM penstock_claims")
            oldest = max(oldest, version if claimed is None else min(version, claimed))
            transaction.run("DELETE FROM penstock_log WHERE ended <= ?", (oldest,))
            transaction.run("UPDATE penstock_state SET oldest = ?", (oldest,))
        return oldest

    def close(self) -> None:
        """Closes the connections; the store cannot be used afterwards."""
        self._backend.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _state(transaction: Transaction) -> tuple[int, int]:
    """The newest version and the oldest that can be asked for."""
    ((version, oldest),) = transaction.rows("SELECT version, oldest FROM penstock_state")
    return version, oldest


def _locked_state(transaction: Transaction) -> tuple[int, int]:
    """The same, locked by an update that changes nothing: writers wait in line, versions appear in their order."""
    transaction.run("UPDATE penstock_state SET version = version")
    return _state(transaction)


def _existing(transaction: Transaction, version: int | None) -> int:
    newest, oldest = _state(transaction)
    if version is None:
        return newest
    if version > newest:
        raise StoreError(f"there is no version {version} yet: the newest is {newest}")
    if version < oldest:
        raise CompactedError(f"version {version} is no longer there: the log was compacted up to version {oldest}")
    return version


def _claimed(transaction: Transaction, key: tuple[str, int]) -> int | None:
    rows = transaction.rows("SELECT version FROM penstock_claims WHERE query_id = ? AND batch_id = ?", key)
    return rows[0][0] if rows else None


def _conflict(refused: list[Change]) -> ConflictError:
    existing = tuple(change.id for change in refused if change.operation == "subscribe")
    unknown = tuple(change.id for change in refused if change.operation == "unsubscribe")
    return ConflictError(existing, unknown)


def _check_texts(changes: Sequence[Change]) -> None:
    """What one database refuses, all do."""
    for change in changes:
        for text in (change.id, *(change.row or ())):
            if isinstance(text, str) and not is_storable(text):
                raise StoreError(f"{change.id!r}: {text!r} holds characters that cannot be stored")


def _begun(rows: Iterator[Any]) -> Iterator[Any]:
    """A generator past its checks, so that a wrong version is told at the call and not at the first row."""
    next(rows)
    return rows
