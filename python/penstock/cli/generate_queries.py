"""`penstock generate queries`: subscriptions for tests and measurements."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ExpatError

import click

from penstock.cli.failure import Failure
from penstock.cli.inputs import READ_ERRORS
from penstock.cli.options import output_option
from penstock.cli.progress import Progress
from penstock.generate.corpus import read_documents
from penstock.generate.dtd import DEFAULT_MAX_VALUE, from_dtd
from penstock.generate.observe import from_documents
from penstock.generate.queries import Parameters, queries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import TextIOWrapper

    from penstock.generate.structure import Structure

_BETWEEN_UPDATES = 1_000
_SHARE = click.FloatRange(0, 1)


class _Range(click.ParamType[tuple[int, int]]):
    """A number, or two with a dash between them."""

    name = "range"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> tuple[int, int]:
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", str(value))
        if not found or not self.least <= int(found[1]) <= int(found[2] or found[1]):
            self.fail(f"{value!r} is not a number from {self.least} on, or a range such as 2-4", parameter, context)
        return int(found[1]), int(found[2] or found[1])


@click.command("queries")
@click.argument("documents", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--dtd", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Take the structure from a DTD."
)
@click.option("--root", help="The DTD's root element; default: what is in no other element.")
@click.option(
    "--max-value",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_VALUE,
    show_default=True,
    help="With a DTD and no documents: constants are whole numbers up to this.",
)
@click.option("-n", "--number", type=click.IntRange(min=1), default=1_000, show_default=True, help="How many queries.")
@click.option("--length", type=_Range(1), default="1-6", show_default=True, help="Steps of a query.")
@click.option("--wildcard", type=_SHARE, default=0.1, show_default=True, help="Probability of * at a step.")
@click.option("--closure", type=_SHARE, default=0.2, show_default=True, help="Probability of // at a step.")
@click.option("--nested", type=_Range(0), default="0", show_default=True, help="Nested paths of a query.")
@click.option("--nested-length", type=_Range(1), default="1-2", show_default=True, help="Steps of a nested path.")
@click.option("--predicates", type=_Range(0), default="0", show_default=True, help="Value predicates of a query.")
@click.option("--number-share", type=_SHARE, default=0.0, help="Share of predicates that compare numbers; default: 0.")
@click.option("--contains-share", type=_SHARE, default=0.0, help="Share of predicates with contains; default: 0.")
@click.option("--starts-share", type=_SHARE, default=0.0, help="Share of predicates with starts-with; default: 0.")
@click.option(
    "--min-values",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Ask only for what has so many different values at least.",
)
@click.option("--zipf", type=click.FloatRange(min=0), default=0.0, help="Skew of constants; default: 0, uniform.")
@click.option("--distinct/--duplicates", default=True, help="Every query once, or as they come.")
@click.option("--shapes", type=click.IntRange(min=1), help="At most this many that differ in more than constants.")
@click.option("--seed", default=0, show_default=True, help="Another seed, other queries.")
@click.option("-j", "--json", "as_json", is_flag=True, help="JSON objects with id, query and namespaces.")
@output_option
def queries_command(
    documents: tuple[Path, ...],
    dtd: Path | None,
    root: str | None,
    max_value: int,
    as_json: bool,
    output: TextIOWrapper,
    **parameters: Any,
) -> None:
    """Queries in the manner of YFilter's generator, over a DTD or over what occurs in DOCUMENTS.

    Documents are XML, or JSON lines with a document as `xml`, gzipped or not. With a DTD and documents the structure is
    the DTD's and the constants are the documents'.

    \b
    Examples:
      penstock generate queries feed.xml --number 10000 --predicates 0-2 --zipf 1
      penstock generate queries --dtd nitf.dtd --length 4-10 --nested 0-3 --seed 7
      penstock generate queries items.jsonl.gz --predicates 1 --shapes 100 --json | penstock subscribe --from -
    """
    wanted = Parameters(**parameters)
    if wanted.number_share + wanted.contains_share + wanted.starts_share > 1:
        raise Failure("the shares of predicates are more than 1 together")
    try:
        structure = _structure(documents, dtd, root, max_value)
        written = 0
        with Progress("queries", wanted.number, unit="queries") as progress:
            for line in _lines(structure, wanted, as_json):
                output.write(line)
                written += 1
                if written % _BETWEEN_UPDATES == 0:
                    progress.update(written)
    except ValueError as error:
        raise Failure(str(error)) from error
    if written < wanted.number:
        raise Failure(f"there are hardly any other distinct queries with these parameters: {written:,} written")


def _structure(documents: tuple[Path, ...], dtd: Path | None, root: str | None, max_value: int) -> Structure:
    if dtd is None and not documents:
        raise click.UsageError("a DTD or documents are needed to make queries of")
    try:
        if dtd is not None:
            return from_dtd(dtd, _read(documents), root=root, max_value=max_value)
        return from_documents(_read(documents))
    except ImportError as error:
        raise Failure("reading a DTD needs lxml: pip install penstock[bench]") from error
    except ExpatError as error:
        raise Failure(f"a document is not well-formed: {error}") from error


def _read(documents: tuple[Path, ...]) -> Iterator[bytes]:
    for path in documents:
        try:
            yield from read_documents(path)
        except (*READ_ERRORS, KeyError) as error:
            raise Failure(f"{path}: {error}") from error


def _lines(structure: Structure, wanted: Parameters, as_json: bool) -> Iterator[str]:
    """Prefixes are part of a JSON line; otherwise comments say once what they stand for."""
    if not as_json:
        header = "".join(f"# {prefix}={uri}\n" for prefix, uri in structure.namespaces.items())
        for number, query in enumerate(queries(structure, wanted)):
            yield f"{header if number == 0 else ''}{query}\n"
        return
    for number, query in enumerate(queries(structure, wanted), start=1):
        row: dict[str, Any] = {"id": f"q{number}", "query": query}
        used = {prefix: uri for prefix, uri in structure.namespaces.items() if f"{prefix}:" in query}
        if used:
            row["namespaces"] = used
        yield json.dumps(row, ensure_ascii=False) + "\n"
