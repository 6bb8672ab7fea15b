from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from click.testing import Result

from penstock.cli import main

Run = Callable[..., Result]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command, subcommands included."""
    found = []
    for name, command in group.commands.items():
        found.append((*path, name))
        if isinstance(command, click.Group):
            found += commands(command, (*path, name))
    return found


@pytest.mark.parametrize("command", commands(main), ids=" ".join)
def test_help_has_examples(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"penstock {command[0]}" in result.stdout.split("Example", 1)[1]


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"penstock {version('penstock')}\n"


def test_explain_in_all_forms(run: Run, tmp_path: Path) -> None:
    query = "//book[price < 30]/title"
    assert "book" in run("explain", query).stdout
    assert json.loads(run("explain", "--format", "json", query).stdout)
    picture = tmp_path / "machine.svg"
    assert run("explain", "--format", "svg", "--output", str(picture), query).exit_code == 0
    assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_explain_refuses_a_bad_query(run: Run) -> None:
    result = run("explain", "//a[")
    assert result.exit_code == 2
    assert "XPST0003" in result.stderr


@pytest.mark.parametrize("kind", ["xmark", "rss", "recursive"])
def test_generate_to_stdout_and_to_a_file(run: Run, tmp_path: Path, kind: str) -> None:
    printed = run("generate", kind, "--size", "30KB", "--seed", "5")
    file = tmp_path / "out.xml"
    assert run("generate", kind, "--size", "30KB", "--seed", "5", "--output", str(file)).stdout == ""
    assert file.read_text() == printed.stdout
    ElementTree.parse(file)


def test_generate_options_change_the_document(run: Run) -> None:
    deep = run("generate", "recursive", "--size", "5KB", "--depth", "9").stdout
    wide = run("generate", "recursive", "--size", "5KB", "--depth", "9", "--fanout", "5").stdout
    assert deep != wide
    assert run("generate", "xmark", "--factor", "0.001").stdout.count("<person ") == 25
    assert run("generate", "xmark", "--size", "lots").exit_code == 2
    assert run("generate", "recursive", "--depth", "1").exit_code == 2


def test_generate_queries_from_documents_and_from_a_dtd(run: Run, tmp_path: Path) -> None:
    feed = tmp_path / "feed.xml"
    run("generate", "rss", "--size", "30KB", "--output", str(feed))
    plain = run("generate", "queries", str(feed), "--number", "50", "--predicates", "0-2").stdout
    header = [line for line in plain.splitlines() if line.startswith("#")]
    assert "# dc=http://purl.org/dc/elements/1.1/" in header
    listing = tmp_path / "queries.jsonl"
    arguments = ("--number", "50", "--predicates", "0-2", "--json", "--output", str(listing))
    assert run("generate", "queries", str(feed), *arguments).exit_code == 0
    rows = [json.loads(line) for line in listing.read_text().splitlines()]
    assert [row["query"] for row in rows] == [line for line in plain.splitlines() if not line.startswith("#")]
    assert run("check", str(feed), "--queries", str(listing)).exit_code == 0
    dtd = tmp_path / "small.dtd"
    dtd.write_text("<!ELEMENT a (b*)><!ELEMENT b (#PCDATA)>")
    few = run("generate", "queries", "--dtd", str(dtd), "--wildcard", "0", "--closure", "0")
    assert few.exit_code == 2
    assert sorted(few.stdout.split()) == ["/a", "/a/b"]
    assert "2 written" in few.stderr


@pytest.mark.parametrize(
    "arguments",
    [(), ("--length", "4-2"), ("--contains-share", "0.6", "--number-share", "0.6"), ("--length", "40"), ("bad.xml",)],
    ids=["no structure", "empty range", "shares", "too long", "not well-formed"],
)
def test_generate_queries_refuses(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "bad.xml").write_text("<a><b>")
    (tmp_path / "good.xml").write_text("<a><b>1</b></a>")
    given = [str(tmp_path / name) if name.endswith(".xml") else name for name in arguments]
    documents = [] if not arguments or arguments[0] == "bad.xml" else [str(tmp_path / "good.xml")]
    result = run("generate", "queries", *documents, *given)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_demo_tells_of_deliveries_changes_and_the_dead_letter(run: Run) -> None:
    result = run("demo", "--embedded")
    assert result.exit_code == 0
    assert "transit/cancelled-LZ123" in result.stdout
    assert "news/topic-04-urgency-2 +" in result.stdout
    assert "changed:" in result.stdout
    assert "dead letter broken-5" in result.stdout
    assert "\x1b[" not in result.stdout


def test_bench_single(run: Run, tmp_path: Path) -> None:
    plot = tmp_path / "single.svg"
    arguments = ("--quick", "--rounds", "1", "--no-peers", "--data", str(tmp_path), "--dataset", "colours")
    result = run("bench", "single", *arguments, "--json", "--plot", str(plot))
    assert result.exit_code == 0
    rows = json.loads(result.stdout)["rows"]
    assert [row["query"] for row in rows] == ["/a/red", "/a/green", "/a/blue"]
    assert set(rows[0]["speed"]) == {"whole", "chunks"}
    assert plot.read_text().startswith("<svg")
    table = run("bench", "single", *arguments, "--large", "300KB")
    assert "/a/red" in table.stdout
    assert "large: generated xmark" in table.stdout


def test_bench_filter(run: Run, tmp_path: Path) -> None:
    plot = tmp_path / "filter.svg"
    small = ("--quick", "--rounds", "1", "--most", "50", "--no-peers", "--no-varied", "--data", str(tmp_path))
    chosen = (*small, "--dataset", "rss", "--kind", "known shapes")
    result = run("bench", "filter", *chosen, "--json", "--plot", str(plot))
    assert result.exit_code == 0
    rows = json.loads(result.stdout)["rows"]
    assert [(row["kind"], row["subscriptions"], set(row["speed"])) for row in rows] == [
        ("known shapes", 50, {"ids", "shared", "exploded"})
    ]
    assert plot.read_text().startswith("<svg")
    assert "known shapes" in run("bench", "filter", *chosen).stdout
