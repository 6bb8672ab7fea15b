"""`penstock match` behaves as grep does."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
BOOKS = "<books><book id='1'><title>One &amp; <i>only</i></title></book><book id='2'><title>Two</title></book></books>"


@pytest.fixture
def books(tmp_path: Path) -> str:
    file = tmp_path / "books.xml"
    file.write_text(BOOKS)
    return str(file)


@pytest.fixture
def empty(tmp_path: Path) -> str:
    file = tmp_path / "empty.xml"
    file.write_text("<books/>")
    return str(file)


def test_prints_fragments_one_a_line(run: Run, books: str) -> None:
    result = run("match", "//title", books)
    assert result.stdout == "<title>One &amp; <i>only</i></title>\n<title>Two</title>\n"
    assert result.exit_code == 0


def test_nothing_found_is_exit_code_1(run: Run, books: str) -> None:
    result = run("match", "//nothing", books)
    assert (result.stdout, result.exit_code) == ("", 1)


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_reads_standard_input(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("match", "//book/@id", *arguments, input=BOOKS)
    assert result.stdout == "1\n2\n"


def test_text_is_the_string_value(run: Run, books: str) -> None:
    assert run("match", "--text", "//title", books).stdout == "One & only\nTwo\n"


def test_several_files_are_named(run: Run, books: str, empty: str) -> None:
    assert run("match", "//book/@id", books, empty).stdout == f"{books}:1\n{books}:2\n"
    assert run("match", "--no-filename", "//book/@id", books, empty).stdout == "1\n2\n"
    assert run("match", "--with-filename", "//book/@id", books).stdout == f"{books}:1\n{books}:2\n"


def test_one_delivery_a_document(run: Run, books: str, empty: str) -> None:
    joined = "<title>One &amp; <i>only</i></title><title>Two</title>\n"
    assert run("match", "--deliver", "document", "//title", books).stdout == joined
    assert run("match", "-c", "--deliver", "document", "//title", books, empty).stdout == f"{books}:1\n{empty}:0\n"
    assert run("match", "--deliver", "item", "//book/@id", books).stdout == "1\n2\n"
    refused = run("match", "--deliver", "document", "--text", "//title", books)
    assert refused.exit_code == 2
    assert "not with --deliver document" in refused.stderr


def test_what_is_empty_is_delivered_if_asked_for(run: Run, empty: str) -> None:
    for query, line in (
        ("count(//book) > 0", "false"),
        ("string(//title)", ""),
        ("<b>{for $b in //book return $b}</b>", "<b/>"),
    ):
        assert run("match", query, empty).exit_code == 1
        result = run("match", "--deliver-empty", query, empty)
        assert (result.stdout, result.exit_code) == (f"{line}\n", 0)


def test_count(run: Run, books: str, empty: str) -> None:
    assert run("match", "--count", "//book", books).stdout == "2\n"
    assert run("match", "--count", "//book", books, empty).stdout == f"{books}:2\n{empty}:0\n"
    assert run("match", "--count", "//book", empty).exit_code == 1


def test_files_with_matches(run: Run, books: str, empty: str) -> None:
    result = run("match", "--files-with-matches", "//book", empty, books)
    assert (result.stdout, result.exit_code) == (f"{books}\n", 0)


def test_json_lines(run: Run, books: str) -> None:
    rows = [json.loads(line) for line in run("match", "--json", "//book/title", books).stdout.splitlines()]
    assert [row["fragment"] for row in rows] == ["<title>One &amp; <i>only</i></title>", "<title>Two</title>"]
    assert {row["file"] for row in rows} == {books}
    assert {row["kind"] for row in rows} == {"element"}
    texts = [
        json.loads(line)["text"] for line in run("match", "--json", "--text", "//title", books).stdout.splitlines()
    ]
    assert texts == ["One & only", "Two"]


def test_gzipped_file_and_input(run: Run, tmp_path: Path) -> None:
    packed = gzip.compress(BOOKS.encode())
    file = tmp_path / "books.xml.gz"
    file.write_bytes(packed)
    assert run("match", "--count", "//book", str(file)).stdout == "2\n"
    assert run("match", "--count", "//book", input=packed).stdout == "2\n"


def test_damaged_gzip_is_trouble_not_a_traceback(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "cut.gz"
    file.write_bytes(gzip.compress(BOOKS.encode() * 50)[:60])
    result = run("match", "//nothing", str(file))
    assert result.exit_code == 2
    assert str(file) in result.stderr


def test_namespaces(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "alert.xml"
    file.write_text("<alert xmlns='urn:cap'><headline>Flood</headline></alert>")
    assert run("match", "-t", "--namespaces", "c=urn:cap", "//c:headline", str(file)).stdout == "Flood\n"
    assert run("match", "-t", "-N", "=urn:cap", "//headline", str(file)).stdout == "Flood\n"
    assert run("match", "-N", "nonsense", "//a", str(file)).exit_code == 2


def test_a_bad_file_does_not_stop_the_others(run: Run, tmp_path: Path, books: str) -> None:
    broken = tmp_path / "broken.xml"
    broken.write_text("<a>\n<b></a>")
    missing = str(tmp_path / "missing.xml")
    result = run("match", "//book/@id", missing, str(broken), books)
    assert result.stdout == f"{books}:1\n{books}:2\n"
    assert result.exit_code == 2
    assert f"penstock: {missing}: No such file or directory" in result.stderr
    assert f"penstock: {broken}: " in result.stderr
    assert "line 2" in result.stderr


def test_query_error_shows_code_place_and_caret(run: Run, books: str) -> None:
    result = run("match", "//book[", books)
    assert result.exit_code == 2
    assert result.stdout == ""
    first, query, caret = result.stderr.splitlines()
    assert first.startswith("penstock: XPST0003 at line 1, column 8")
    assert (query, caret) == ("  //book[", "         ^")


def test_language_is_checked(run: Run, books: str) -> None:
    assert run("match", "--language", "xpath", "//book/@id", books).stdout == "1\n2\n"
    assert run("match", "--language", "xquery", "//book/@id", books).stdout == "1\n2\n"
    assert run("match", "--language", "cobol", "//book", books).exit_code == 2


def test_xquery_is_recognised(run: Run, books: str) -> None:
    query = "for $b in //book order by $b/@id descending return <b n='{$b/@id}'>{$b/title/text()}</b>"
    assert run("match", query, books).stdout == '<b n="2">Two</b>\n<b n="1">One &amp; </b>\n'


def test_a_query_that_fails_on_a_file_is_trouble(run: Run, books: str) -> None:
    result = run("match", "exactly-one(//book)", books)
    assert result.exit_code == 2
    assert "FORG0005: exactly-one() was given 2 items" in result.stderr


def test_results_in_document_order_unless_asked_otherwise(run: Run) -> None:
    nested = "<a id='1'><a id='2'/></a>"
    assert run("match", "//a", input=nested).stdout == "<a id='1'><a id='2'/></a>\n<a id='2'/>\n"
    unordered = run("match", "--unordered", "//a", input=nested).stdout
    assert sorted(unordered.splitlines()) == ["<a id='1'><a id='2'/></a>", "<a id='2'/>"]


def test_colours_only_when_asked_for_or_on_a_terminal(run: Run, books: str) -> None:
    assert "\x1b[" not in run("match", "//title", books).stdout
    coloured = run("match", "--color", "always", "//title", books, color=True).stdout
    assert "\x1b[34m\x1b[1mtitle\x1b[0m" in coloured


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    file = tmp_path / "many.xml"
    file.write_text("<a>" + "<b>text</b>" * 200_000 + "</a>")
    command = f"{sys.executable} -m penstock.cli match //b {file} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "<b>text</b>\n"
    assert done.stderr == ""


def test_results_come_before_the_input_ends() -> None:
    command = [sys.executable, "-m", "penstock.cli", "match", "//b"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"<a><b>1</b>")
        process.stdin.flush()
        assert process.stdout.readline() == b"<b>1</b>\n"
        process.stdin.write(b"<b>2</b></a>")
        process.stdin.close()
        assert process.stdout.read() == b"<b>2</b>\n"


def test_memory_stays_flat_on_long_input() -> None:
    """Forty times the input must not take noticeably more memory."""
    peaks = []
    for size in ("1MB", "40MB"):
        measured = (
            "import sys; from penstock.bench.measure import peak_memory_bytes; from penstock.cli import main\n"
            'sys.argv = ["penstock", "match", "--count", "//item[quantity > 1]/name"]\n'
            "try: main()\n"
            "finally: print(peak_memory_bytes())"
        )
        script = f"{sys.executable} -m penstock.cli generate xmark --size {size} | {sys.executable} -c '{measured}'"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=120)
        peaks.append(int(done.stdout.splitlines()[-1]))
    assert peaks[1] - peaks[0] < 8_000_000
