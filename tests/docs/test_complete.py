"""The docs name every command, option, setting and make target; links between the files lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from penstock.cli import main

ROOT = Path(__file__).parents[2]
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def options(group: click.Group, path: str = "penstock") -> Iterator[tuple[str, str]]:
    for name, command in group.commands.items():
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                if option.startswith("-"):
                    yield f"{path} {name}", option
        if isinstance(command, click.Group):
            yield from options(command, f"{path} {name}")


@pytest.mark.parametrize(("command", "option"), sorted(options(main)))
def test_every_option_is_described_with_its_command(command: str, option: str) -> None:
    top = " ".join(command.split()[:2])
    section = re.search(rf"^## `{top}\b.*?(?=^## |\Z)", CLI, re.MULTILINE | re.DOTALL)
    assert section, f"docs/cli.md has no section on {top}"
    assert re.search(rf"`{option}[ `]", section[0]), f"docs/cli.md does not describe {option} of {command}"


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_a_section(name: str) -> None:
    assert re.search(rf"^## `penstock {name}\b", CLI, re.MULTILINE)


def test_every_environment_variable_is_described() -> None:
    sources = [*(ROOT / "python").rglob("*.py"), *(ROOT / "tests").rglob("*.py"), ROOT / "Makefile"]
    used = {name for file in sources for name in re.findall(r"\bPENSTOCK_[A-Z_]+\b", file.read_text(encoding="utf-8"))}
    assert used
    assert {name for name in used if f"`{name}`" not in CLI} == set()


def test_help_of_make_names_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    described = set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE))
    assert set(phony[1].split()) == described
    assert {"setup", "demo", "test", "check", "bench", "fuzz", "golden", "conformance", "clean", "help"} <= described


@pytest.mark.parametrize(
    "file", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), ids=lambda file: file.name
)
def test_links_between_files_lead_somewhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (file.parent / target).exists(), f"{file.name} links to {target}"
