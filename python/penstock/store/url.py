"""Stores by their URLs."""

from __future__ import annotations

from pathlib import Path

from penstock.errors import StoreError
from penstock.store.sqlite import SqliteBackend
from penstock.store.store import Store

_FORMS = "sqlite:///relative/path, sqlite:////absolute/path or postgresql://user@host/database"


def open_store(url: str, *, create: bool = True) -> Store:
    """Opens the store at `sqlite:///path` (four slashes for an absolute path) or `postgresql://...`.

    One that is not there is made, unless `create` is False. Paths are relative to the current folder.
    """
    scheme, separator, rest = url.partition("://")
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return Store(SqliteBackend(Path(rest[1:]), create=create))
    if scheme in ("postgresql", "postgres") and separator:
        # psycopg is an extra: who has no PostgreSQL store does not need it.
        from penstock.store.postgresql import PostgresqlBackend

        return Store(PostgresqlBackend(url, create=create))
    shown = url if not separator else f"{scheme}://..."
    raise StoreError(f"{shown!r} is not the URL of a store: write {_FORMS}")
