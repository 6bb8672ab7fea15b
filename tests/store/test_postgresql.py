"""What only a server does."""

from __future__ import annotations

import pytest

from penstock.errors import StoreError
from penstock.store import open_store, subscribing
from support.store_workers import row

psycopg = pytest.importorskip("psycopg", reason="needs psycopg: pip install 'penstock[postgresql]'")


def test_connections_that_the_server_has_closed_are_replaced(database: str) -> None:
    with open_store(database) as store:
        store.apply([subscribing(row("a"))])
        with psycopg.connect(database, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert store.version() == 1
        assert store.apply([subscribing(row("b"))]) == 2


def test_a_server_that_is_not_there(database: str) -> None:
    missing = database.rpartition("/")[0].rpartition(":")[0] + ":1/none"
    with pytest.raises(StoreError, match="Connection refused"):
        open_store(missing)


def test_a_database_that_is_not_there(database: str) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        open_store(database + "_none")


def test_tables_are_where_the_search_path_says(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA pens")
    with open_store(database + "?options=-csearch_path%3Dpens") as store:
        store.apply([subscribing(row("a"))])
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT version, operation, id FROM pens.penstock_log").fetchall() == [
            (1, "subscribe", "a")
        ]
