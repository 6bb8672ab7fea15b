"""`penstock check` says which queries match, and what fails in the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
SHOP = "<shop><book><price cur='EUR'>35</price></book><book><price cur='USD'>40</price><title>T</title></book></shop>"


@pytest.fixture
def shop(tmp_path: Path) -> str:
    file = tmp_path / "shop.xml"
    file.write_text(SHOP)
    return str(file)


def test_match_shows_results(run: Run, shop: str) -> None:
    result = run("check", shop, "--query", "//title")
    assert result.exit_code == 0
    assert "match     query 1: //title (1 result)" in result.stdout
    assert "<title>T</title>" in result.stdout
    assert result.stdout.endswith("1 of 1 match\n")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("//shelf/book", "//shelf selects nothing"),
        ("/shop/book/author", "/shop/book selects 2 nodes, but /shop/book/author selects nothing"),
        ("//book[price < 30]/title", "//book selects 2 nodes, but [price < 30] holds for none of them"),
        ("//book[price < 30]/title", "price: 35, 40"),
        ("//book[isbn = 3]", "isbn: there is none"),
        ("//book[title and price = 35]", "[title] holds for 1 of 2"),
        ("//book[title][price = 35]", "//book[title] selects 1 node, but [price = 35] holds for none of them"),
        ("(//book)[3]", "//book selects 2 nodes, but [3] holds for none of them"),
        ("//a | //b", "//b selects nothing"),
        ("count(//book) > 2", "count(//book) > 2 gives false"),
        ("//book and //shelf", "//shelf is false"),
    ],
)
def test_no_match_says_why(run: Run, shop: str, query: str, reason: str) -> None:
    result = run("check", shop, "--query", query)
    assert result.exit_code == 1
    assert reason in result.stdout
    assert "0 of 1 match" in result.stdout


def test_file_of_queries(run: Run, shop: str, tmp_path: Path) -> None:
    listing = tmp_path / "queries.txt"
    listing.write_text(
        "# what the shop watches\n//title\n\n"
        '{"id": "euro", "query": "//p:price", "namespaces": {"p": "urn:p"}}\n'
        "//book[\n"
    )
    result = run("check", shop, "--queries", str(listing))
    assert result.exit_code == 2
    assert "match     line 2: //title" in result.stdout
    assert "no match  euro: //p:price" in result.stdout
    assert "error     line 5: XPST0003" in result.stdout
    assert "1 of 3 match" in result.stdout


def test_trouble(run: Run, shop: str, tmp_path: Path) -> None:
    assert run("check", shop).exit_code == 2
    assert run("check", str(tmp_path / "missing.xml"), "-q", "//a").exit_code == 2
    listing = tmp_path / "bad.txt"
    listing.write_text('{"id": "x"}\n')
    result = run("check", shop, "--queries", str(listing))
    assert result.exit_code == 2
    assert "line 1" in result.stderr
