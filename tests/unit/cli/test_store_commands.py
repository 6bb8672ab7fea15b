"""`penstock subscribe`, `unsubscribe` and `list`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from penstock import Broker
from penstock.store import open_store

Run = Callable[..., Result]


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store that the environment names."""
    url = f"sqlite:///{tmp_path}/subs.db"
    monkeypatch.setenv("PENSTOCK_STORE", url)
    return url


def test_subscribe_list_unsubscribe(run: Run, tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path}/subs.db")
    assert run("subscribe", *store, "one", "//item[1]").exit_code == 0
    alerts = ("--stream", "alerts", "--subscriber", "ann", "-N", "p=urn:p")
    assert run("subscribe", *store, *alerts, "two", "//p:item\n/p:link").exit_code == 0
    listed = run("list", *store)
    assert (listed.exit_code, listed.stdout) == (0, "one\t*\t-\t//item[1]\ntwo\talerts\tann\t//p:item /p:link\n")
    gone = run("unsubscribe", *store, "one", "two")
    assert (gone.exit_code, gone.output) == (0, "")
    assert run("list", *store).exit_code == 1
    assert run("list", *store, "--at", "1").stdout == "one\t*\t-\t//item[1]\n"


def test_every_option_reaches_the_broker(run: Run, url: str) -> None:
    options = ("--running", "--deliver", "document", "--deliver-empty", "--language", "xpath", "-N", "p=urn:p")
    assert run("subscribe", "n", "count(//p:a)", *options).exit_code == 0
    broker = Broker(store=url)
    (made,) = broker.subscriptions()
    broker.close()
    assert (made.running, made.deliver, made.deliver_empty, made.language) == (True, "document", True, "xpath")
    assert made.namespaces == {"p": "urn:p"}


@pytest.mark.usefixtures("url")
def test_a_refused_query_is_shown_with_a_caret_and_makes_no_store(run: Run, tmp_path: Path) -> None:
    result = run("subscribe", "bad", "//item[@k = ]")
    assert result.exit_code == 2
    assert result.stderr.startswith("penstock: XPST0003 at line 1, column 13")
    assert result.stderr.endswith("  //item[@k = ]\n              ^\n")
    assert not (tmp_path / "subs.db").exists()


@pytest.mark.usefixtures("url")
def test_an_id_that_exists(run: Run) -> None:
    run("subscribe", "one", "//a")
    result = run("subscribe", "one", "//b")
    assert (result.exit_code, result.stderr) == (
        2,
        "penstock: PNST0011: a subscription 'one' exists already (see --replace)\n",
    )
    assert run("subscribe", "one", "//b", "--replace").exit_code == 0
    assert run("list").stdout == "one\t*\t-\t//b\n"


@pytest.mark.usefixtures("url")
def test_unknown_ids_are_told_and_stop_no_others(run: Run) -> None:
    run("subscribe", "one", "//a")
    result = run("unsubscribe", "none", "one")
    assert (result.exit_code, result.stderr) == (2, "penstock: there is no subscription 'none'\n")
    assert run("list").exit_code == 1


CSV = """\
id,query,namespaces,subscriber,running,replace
a,"//item[contains(., ""x,y"")]",,,,
b,//p:item,p=urn:p q=urn:q,bob,no,
c,count(//item),,,yes,true
"""


def test_subscriptions_of_a_csv_file_are_one_version(run: Run, url: str, tmp_path: Path) -> None:
    (tmp_path / "subs.csv").write_text("\ufeff" + CSV, encoding="utf-8")
    result = run("subscribe", "--from", str(tmp_path / "subs.csv"), "--subscriber", "ann", "--stream", "news")
    assert (result.exit_code, result.stderr) == (0, "3 subscriptions put into the store\n")
    with open_store(url) as store:
        assert store.version() == 1
        rows = {row.id: row for row in store.snapshot()}
    assert rows["a"].query == '//item[contains(., "x,y")]'
    assert rows["b"].namespaces == {"p": "urn:p", "q": "urn:q"}
    assert (rows["a"].subscriber, rows["b"].subscriber) == ("ann", "bob")
    assert {row.stream for row in rows.values()} == {"news"}
    assert (rows["b"].running, rows["c"].running) == (False, True)


