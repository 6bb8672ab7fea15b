"""`penstock run`: pipelines described by a file."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from penstock.cli import main
from penstock.spark.pipeline import ConfigError, read_pipeline
from penstock.spark.pipeline.build import start, write
from penstock.spark.pipeline.running import essence
from spark.frames import DOCUMENTS, embedded, make_broker, rows_of, some_documents, write_files

ROOT = Path(__file__).parents[2]
GOOD = f"""
[source]
format = "json"
path = "in"
schema = "{DOCUMENTS}"

[subscriptions]
store = "sqlite:///subs.db"

[sink]
kind = "files"
path = "out"

[query]
checkpointLocation = "state"
availableNow = true
"""


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], str]:
    """What is said of a file, without its name."""

    def read(text: str) -> str:
        file = tmp_path / "pipeline.toml"
        file.write_text(text)
        with pytest.raises(ConfigError) as caught:
            read_pipeline(file)
        return str(caught.value).removeprefix(str(file)).removeprefix(", ").removeprefix(": ")

    return read


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('format = "json"', 'fromat = "json"', "line 3: source.fromat: unknown key; did you mean format? (known: "),
        ("[query]", "[quarry]", "line 14: quarry: unknown key; did you mean query? (known: source, "),
        ("availableNow", "availablenow", "line 16: query.availablenow: unknown key; did you mean availableNow?"),
        ('path = "in"', "path = 7", "line 4: source.path: expected a string, found 7"),
        (
            "availableNow = true",
            'availableNow = "yes"',
            'line 16: query.availableNow: expected true or false, found "yes"',
        ),
        (
            'kind = "files"',
            'kind = "file"',
            'line 11: sink.kind: expected one of files, table, database, console, found "file"; did you mean files?',
        ),
        ('kind = "files"\n', "", "line 10: sink.kind: the key is missing"),
        ('[sink]\nkind = "files"\npath = "out"\n', "", "sink: the section is missing"),
        ('path = "out"', "", "line 10: sink.path: the key is missing: sink.kind is files"),
        ('path = "out"', 'path = "out"\nurl = "x"', "line 13: sink.url: not a key of kind files (known: kind, path, "),
        ('format = "json"', "", "line 2: source: expected one of format and table"),
        ('format = "json"', 'table = "t"', "line 4: source.path: a table has no path"),
        ('"json"', '"xmlrecords"', "line 2: source.options.rowTag: the key is missing: the name of the elements"),
        (f'schema = "{DOCUMENTS}"', "", "line 2: source.schema: the key is missing: a stream of json files needs one"),
        ('store = "sqlite:///subs.db"', "", "line 7: subscriptions: expected one of store, file and table"),
        ("sqlite:///subs.db", "subs.db", 'line 8: subscriptions.store: expected a URL such as "sqlite:///subs.db"'),
        ('checkpointLocation = "state"', "", "line 14: query.checkpointLocation: the key is missing: a folder"),
        ("availableNow = true", "availableNow = true\nonce = true", "line 17: query.once: there is one trigger, and "),
        ("availableNow = true", 'processingTime = "soon"', "line 16: query.processingTime: "),
        ("availableNow = true", 'watermark = "1 parsec"', "line 16: query.watermark: "),
        ("availableNow = true", 'batch = "monday"', "line 15: query.checkpointLocation: a batch has none"),
        (
            "availableNow = true",
            'mode = "FAILFAST"\n[dead_letters]\nkind = "console"',
            "line 17: dead_letters: there are none in mode FAILFAST",
        ),
        ('path = "in"', "path = [", "Invalid value (at line 5, column 1)"),
        (
            'path = "in"',
            'path = "in"\noptions.limit = []',
            "line 5: source.options.limit: expected a string, a number, ",
        ),
        ('path = "in"', 'path = "in"\noptions = 3', "line 5: source.options: expected a section or table, found 3"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_key(read: Callable[[str], str], old: str, new: str, message: str) -> None:
    text = GOOD.replace(old, new)
    assert text != GOOD
    assert read(text).startswith(message)


def test_keys_become_values(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(GOOD + '[spark.config]\n"spark.x" = 2\n[source.options]\nrecursiveFileLookup = true\n')
    pipeline = read_pipeline(file)
    assert pipeline.source.options == {"recursiveFileLookup": "true"}
    assert pipeline.spark.config == {"spark.x": "2"}
    assert pipeline.query.availableNow
    assert (pipeline.query.name, pipeline.dead_letters) == ("penstock", None)


def test_a_wrong_file_is_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(GOOD.replace("files", "flies"))
    result = CliRunner().invoke(main, ["run", str(file)])
    assert result.exit_code == 2
    assert "line 11: sink.kind" in result.stderr


def test_check_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, ["run", "--check", "examples/pipeline.toml"])
    assert (result.exit_code, result.output) == (0, "")


def test_subscriptions_that_are_refused_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("subs.csv").write_text("id,query\ngood,//a\nbad,//[\n")
    Path("p.toml").write_text(GOOD.replace('store = "sqlite:///subs.db"', 'file = "subs.csv"'))
    result = CliRunner().invoke(main, ["run", "--check", "p.toml"])
    assert result.exit_code == 0
    assert "subs.csv: bad: XPST0003" in result.stderr
    Path("subs.csv").write_text("id,query\nbad,//[\n")
    assert CliRunner().invoke(main, ["run", "--check", "p.toml"]).exit_code == 2


def test_without_java_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    result = CliRunner().invoke(main, ["run", str(ROOT / "examples" / "pipeline.toml")])
    assert result.exit_code == 2
    assert "Java 17" in result.stderr


def test_a_stream_and_a_batch_of_files(spark: SparkSession, tmp_path: Path) -> None:
    documents = some_documents(20)
    write_files(tmp_path / "in", documents, 10)
    text = (
        GOOD.replace('"in"', f'"{tmp_path}/in"').replace('"out"', f'"{tmp_path}/out"').replace("state", f"{tmp_path}/s")
    )
    text += f'[dead_letters]\nkind = "database"\nurl = "sqlite:///{tmp_path}/letters.db"\n'
    (tmp_path / "p.toml").write_text(text)
    broker = make_broker()
    query = start(spark, read_pipeline(tmp_path / "p.toml"), broker)
    query.awaitTermination()
    assert query.name == "penstock"
    batch = text.replace(f'checkpointLocation = "{tmp_path}/s"\navailableNow = true', 'batch = "all"')
    (tmp_path / "p.toml").write_text(batch)
    write(spark, read_pipeline(tmp_path / "p.toml"), broker)
    expected = embedded(make_broker(), documents)
    schema = "subscription string, subscriber string, documents array<string>, stream string, time timestamp, "
    schema += "sequence long, kind string, fragment string, match_id string"
    found = spark.read.schema(schema + ", batch string").json(f"{tmp_path}/out")
    assert rows_of(found.where("batch = 'all'").drop("batch")) == expected
    assert rows_of(found.where("batch <> 'all'").drop("batch")) == expected


def test_console_prints_json_lines(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path / "in", some_documents(3), 3)
    text = GOOD.replace('"in"', f'"{tmp_path}/in"').replace('"files"\npath = "out"', '"console"')
    (tmp_path / "p.toml").write_text(text.replace('checkpointLocation = "state"\navailableNow = true', 'batch = "b"'))
    write(spark, read_pipeline(tmp_path / "p.toml"), make_broker())
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["match_id"] for row in rows} == set(embedded(make_broker(), some_documents(3)))


def test_errors_of_spark_in_few_words() -> None:
    told = """[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: [PYTHON_EXCEPTION] An exception was
thrown from the Python worker: Traceback (most recent call last):
  File "matching.py", line 67, in __call__
    worker.move(self.source.version)
penstock.errors.StoreError: there is no such store
 SQLSTATE: 38000 SQLSTATE: XXKST
=== Streaming Query ===
Identifier: ..."""
    assert essence(told) == "penstock.errors.StoreError: there is no such store"
    assert (
        essence("[PATH_NOT_FOUND] Path does not exist: x. SQLSTATE: 42K03")
        == "[PATH_NOT_FOUND] Path does not exist: x."
    )


def command(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """In a group of its own, as a shell starts it: Ctrl-C reaches all its processes."""
    return subprocess.Popen(
        [sys.executable, "-m", "penstock.cli", "run", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
def test_the_example_runs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    process = command(tmp_path, "examples/pipeline.toml")
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    assert output == ""
    assert errors.startswith("done: 2 batches: 6 documents")
    assert errors.count("\n") == 1
    files = list((tmp_path / "output" / "deliveries").glob("subscriber=*/batch=*/*.json"))
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert len({json.loads(line)["match_id"] for line in lines}) == len(lines) == 9


@pytest.mark.slow
def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    write_files(tmp_path / "in", some_documents(10), 5)
    (tmp_path / "subs.csv").write_text("id,query\nnames,//name/text()\n")
    text = GOOD.replace('store = "sqlite:///subs.db"', 'file = "subs.csv"').replace("availableNow = true", "")
    (tmp_path / "p.toml").write_text(text.replace('"files"\npath = "out"', '"console"'))
    process = command(tmp_path, "p.toml")
    assert process.stdout
    assert '"fragment":"pen 0 ž"' in process.stdout.readline()
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert errors.startswith("stopped: ")
    assert errors.count("\n") == 1
