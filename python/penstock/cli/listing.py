"""Subscriptions from a file: JSON lines, or CSV with a header."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from penstock.cli.failure import Failure
from penstock.cli.inputs import READ_ERRORS, chunks, display_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_FLAGS = ("running", "deliver_empty", "replace")


def read_subscriptions(name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The parameters of each subscription in a file (`-`: standard input), with the number of its line."""
    try:
        with chunks(name) as pieces:
            text = b"".join(pieces).decode("utf-8-sig")
    except (*READ_ERRORS, UnicodeDecodeError) as error:
        raise Failure(f"{display_name(name)}: {error}") from error
    rows = _json_lines(text) if text.lstrip().startswith("{") else _table(text)
    try:
        yield from rows
    except _BadLineError as error:
        raise Failure(f"{display_name(name)}, line {error.line}: {error}") from error


class _BadLineError(ValueError):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def _json_lines(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    # Not splitlines: a string of JSON may hold other signs that Python counts as ends of lines.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise _BadLineError(number, f"not a JSON object: {error}") from error
        if not isinstance(row, dict):
            raise _BadLineError(number, "not a JSON object")
        yield number, {name: value for name, value in row.items() if value is not None}


def _table(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise _BadLineError(reader.line_num, f"needs {len(reader.fieldnames or ())} values, as the header has")
            yield reader.line_num, {name: _value(name, cell, reader.line_num) for name, cell in row.items() if cell}
    except csv.Error as error:
        # The outer reader counts only the lines of whole rows.
        raise _BadLineError(reader.reader.line_num, str(error)) from error


def _value(name: str, cell: str, line: int) -> Any:
    """The cell of a column; an empty one is never asked for: it means that nothing is given."""
    if name in _FLAGS:
        if cell.lower() not in _TRUTHS:
            raise _BadLineError(line, f"{name} is {cell!r}: write true or false")
        return _TRUTHS[cell.lower()]
    if name == "namespaces":
        pairs = [pair.partition("=") for pair in cell.split()]
        if not all(equals for _, equals, _ in pairs):
            raise _BadLineError(line, f"namespaces are {cell!r}: write prefix=uri, with spaces between several")
        return {prefix: uri for prefix, _, uri in pairs}
    return cell
