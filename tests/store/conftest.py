from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.store import Store, open_store
from support.postgresql import server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a server that lives as long as the tests."""
    with server() as url:
        yield url


@pytest.fixture
def database(postgresql: str) -> Iterator[str]:
    """The URL of a new database of that server."""
    import psycopg

    name = f"store_{uuid.uuid4().hex}"
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgresql.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a new store, in each of the databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'subscriptions.db'}"
    database: str = request.getfixturevalue("database")
    return database


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as store:
        yield store
