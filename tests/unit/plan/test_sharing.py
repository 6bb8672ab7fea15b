"""What of a query an index finds, and what is left: planned without an engine."""

from __future__ import annotations

import pytest

from penstock.plan import machine
from penstock.plan.text import query_text
from penstock.plan.xquery.barren import without_barren
from penstock.plan.xquery.build import build
from penstock.plan.xquery.sharing import Plan, plan
from penstock.syntax.xquery.prolog import parse


def planned(query: str) -> Plan | None:
    return plan(without_barren(build(parse(query), {})), deliver_empty=False)


def pattern(query: str) -> str | None:
    found = planned(query)
    return None if found is None else query_text(found.pattern)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("for $b in //b where $b/c = 'x' return <r>{$b}</r>", "/descendant::b[c = 'x']"),
        ("for $b in //b[c = 'x'] return $b", "/descendant::b[c = 'x']"),
        ("for $b in //b let $c := $b/c where $c = 'x' return $b", "/descendant::b[c = 'x']"),
        ("for $b in //b where exists($b/c) and empty($b/d) return $b", "/descendant::b[c][not(d)]"),
        ("for $b in //b where some $c in $b/c satisfies $c/@k = '1' return $b", "/descendant::b[c[@k = '1']]"),
        ("for $b in //b where $b/@k eq '1' return $b", "/descendant::b[@k = '1']"),
        # What cannot be asked is loosened, and what comes after a failure is not asked.
        ("for $b in //b where $b/c eq '1' return $b", "/descendant::b[c]"),
        ("for $b in //b where $b/c eq '1' and $b/d = '2' return $b", "/descendant::b[c]"),
        ("for $b in //b where $b/d = '2' and $b/c eq '1' return $b", "/descendant::b[d = '2'][c]"),
        ("for $b in //b where $b/c < 'm' return $b", "/descendant::b[c]"),
        ("for $b in //b where $b/c = $b/d return $b", "/descendant::b[c and d]"),
        ("for $b in //b where $b/.. = 'x' return $b", "/descendant::b"),
        # Two variables are one pattern where no binding holds another.
        ("for $b in /a/b, $c in $b/c where $b/d = '1' and $c/e = '2' return $c", "/a/b[d = '1']/c[e = '2']"),
        ("for $b in //b, $c in $b/c where $c/e = '2' return $c", "/descendant::b[c][c[e = '2']]"),
        # Whole queries.
        ("<r>{for $b in //b where $b = 'x' return $b}</r>", "/descendant::b[. = 'x']"),
        ("(//b)[2]", "/descendant::b"),
        ("(//b, for $c in //c return $c)", "/descendant::b | /descendant::c"),
        ("distinct-values(//b/c)", "/descendant::b/c"),
        ("//b/string()", "/descendant::b"),
        ("count(//b)", None),
        ("<r>{//b}</r>", None),
        ("for $b allowing empty in //b return <r/>", None),
        ("for $x in 1 to 3 return $x", None),
        ("<r k='{exactly-one(//k)}'>{for $b in //b return $b}</r>", None),
    ],
)
def test_patterns(query: str, expected: str | None) -> None:
    assert pattern(query) == expected


def test_numbers_are_found_together_with_what_may_be_none() -> None:
    found = planned("for $b in //b[p < 5] return <r>{$b}</r>")
    assert found == planned("for $b in //b where $b/p < 5 return <r>{$b}</r>")
    assert found is not None
    doubt = "/descendant::b[p[not(. < 0) and not(. >= 0)]]"
    assert query_text(found.pattern) == f"/descendant::b[p < 5] | {doubt}"
    assert isinstance(found.work, machine.Bindings)
    assert len(found.work.doubts) == 1
    assert found.work.residual is not None


def test_works_do_not_depend_on_constants_or_names() -> None:
    one = planned("for $b in //b where $b/c = 'x' and $b/d > 1 return <r>{$b/e}</r>")
    other = planned("for $book in //b where $book/c = 'y' and $book/d > 2 return <r>{$book/e}</r>")
    assert one is not None
    assert other is not None
    assert isinstance(one.work, machine.Bindings)
    assert isinstance(other.work, machine.Bindings)
    assert (one.work.query, one.work.doubts) == (other.work.query, other.work.doubts)
    assert one.pattern != other.pattern


def test_says_what_is_exact() -> None:
    found = planned("for $s in //section where $s/title = 'x' return <r>{$s//figure}</r>")
    assert found is not None
    assert found.says == ("exact: an index finds the bindings, and messages are made for them alone",)
