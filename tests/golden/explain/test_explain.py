"""What `explain` says of a query of each kind. `make golden` writes the files anew; people review the difference."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

from penstock.kernel.compile import compile_query
from penstock.plan import machine
from penstock.plan.explain import explain

HERE = Path(__file__).parent
CASES = {
    "child-path": "/feed/entry/title",
    "closures": "//section//figure",
    "attribute-result": "//a/@*",
    "attribute-anywhere": "//@id",
    "document-element": "/feed",
    "attribute-predicate": "//item[@id = '3']",
    "text-predicate": "//p[text() = 'x']",
    "child-value-predicate": "//book[price < 30]/title",
    "boolean-predicate": "//a[b and not(c) or .//d[@x]]/e",
    "negation": "//a[not(b)]/c",
    "contains": "//a[contains(., 'x')]//b",
    "reverse-step": "//c/ancestor::b/d",
    "reverse-predicate": "//a[ancestor::b[c]]",
    "parent-predicate": "//a[../b]/text()",
    "sibling-before": "//a[preceding-sibling::b = 'x']",
    "sibling-after": "//list/item[following-sibling::stop]",
    "interlocked": "//a[.//b[ancestor::c[.//d]]]",
    "absolute-predicate": "//a[//stop]/b",
    "document-element-predicate": "/feed[x]/entry",
    "position": "//item[2]",
    "computed-position": "//a[position() mod 2 = 0]/b",
    "last": "//item[last()]",
    "before-last": "//a/b[last() - 1]",
    "evaluated-predicate": "//a[count(.//b) > 2]/c",
    "reference-before": "//b[preceding::a/@id = @ref]",
    "count": "count(//item)",
    "running-sum": "sum(//a[b]/c)",
    "truth": "//a = 'x'",
    "truth-of-absence": "not(//a[b])",
    "string-function": "concat(//a, '-', //b)",
    "union": "//a | //b[c]/@id",
    "following-step": "//a/following::b",
    "following-predicate": "//a[following::b]/c",
    "id": "id('x')/a",
    "namespaces": "//f:entry[f:title = 'x']",
}
XQUERY_CASES = {
    "flwor": "for $b in //book\n where $b/price < 30\n return <cheap>{ $b/title }</cheap>",
    "flwor-in-a-feed": "for $b in /bib/book, $a in $b/author where $b/title = 'Tides' return <a>{$a/last}</a>",
    "flwor-of-sections": "for $s in //section where $s//title eq 'x' return <s>{$s//section//p}</s>",
    "flwor-of-paths": "for $b at $i in //b let $t := $b//c//d for $e in $b/e where $e/f = $t return <r>{$e//g/h}</r>",
    "flwor-of-values": "for $b in //book order by $b/title return string($b/title)",
}
SEVERAL = ("closures", "child-value-predicate", "boolean-predicate", "before-last", "string-function", "union")


def program(case: str) -> tuple[str, str, machine.Program]:
    query = CASES[case]
    compiled = compile_query(query, namespaces={"f": "urn:feed"}, running=case.startswith("running"))
    return case, query, compiled.program


def check(file: Path, found: str) -> None:
    if os.environ.get("PENSTOCK_GOLDEN") == "write":
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", XQUERY_CASES)
def test_xquery(case: str) -> None:
    query = XQUERY_CASES[case]
    check(HERE / f"{case}.txt", explain([(case, query, compile_query(query).program)]))


@pytest.mark.parametrize("case", CASES)
def test_text(case: str) -> None:
    check(HERE / f"{case}.txt", explain([program(case)]))


@pytest.mark.parametrize(("form", "suffix"), [("text", "txt"), ("json", "json"), ("svg", "svg")])
def test_several(form: Literal["text", "json", "svg"], suffix: str) -> None:
    check(HERE / f"several.{suffix}", explain([program(case) for case in SEVERAL], form))


def test_no_file_is_left_over() -> None:
    expected = {f"{case}.txt" for case in (*CASES, *XQUERY_CASES)} | {
        f"several.{suffix}" for suffix in ("txt", "json", "svg")
    }
    assert {file.name for file in HERE.iterdir() if file.suffix in (".txt", ".json", ".svg")} == expected