def test_bad_rows_of_a_file_are_told_and_stop_no_others(run: Run, url: str) -> None:
    rows = [
        {"id": "a", "query": "//item"},
        {"id": "b", "query": "//item["},
        {"id": "a", "query": "//other"},
        {"id": 4, "query": "//item"},
        {"id": "d", "query": "//p:item", "namespaces": {"q": "urn:q"}, "stream": None},
        {"id": "e", "query": "//item", "colour": "red"},
        {"id": "f", "query": "//item", "replace": "perhaps"},
    ]
    text = "\n\n".join(json.dumps(row) for row in rows)
    result = run("subscribe", "--from", "-", "-N", "p=urn:p", input=text)
    assert result.exit_code == 2
    told = [line for line in result.stderr.splitlines() if line.startswith("penstock:")]
    assert [line.split(":")[1].strip() for line in told] == [
        f"(standard input), line {number}" for number in (3, 7, 11, 13, 5)
    ]
    assert "'a' exists already" in told[-1]
    assert result.stderr.endswith("2 subscriptions put into the store, 5 refused\n")
    with open_store(url) as store:
        assert [(row.id, dict(row.namespaces)) for row in store.snapshot()] == [
            ("a", {"p": "urn:p"}),
            ("d", {"p": "urn:p", "q": "urn:q"}),
        ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "a"}\n{"id"', "line 2: not a JSON object"),
        ('{"id": "a"}\n[1]', "line 2: not a JSON object"),
        ("id,query\na,//a\nb", "line 3: needs 2 values"),
        ("id,query\na,//a,c", "line 2: needs 2 values"),
        ("id,query,running\na,//a,perhaps", "line 2: running is 'perhaps'"),
        ("id,query,namespaces\na,//a,urn:p", "line 2: namespaces are 'urn:p'"),
        ('id,query\na,"//a', "line 2: unexpected end of data"),
    ],
)
@pytest.mark.usefixtures("url")
def test_files_that_cannot_be_read_change_nothing(run: Run, tmp_path: Path, text: str, message: str) -> None:
    result = run("subscribe", "--from", "-", input=text)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "subs.db").exists()


def test_a_listing_can_be_read_back(run: Run, url: str, tmp_path: Path) -> None:
    run("subscribe", "--from", "-", input=CSV)
    run("subscribe", "d", "//a[. = '\u2028\n']", "--deliver", "document", "--deliver-empty")
    listing = run("list", "--json").stdout
    (tmp_path / "listing.gz").write_bytes(gzip.compress(listing.encode()))
    copy = f"sqlite:///{tmp_path}/copy.db"
    assert run("subscribe", "--store", copy, "--from", str(tmp_path / "listing.gz")).exit_code == 0
    with open_store(url) as first, open_store(copy) as second:
        assert list(first.snapshot()) == list(second.snapshot())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("subscribe", "one"), "give ID and QUERY, or --from FILE"),
        (("subscribe",), "give ID and QUERY, or --from FILE"),
        (("subscribe", "one", "//a", "--from", "x.csv"), "not both"),
        (("subscribe", "--from", "none.csv"), "none.csv"),
        (("unsubscribe",), "Missing argument"),
        (("list",), "there is no such store"),
        (("unsubscribe", "one"), "there is no such store"),
        (("list", "--store", "subs.db"), "is not the URL of a store"),
    ],
)
@pytest.mark.usefixtures("url")
def test_trouble_is_told(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


@pytest.mark.usefixtures("url")
def test_a_version_that_is_not_there(run: Run) -> None:
    run("subscribe", "one", "//a")
    result = run("list", "--at", "5")
    assert (result.exit_code, "no version 5 yet" in result.stderr) == (2, True)


def test_without_a_store_the_option_is_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PENSTOCK_STORE", raising=False)
    result = run("list")
    assert (result.exit_code, "--store" in result.stderr) == (2, True)
