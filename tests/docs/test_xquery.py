"""The page on XQuery: its examples give what it shows, and it names every function."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from penstock.syntax.xquery.functions import FUNCTIONS

PAGE = Path(__file__).parents[2] / "docs" / "xquery.md"


def test_examples() -> None:
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 8
    runner = doctest.DocTestRunner()
    assert runner.run(test).failed == 0


def test_every_function_is_listed() -> None:
    listed = re.search(r"^Functions:(.*?)\.$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`([a-z-]+)`", listed[1])) == set(FUNCTIONS)
