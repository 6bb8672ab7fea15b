"""Where in a TOML file a key is; Python's reader does not tell."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def line_of(text: str, place: tuple[str, ...]) -> int | None:
    """The line of a key or section, or of the closest around it that is written; None for the file itself.

    >>> line_of("[source]\\nformat = 1", ("source", "format"))
    2
    >>> line_of("[source]\\nformat = 1", ("source", "path"))
    1
    """
    lines: dict[tuple[str, ...], int] = {}
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            section = _parts(header[1])
            lines.setdefault(section, number)
        elif key := _KEY.match(line):
            lines.setdefault((*section, *_parts(key[1])), number)
    for length in range(len(place), 0, -1):
        if place[:length] in lines:
            return lines[place[:length]]
    return None


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(name))
