"""What is said of each path of a query: what can arise by the claims, and what is done about it."""

from __future__ import annotations

import pytest

from penstock.plan.xquery.barren import without_barren
from penstock.plan.xquery.build import build
from penstock.plan.xquery.sharing import told_of_paths
from penstock.syntax.xquery.prolog import parse

BOUND = "each once (claim 1), in order (claim 4); the index gives each once, in document order"
BELOW = "each once (claim 3), in order (claim 4)"
NOTHING = f"{BELOW}; nothing is done"
ASKED = f"{BELOW}; the index only asks whether one fits"
FIRST = f"{BELOW}; the evaluator stops at the first"
OUT_OF_ORDER = "may come out of order (a step after //)"
TWICE = f"may come twice (more than one //), {OUT_OF_ORDER}"
SORTS = "the evaluator sorts where a step has several starts"
DISTINCT = "the evaluator sorts and removes duplicates where a step has several starts"


def told(query: str) -> list[str]:
    return list(told_of_paths(without_barren(build(parse(query), {}))))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "for $b in //b where $b/author/last = 'x' return <r>{$b//c, $b//c/d, $b//c}</r>",
            [
                f"$b in /descendant::b: {BOUND}",
                f"where $b/author/last: {ASKED}",
                f"return $b/descendant::c: {NOTHING}",
                f"return $b/descendant::c/d: each once (claim 3), {OUT_OF_ORDER}; {SORTS}",
            ],
        ),
        (
            "for $b in //b where some $a in $b/a satisfies $a/last = 'x' return $b",
            [f"$b in /descendant::b: {BOUND}", f"some $a in $b/a: {ASKED}", f"where $a/last: {ASKED}"],
        ),
        # What the index cannot decide, the evaluator asks; it stops where one node is enough.
        (
            "for $b in /a/b where $b/c and (every $d in $b/d satisfies exists($d/e)) return $b",
            [
                f"$b in /a/b: {BOUND}",
                f"where $b/c: {ASKED}",
                f"every $d in $b/d: {NOTHING}",
                f"where $d/e: {FIRST}",
            ],
        ),
        (
            "for $b in /a/b where not(count($b/c) = 2 and $b//c/d/e) return $b",
            [
                f"$b in /a/b: {BOUND}",
                f"where $b/c: {NOTHING}",
                (
                    f"where $b/descendant::c/d/e: each once (claim 3), {OUT_OF_ORDER}; {SORTS}, "
                    "and stops at the first node of the last step"
                ),
            ],
        ),
        (
            "for $b in //b let $t := $b//section//title return <r>{$t, $t/x}</r>",
            [
                f"$b in /descendant::b: {BOUND}",
                f"let $t := $b/descendant::section/descendant::title: {TWICE}; {DISTINCT}",
                f"return $t/x: {TWICE}; {DISTINCT}",
            ],
        ),
        # Loops that are not one pattern: the second because of the claims, the third because it comes after that.
        (
            "for $b in //b, $c in $b/c, $d in $c//d//e return <r>{$d/f}</r>",
            [
                f"$b in /descendant::b: {BOUND}",
                f"$c in $b/c: {NOTHING}; not one pattern with $b, whose nodes may hold one another (//: no claim 4)",
                f"$d in $c/descendant::d/descendant::e: {TWICE}; {DISTINCT}",
                "return $d/f: each once (claim 1), in order (claim 4); nothing is done",
            ],
        ),
        # One pattern.
        (
            "for $b in /a/b, $c in $b/c where $b/d = '1' and $c/e = '2' return <r>{$c/f}</r>",
            [
                "$b in /a/b: each once (claim 1), in order (claim 4); part of the pattern of $c",
                f"$c in $b/c: {BELOW}; the index gives each once, in document order",
                f"where $b/d: {ASKED}",
                f"where $c/e: {ASKED}",
                f"return $c/f: {NOTHING}",
            ],
        ),
        # A `where` between loops that are one pattern.
        (
            "for $b in /a/b, $c in $b/c where $b/x = '1' for $d in $c/d return $d",
            [
                "$b in /a/b: each once (claim 1), in order (claim 4); part of the pattern of $d",
                f"$c in $b/c: {BELOW}; part of the pattern of $d",
                f"where $b/x: {ASKED}",
                f"$d in $c/d: {BELOW}; the index gives each once, in document order",
            ],
        ),
        (
            "for $b at $i in //b[c]/d where $b/e = 'x' return <r>{$i, $b/..}</r>",
            [
                (
                    f"$b at $i in /descendant::b/d: each once (claim 1), {OUT_OF_ORDER}; "
                    "the index gives each once, in document order"
                ),
                f"$b at $i in /descendant::b[c]: {ASKED}",
                f"where $b/e: {NOTHING}",
                "return $b/..: one at most; nothing is done",
            ],
        ),
        # Whole queries.
        (
            "//b//c | //d",
            [
                f"/descendant::b/descendant::c: {TWICE}; the index gives each once, in document order",
                f"/descendant::d: {BOUND}",
            ],
        ),
        (
            "<r>{for $b in //b order by $b/c return $b/d[e]}</r>",
            [
                f"$b in /descendant::b: {BOUND}",
                f"order by $b/c: {NOTHING}",
                f"return $b/d: {NOTHING}",
                "return $b/d[e]: each once (claim 3), in order (claim 4); the evaluator stops at the first",
            ],
        ),
        (
            "count(//b/c)",
            [f"/descendant::b/c: each once (claim 1), {OUT_OF_ORDER}; {SORTS}"],
        ),
        # What no claim is about.
        (
            "for $b in //b/ancestor::c return ($b/d | $b/e)",
            [
                (
                    "$b in /descendant::b/ancestor::c: "
                    "may come twice and out of order (no claim is about steps that are not downward); "
                    "the evaluator sorts and removes duplicates"
                ),
                "return $b/d: each once (claim 1), in order (claim 4); nothing is done",
                "return $b/e: each once (claim 1), in order (claim 4); nothing is done",
                (
                    "return their union: may come twice and out of order (no claim is about several paths); "
                    "the evaluator sorts and removes duplicates"
                ),
            ],
        ),
        (
            "for $b in //b group by $k := $b/@k return <r>{$b/c}</r>",
            [
                f"$b in /descendant::b: {BOUND}",
                f"let $k := $b/@k: {NOTHING}",
                f"return $b/c: may come twice and out of order (no path leads to its start); {DISTINCT}",
            ],
        ),
        (
            "for $b in //b return ($b//c)[1]/d",
            [
                f"$b in /descendant::b: {BOUND}",
                f"return $b/descendant::c: {NOTHING}",
                f"return (...)/d: each once (claim 3), {OUT_OF_ORDER}; {DISTINCT}",
            ],
        ),
    ],
)
def test_each_path_is_told_once_and_in_order(query: str, expected: list[str]) -> None:
    assert told(query) == expected
