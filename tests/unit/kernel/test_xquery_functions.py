"""The planner's table of functions and the engine's are the same."""

from __future__ import annotations

import pytest

from penstock.kernel.compile import compile_query
from penstock.syntax.xquery.functions import FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_engine_knows_every_function(name: str) -> None:
    arity = FUNCTIONS[name]
    for count in {arity.least, arity.least + 2 if arity.most is None else arity.most}:
        compile_query(f"{name}({', '.join(['//a'] * count)})", language="xquery")
