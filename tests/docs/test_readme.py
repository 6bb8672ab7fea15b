"""What the README shows is what happens: its Python and shell blocks are run, their output compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def blocks(file: Path) -> list[Block]:
    source = file.read_text(encoding="utf-8")
    return [Block(found[1], found[2], source.count("\n", 0, found.start()) + 1) for found in FENCE.finditer(source)]


README = blocks(ROOT / "README.md")
PYTHON = [(block, after) for block, after in pairwise(README) if block.language == "python"]
SHELL = [block for block in README if block.language == "console"]


def place(block: object) -> str:
    return f"line-{block.line}" if isinstance(block, Block) else ""


@pytest.mark.parametrize(("block", "after"), PYTHON, ids=place)
def test_python_block_prints_what_follows(block: Block, after: Block) -> None:
    assert after.language == "text", f"the block at line {block.line} shows no output"
    done = subprocess.run([sys.executable, "-c", block.text], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert done.stdout == after.text


@pytest.mark.parametrize("block", SHELL, ids=place)
def test_shell_block_prints_what_it_shows(block: Block, tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    shown = ""
    for line in block.text.splitlines():
        if line.startswith("$ "):
            command = ["bash", "-c", line[2:]]
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
            )
            assert done.stderr == "", line
            shown += f"{line}\n{done.stdout}"
    assert shown == block.text


def test_there_is_something_to_run() -> None:
    assert len(PYTHON) >= 3
    assert len(SHELL) >= 1
