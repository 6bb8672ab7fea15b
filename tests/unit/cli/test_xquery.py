"""The commands with queries of XQuery."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def books(tmp_path: Path) -> str:
    file = tmp_path / "books.xml"
    file.write_text("<books><book n='1'/><book n='2'/></books>")
    return str(file)


def test_check_tells_what_matches(run: Run, books: str) -> None:
    result = run("check", books, "--query", "for $b in //book return <b>{$b/@n}</b>")
    assert '<b n="1"/>' in result.stdout
    assert result.exit_code == 0


def test_a_file_is_of_the_stream_that_the_query_names(run: Run, books: str) -> None:
    assert run("match", "stream('shop')//book/@n", books).stdout == "1\n2\n"
    assert run("match", "for $b in stream('shop')//book return $b/@n", books).stdout == "1\n2\n"
    assert run("check", books, "--query", "stream('shop')//book").exit_code == 0
    assert "no match" in run("check", books, "--query", "stream('shop')//book[@n = '3']").stdout


def test_a_store_has_the_stream_that_the_query_names(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/subscriptions.db"
    assert run("subscribe", "--store", url, "q", "stream('shop')//book").exit_code == 0
    assert run("list", "--store", url).stdout == "q\tshop\t-\tstream('shop')//book\n"
    refused = run("subscribe", "--store", url, "--stream", "news", "r", "stream('shop')//book")
    assert (refused.exit_code, "reads the stream 'shop'" in refused.stderr) == (2, True)


def test_check_tells_why_nothing_does(run: Run, books: str) -> None:
    result = run("check", books, "--query", "for $b in //book where $b/@n > 5 return $b")
    assert "the query gives no item" in result.stdout
    assert result.exit_code == 1
    result = run("check", books, "--query", "for $b in exactly-one(//book) return $b")
    assert "FORG0005: exactly-one() was given 2 items" in result.stdout


def test_explain(run: Run) -> None:
    result = run("explain", "for $b in //book order by $b/@n return <b>{$b/@n}</b>")
    assert "evaluator: for $b in //book order by $b/@n return <b>{$b/@n}</b>  -> result" in result.stdout
    assert run("explain", "--language", "xquery", "//book").exit_code == 0
    for form in ("json", "svg"):
        assert run("explain", "--format", form, "for $b in //book return $b").exit_code == 0


def test_a_store_takes_them(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/subscriptions.db"
    added = run("subscribe", "--store", url, "q", "for $b in //book return $b/@n")
    assert added.exit_code == 0, added.output
    assert "for $b in //book" in run("list", "--store", url).stdout
