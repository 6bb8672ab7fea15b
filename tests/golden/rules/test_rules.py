"""What each rule makes of a query, and that the answers stay the same. `make golden` writes the files anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.kernel.compile import compile_query
from penstock.kernel.engine import link, make_engine
from penstock.plan.build import build
from penstock.plan.text import query_text
from penstock.rules import RULES
from penstock.syntax.xpath import parse

HERE = Path(__file__).parent
QUERIES = {
    "look_forward": [
        "//c/..",
        "/a/b/c/..",
        "//c/parent::b",
        "//c/ancestor::a/b",
        "/a/b//c/ancestor::b[@k]",
        "//c/ancestor::node()",
        "//c/ancestor-or-self::b",
        "//b/preceding-sibling::c",
        "//c[. = '2']/preceding::b/@k",
        "//@k/..",
        "//@k/ancestor::a",
        "//b/@k/parent::b/c",
        "count(//c/..)",
        "//b/.. | //c",
        # Positions count along the way as it is written, so such paths stay.
        "//c/ancestor::b[1]",
        "//c[1]/..",
    ],
}
DOCUMENTS = [
    "<a k='0'><b k='1'><c>1</c><c>2</c></b><c>2</c><b><a><b k='2'/><c/></a></b></a>",
    "<c><b><c><c/></c></b></c>",
    "<b k='1'/>",
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule(rule) -> None:  # type: ignore[no-untyped-def]
    name = rule.__name__
    rewritten = {query: query_text(rule(build(parse(query), {}, query))) for query in QUERIES[name]}
    text = "".join(f"{query}\n    {after}\n" for query, after in rewritten.items())
    golden = HERE / f"{name}.txt"
    if os.environ.get("PENSTOCK_GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == text
    engine = make_engine()
    for query, after in rewritten.items():
        before_and_after = [compile_query(one, machine=False) for one in (query, after)]
        for document in DOCUMENTS:
            before, now = (engine.values(link([one]), document) for one in before_and_after)
            assert now == before, (query, after, document)
