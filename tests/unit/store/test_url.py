"""URLs of stores."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from penstock import Broker, PenstockError, StoreError
from penstock.store import SubscriptionRow, open_store, subscribing


def test_three_slashes_are_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("sqlite:///my subs.db") as store:
        assert store.url == f"sqlite:///{tmp_path}/my subs.db"
        assert (tmp_path / "my subs.db").exists()
        store.apply([subscribing(SubscriptionRow("a", "//a"))])
        url = store.url
    monkeypatch.chdir("/")
    with open_store(url, create=False) as again:
        assert again.version() == 1


def test_four_slashes_are_an_absolute_path(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/subs.db") as store:
        assert repr(store) == f"<Store sqlite:///{tmp_path}/subs.db>"
    assert (tmp_path / "subs.db").exists()


@pytest.mark.parametrize(
    "url", ["", "subs.db", "sqlite:", "sqlite://", "sqlite:///", "sqlite://subs.db", "mysql://x/y"]
)
def test_what_is_not_the_url_of_a_store(url: str) -> None:
    with pytest.raises(StoreError, match="sqlite:///relative/path") as caught:
        open_store(url)
    assert isinstance(caught.value, PenstockError)


def test_secrets_are_not_told() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("mysql://ann:secret@host/db")
    assert "secret" not in str(caught.value)
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError) as caught:
        open_store("postgresql://ann:se:cr@et@127.0.0.1:1/db")
    assert "postgresql://ann@127.0.0.1:1/db" in str(caught.value)
    assert "cr@et" not in str(caught.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "penstock.store.postgresql", raising=False)
    with pytest.raises(StoreError, match=r"pip install 'penstock\[postgresql\]'"):
        open_store("postgresql://host/db")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="unable to open"):
        Broker(store=f"sqlite:///{tmp_path}/none/subs.db")


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("nothing that a database would write " * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_store(f"sqlite:///{tmp_path}/notes.db")


def test_the_log_can_be_read_with_plain_sql(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/subs.db") as store:
        store.apply([subscribing(SubscriptionRow("a", "//a", window="1 day", running=True))])
    connection = sqlite3.connect(tmp_path / "subs.db")
    found = connection.execute('SELECT version, operation, id, "window", running, ended FROM penstock_log').fetchall()
    connection.close()
    assert found == [(1, "subscribe", "a", "1 day", 1, None)]
