"""The example in the docs is what `explain` says."""

from __future__ import annotations

import re
from pathlib import Path

from penstock.kernel.compile import compile_query
from penstock.plan.explain import explain

DOCS = Path(__file__).parents[3] / "docs" / "explain.md"


def test_example_in_the_docs() -> None:
    example = re.search(
        r"^```text\n((\w+): ([^\n]*)\n.*?)^```$", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert example
    shown, name, query = example.groups()
    assert explain([(name, query, compile_query(query).program)]) == shown
