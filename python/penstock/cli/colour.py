"""Colours for XML on a terminal."""

from __future__ import annotations

import os
import re
import sys

import click

_TAG = re.compile(r"(?P<open></?)(?P<name>[^\s/>!?]+)(?P<rest>[^>]*)(?P<close>>)")
_ATTRIBUTE = re.compile(r"""([^\s=]+)(\s*=\s*)("[^"]*"|'[^']*')""")


def wanted(choice: str) -> bool:
    """Whether to colour: as chosen, or (`auto`) on a terminal unless NO_COLOR is set."""
    if choice == "auto":
        return sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return choice == "always"


def xml(fragment: str) -> str:
    """`fragment` with its tags and attributes coloured; text stays as it is."""
    return _TAG.sub(_colour_tag, fragment)


def file_name(name: str) -> str:
    """A file name, coloured as grep's."""
    return click.style(name, fg="magenta")


def _colour_tag(tag: re.Match[str]) -> str:
    rest = _ATTRIBUTE.sub(
        lambda found: click.style(found[1], fg="cyan") + found[2] + click.style(found[3], fg="green"), tag["rest"]
    )
    return tag["open"] + click.style(tag["name"], fg="blue", bold=True) + rest + tag["close"]
