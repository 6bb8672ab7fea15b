"""Random trees, the queries of the conformance suite, and mutations of them."""

import json
import os
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from penstock.errors import QueryError
from penstock.kernel.expressions import encode_expression
from penstock.plan.build import build
from penstock.plan.text import query_text
from penstock.span import Span
from penstock.syntax import ast
from penstock.syntax.printer import to_text
from penstock.syntax.xpath import AXES, parse

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
CONFORMANCE = Path(os.environ.get("PENSTOCK_CONFORMANCE", SHARED))
FUZZ_CASES = int(os.environ.get("PENSTOCK_FUZZ_CASES", "20000"))
NOWHERE = Span(0, 0)

NAME_LIST = """
    a b-c d.e and or div mod contains if then else some every satisfies in text node count self child for return eq
    element Q é _ to
"""
NAMES = st.sampled_from(NAME_LIST.split())
WILD = st.just("*")
NAME_TESTS = st.one_of(
    st.builds(ast.NameTest, NAMES | WILD, span=st.just(NOWHERE)),
    st.builds(ast.NameTest, NAMES | WILD, NAMES, span=st.just(NOWHERE)),
    st.builds(ast.NameTest, NAMES, WILD, span=st.just(NOWHERE)),
    st.builds(ast.NameTest, NAMES | WILD, uri=st.sampled_from(["", "urn:x", "http://a/?b='c'"]), span=st.just(NOWHERE)),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=8) | st.text("a'\"(:)", max_size=6)
KIND_TESTS = st.one_of(
    st.builds(
        ast.KindTest, st.sampled_from(["node", "text", "comment", "processing-instruction"]), span=st.just(NOWHERE)
    ),
    st.builds(ast.KindTest, st.just("processing-instruction"), TEXTS, span=st.just(NOWHERE)),
)
NUMBERS = st.floats(min_value=0, allow_nan=False) | st.integers(0, 20).map(float)
LEAVES = st.one_of(
    st.builds(ast.Number, NUMBERS.map(abs), span=st.just(NOWHERE)),
    st.builds(ast.String, TEXTS, span=st.just(NOWHERE)),
    st.builds(ast.Variable, NAMES, span=st.just(NOWHERE)),
    st.builds(ast.Root, span=st.just(NOWHERE)),
)
FUNCTION_NAMES = st.sampled_from(["count", "contains", "concat", "f", "p:g", "not", "and", "some"])


def _several(exprs: st.SearchStrategy[ast.Expr], least: int, most: int) -> st.SearchStrategy[tuple[ast.Expr, ...]]:
    return st.lists(exprs, min_size=least, max_size=most).map(tuple)


def _larger(exprs: st.SearchStrategy[ast.Expr]) -> st.SearchStrategy[ast.Expr]:
    at = {"span": st.just(NOWHERE)}
    step = st.builds(ast.Step, st.sampled_from(sorted(AXES)), NAME_TESTS | KIND_TESTS, _several(exprs, 0, 2), **at)
    any_descendant = st.just(ast.Step("descendant-or-self", ast.KindTest("node", span=NOWHERE), span=NOWHERE))
    steps = st.lists(step | any_descendant, min_size=1, max_size=4).map(tuple)
    comparisons = st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "contains"])
    many = _several(exprs, 2, 4)
    return st.one_of(
        st.builds(ast.Path, st.none() | exprs, steps, **at),
        st.builds(ast.Filter, exprs, _several(exprs, 1, 2), **at),
        st.builds(ast.Union, many, **at),
        st.builds(ast.Or, many, **at),
        st.builds(ast.And, many, **at),
        st.builds(ast.Compare, comparisons, exprs, exprs, **at),
        st.builds(ast.Arithmetic, st.sampled_from(["+", "-", "*", "div", "mod"]), exprs, exprs, **at),
        st.builds(ast.Negate, exprs, **at),
        st.builds(ast.Call, FUNCTION_NAMES, _several(exprs, 0, 3), name_span=st.just(NOWHERE), **at),
        st.builds(ast.If, exprs, exprs, exprs, **at),
        st.builds(ast.Quantified, st.booleans(), NAMES, exprs, exprs, **at),
    )


TREES = st.recursive(LEAVES, _larger, max_leaves=25)


@settings(max_examples=400, deadline=None)
@given(TREES)
def test_printing_and_parsing_gives_the_same_tree(tree: ast.Expr) -> None:
    text = to_text(tree)
    assert parse(text) == tree, text


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=40) | st.text("ab/[]()@*:.'\"$|-+=<>! 1,{}?#%;&", max_size=25))
def test_any_text_is_a_query_or_a_query_error(text: str) -> None:
    _read(text, {})


