"""A pipeline's file, read and checked; what is wrong is told with its line, its key, and what was expected."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from penstock.spark.pipeline.config import ConfigError, Pipeline
from penstock.spark.pipeline.lines import line_of
from penstock.spark.pipeline.rules import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Iterable


def read_pipeline(path: Path) -> Pipeline:
    """The pipeline that a file describes, or a ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    reader = _Reader(str(path), text)
    pipeline: Pipeline = reader.section(Pipeline, tables, ())
    for problem in PROBLEMS:
        found = problem(pipeline)
        if found is not None:
            reader.refuse(*found)
    return pipeline


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text

    def section(self, kind: type[Any], table: dict[str, Any], place: tuple[str, ...]) -> Any:
        """A section as an object of its class."""
        hints = get_type_hints(kind)
        for key in table.keys() - hints.keys():
            self.refuse((*place, key), _unknown(key, hints))
        for field in fields(kind):
            if field.name not in table and field.default is MISSING and field.default_factory is MISSING:
                what = "section" if is_dataclass(hints[field.name]) else "key"
                self.refuse((*place, field.name), f"the {what} is missing")
        return kind(**{key: self._value(hints[key], value, (*place, key)) for key, value in table.items()})

    def refuse(self, place: tuple[str, ...], message: str) -> NoReturn:
        """Tells of a key."""
        line = line_of(self._text, place)
        where = self._name if line is None else f"{self._name}, line {line}"
        raise ConfigError(f"{where}: {'.'.join(place)}: {message}")

    def _value(self, kind: Any, value: Any, place: tuple[str, ...]) -> Any:
        # A key that may be left out is `kind | None`; TOML itself has no null.
        kind = (
            next((one for one in get_args(kind) if one is not NoneType), kind) if NoneType in get_args(kind) else kind
        )
        if is_dataclass(kind) and isinstance(kind, type):
            return self.section(kind, self._table(value, place), place)
        if get_origin(kind) is Literal:
            return self._choice(get_args(kind), value, place)
        if get_origin(kind) is dict:
            return {key: self._option(one, (*place, key)) for key, one in self._table(value, place).items()}
        if not isinstance(value, kind):
            self.refuse(place, f"expected {_NAMES[kind]}, found {_shown(value)}")
        return value

    def _table(self, value: Any, place: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.refuse(place, f"expected a section or table, found {_shown(value)}")
        return value

    def _choice(self, choices: tuple[str, ...], value: Any, place: tuple[str, ...]) -> Any:
        if value not in choices:
            hint = _suggestion(value, choices) if isinstance(value, str) else ""
            self.refuse(place, f"expected one of {', '.join(choices)}, found {_shown(value)}{hint}")
        return value

    def _option(self, value: Any, place: tuple[str, ...]) -> str:
        """Options of Spark are strings; numbers and truth may be written as what they are."""
        if not isinstance(value, str | bool | int | float):
            self.refuse(place, f"expected a string, a number, true or false, found {_shown(value)}")
        return str(value).lower() if isinstance(value, bool) else str(value)


_NAMES = {str: "a string", bool: "true or false"}


def _unknown(key: str, known: Iterable[str]) -> str:
    return f"unknown key{_suggestion(key, known)} (known: {', '.join(known)})"


def _suggestion(word: str, known: Iterable[str]) -> str:
    lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), lower, n=1)
    return f"; did you mean {lower[close[0]]}?" if close else ""


def _shown(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "a table"
        case list():
            return "a list"
        case str():
            return f'"{value}"'
        case _:
            return str(value)