def _read(query: str, namespaces: dict[str, str]) -> ast.Expr | None:
    """The tree if the query is grammatical; whatever else is wrong with it has to be a QueryError too."""
    try:
        tree = parse(query)
    except QueryError as error:
        _check_text(error)
        return None
    try:
        json.dumps(encode_expression(build(tree, namespaces, query)), allow_nan=False)
    except QueryError as error:
        _check_text(error)
    return tree


def _check_text(error: QueryError) -> None:
    """The caret stands below the place that the error names."""
    if error.span is not None:
        _, line, carets = str(error).split("\n")[-3:]
        assert len(carets.rstrip("^")) <= len(line)
        assert carets.endswith("^")


@cache
def _cases() -> tuple[dict[str, object], ...]:
    lines = [line for file in sorted(CONFORMANCE.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    return tuple(case for case in map(json.loads, lines) if case["lang"] == "xpath")


needs_conformance = pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="the conformance suite is not here")


@needs_conformance
@pytest.mark.conformance
def test_conformance_queries_parse_build_and_print() -> None:
    assert len(_cases()) > 2_000
    for case in _cases():
        query, namespaces = case["query"], case.get("namespaces") or {}
        tree = parse(query)
        assert parse(to_text(tree)) == tree, query
        assert json.loads(json.dumps(encode_expression(build(tree, namespaces, query)), allow_nan=False))


@needs_conformance
@pytest.mark.conformance
def test_the_normal_form_means_what_the_query_means() -> None:
    """lxml evaluates both. It cannot read names in namespaces as the normal form spells them."""
    documents: dict[str, etree._ElementTree] = {}
    compared = 0
    for case in _cases():
        query = case["query"]
        # lxml rounds the digits of long numbers wrongly, and takes quadratic time for these axes in a large document.
        if case.get("namespaces") or re.search(r"\d{16}|bidder/(following|preceding)::", query):
            continue
        if case["doc"] not in documents:
            documents[case["doc"]] = etree.parse(CONFORMANCE / case["doc"])
        try:
            result = documents[case["doc"]].xpath(query)
        except etree.XPathError:
            continue
        rewritten = query_text(build(parse(query), {}, query))
        if "Q{" in rewritten:
            continue
        assert repr(documents[case["doc"]].xpath(rewritten)) == repr(result), (query, rewritten)
        compared += 1
    assert compared > 2_000


FRAGMENTS = ["*", "div", "/", "//", "[", "]", "(", ")", "'", '"', "-", "and", "or", "mod", ".", "..", "@", "::", ":"]
FRAGMENTS += ["1", "a", "$x", "text()", "|", "=", "<", "!=", ",", " ", "child::", "p:a", "contains", "1e", "Q{", "#"]
FRAGMENTS += ["if (a) then b else c", "some $x in a satisfies", "/count()", "*:", "matches(a, '(b')", "(:", "\x00", "é"]


def _mutations(seed: int, count: int) -> Iterator[str]:
    choose = random.Random(seed)
    queries = sorted({str(case["query"]) for case in _cases()})
    for _ in range(count):
        query = choose.choice(queries)
        for _ in range(choose.randint(1, 3)):
            at, cut = choose.randrange(len(query) + 1), choose.choice([0, 0, 1, 3])
            other = choose.choice(queries)
            start = choose.randrange(len(other))
            piece = choose.choice([choose.choice(FRAGMENTS), other[start : start + 8], ""])
            query = query[:at] + piece + query[at + cut :]
        yield query


@needs_conformance
@pytest.mark.fuzz
def test_mutated_queries_are_queries_or_query_errors() -> None:
    for query in _mutations(seed=1, count=FUZZ_CASES):
        tree = _read(query, {"p": "urn:p"})
        if tree is not None:
            assert parse(to_text(tree)) == tree, query


EXTENSIONS = re.compile(
    r"\(:|''|\"\"|\*:|Q\{|\bif\s*\(|\b(some|every)\s*\$|contains\b|/\s*(count|sum|avg|min|max)\s*\("
)


@needs_conformance
@pytest.mark.fuzz
def test_lxml_accepts_what_we_accept_but_for_the_extensions() -> None:
    accepted = 0
    for query in _mutations(seed=2, count=FUZZ_CASES // 2):
        tree = _read(query, {})
        if tree is None or EXTENSIONS.search(query):
            continue
        etree.XPath(query)
        etree.XPath(to_text(tree))
        accepted += 1
    assert accepted > FUZZ_CASES // 20
