"""Many subscriptions in one index: the same results as each alone, whatever the order, the removals, the memory."""

from __future__ import annotations

import dataclasses
import itertools
import os
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from penstock import Broker
from penstock.generate.corpus import read_documents
from penstock.generate.observe import from_documents
from penstock.generate.queries import Parameters, queries
from penstock.generate.xmark import xmark
from penstock.kernel.compile import compile_query
from penstock.kernel.engine import Engine, Limits, Subscriptions, make_engine
from support.documents import make_document
from support.queries import make_path
from support.ways import ENGINE, compiled, run_indexed, run_whole

SETS = int(os.environ.get("PENSTOCK_INDEX_SETS", "1"))
DATA = Path(os.environ.get("PENSTOCK_DATA", "../shared/data"))
FEEDS = ("nitf-500", "rss-items", "iso20022", "peppol-invoices", "pubmed-articles")
SIZES = (2_000, 400, 60, 1)
TIME = datetime(2025, 1, 1, tzinfo=UTC)
MIXED = Parameters(nested=(0, 3), predicates=(0, 2), number_share=0.2, contains_share=0.2, starts_share=0.1)
FORGETFUL = (Limits(automaton_states=300), Limits(automaton_states=10), Limits(automaton_bytes=20_000))

Found = dict[str, list[tuple[str, str, int]]]


def documents_of(name: str) -> list[bytes]:
    if name == "xmark":
        return ["".join(xmark(size=60_000, seed=seed)).encode() for seed in range(3)]
    file = DATA / f"{name}.jsonl.gz"
    if not file.exists():
        pytest.skip(f"needs {file.name} (PENSTOCK_DATA)")
    return list(itertools.islice(read_documents(file), 12))


def found_in(subscriptions: Subscriptions, document: bytes, engine: Engine = ENGINE) -> Found:
    deliveries, failed = engine.publish(subscriptions, document, "d", "default", TIME, grouped=False)
    assert failed == []
    found: Found = {}
    for one in deliveries:
        found.setdefault(one.subscription, []).append((one.kind, one.fragment, one.sequence))
    return found


def expected(texts: dict[str, str], namespaces: dict[str, str], document: bytes) -> Found:
    found = run_whole([compile_query(text, namespaces=namespaces) for text in texts.values()], document)
    return {id: one for id, one in zip(texts, found, strict=True) if one and not isinstance(one, str)}


def enter(subscriptions: Subscriptions, texts: dict[str, str], namespaces: dict[str, str]) -> None:
    programs = [compile_query(text, namespaces=namespaces).native for text in texts.values()]
    rows = [((id, text, None, None, 0, False), one) for (id, text), one in zip(texts.items(), programs, strict=True)]
    assert subscriptions.change([], rows) == []


def test_random_paths_on_random_documents() -> None:
    for seed in range(SETS * 20):
        random = Random(seed)
        programs = [compiled(make_path(random)) for _ in range(random.choice((1, 30, 200)))]
        for _ in range(4):
            document = make_document(random, nodes=random.choice((6, 60, 200)))
            assert run_indexed(programs, document) == run_whole(programs, document), f"seed {seed}"


def test_all_kinds_of_nodes_on_all_sides_of_a_predicate() -> None:
    document = b"<a>x<d k='2'><c k='1'><a/>t<!--n--></c>t</d><d><!--n--><d k='t'/><?p i?></d></a>"
    tests, predicates = ("a", "d", "*", "node()", "text()", "comment()"), ("", "[@k]", "[c]", "[node()]", "[. = 't']")
    steps = [f"{axis}{test}{predicate}" for axis in ("/", "//") for test in tests for predicate in predicates]
    for first in steps:
        paths = [first, *(f"{first}{second}" for second in (*steps, "/@k", "/@*", "/node()/a", "/node()/@k"))]
        programs = [compiled(path) for path in paths]
        for path, indexed, alone in zip(
            paths, run_indexed(programs, document), run_whole(programs, document), strict=True
        ):
            assert indexed == alone, path


@pytest.mark.parametrize("name", ["xmark", *FEEDS])
def test_generated_queries_on_feeds(name: str) -> None:
    documents = documents_of(name)
    structure = from_documents(documents)
    for seed, number in enumerate(SIZES * SETS):
        made = queries(structure, dataclasses.replace(MIXED, seed=seed, number=number))
        texts = {str(place): text for place, text in enumerate(made)}
        subscriptions = Subscriptions(0)
        enter(subscriptions, texts, structure.namespaces)
        wanted = [expected(texts, structure.namespaces, document) for document in documents]
        assert any(wanted) or number == 1
        assert [found_in(subscriptions, document) for document in documents] == wanted
        forgetful = [make_engine(limits) for limits in FORGETFUL]
        for engine in forgetful:
            assert [found_in(subscriptions, document, engine) for document in documents] == wanted
        assert number < max(SIZES) or all(engine.learned()[3] > 0 for engine in forgetful[1:])
        random = Random(seed)
        for _ in range(3):
            # What is taken out and put back again, in another order, changes nothing.
            gone = random.sample(sorted(texts), len(texts) // 3)
            assert subscriptions.change(gone, []) == []
            rest = {id: text for id, text in texts.items() if id not in set(gone)}
            for document, all_found in zip(documents, wanted, strict=True):
                assert found_in(subscriptions, document) == {id: all_found[id] for id in all_found if id in rest}
            random.shuffle(gone)
            enter(subscriptions, {id: texts[id] for id in gone}, structure.namespaces)
            assert [found_in(subscriptions, document) for document in documents] == wanted
        subscriptions.change(sorted(texts), [])
        assert (len(subscriptions), found_in(subscriptions, documents[0])) == (0, {})
        assert dict(subscriptions.sizes())["plans"] == 0
        assert dict(subscriptions.sizes())["conditions"] == 0


def test_shapes_that_are_known_need_no_compiling() -> None:
    broker = Broker()
    rows = [(str(n), f"//item[price > {n}][@kind = 'k{n % 3}']/name") for n in range(200)]
    outcome = broker.subscribe_many(rows)
    assert (len(outcome.accepted), outcome.rejected) == (200, ())
    document = b"<l><item kind='k1'><price>100</price><name>pen</name></item></l>"
    assert broker.matches(document) == [str(n) for n in range(100) if n % 3 == 1]
    assert broker.get("7").query == "//item[price > 7][@kind = 'k1']/name"
    assert broker.stats()["indexed"] == 200


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("//a[. = 'x']", "//a[. = '']"),
        ("//a[b = 'x']", "//a[b = 'it''s']"),
        ("//a[contains(., 'x')]", "//a[contains(., '')]"),
        ("//a[2]", "//a[3]"),
        ("//a[b = 1]", "//a[b = 01.0]"),
        ("//a[b = 'x']/c1", "//a[b = 'y']/c1"),
        ("//a['x']", "//a['y']"),
        ("//a[. = 'x' (: 'n' :)]", "//a[. = 'x' (: 'm' :)]"),
    ],
)
def test_known_shapes_mean_what_the_compiler_says(known: str, other: str) -> None:
    document = b"<l><a>x<b>1</b><c1/></a><a/><a><b>y</b><c1/></a><a>it's</a></l>"
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}") for n in range(40)])
    for n in range(3):
        outcome = broker.subscribe_many([(f"known{n}", known), (f"other{n}", other)])
        ids = [one.id for one in outcome.accepted]
        fresh = Broker()
        fresh.subscribe_many([(one.id, one.query) for one in outcome.accepted])
        found = [(d.subscription, d.fragment) for d in broker.publish(document)]
        assert [one for one in found if one[0] in ids] == [
            (d.subscription, d.fragment) for d in fresh.publish(document)
        ]


LONG_VALUES = """<r>
<a>short</a><a>short and more: {0}</a><a>sh<b>ort</b></a><a>&#115;hort</a><a><![CDATA[sho]]>rt</a>
<a>&lt;p&gt;{1}&lt;/p&gt;</a><a>{1}&#x73;<b/>short</a><a x="short"/><a x="{0}"/><a>\u00e9{0}\u00e9</a>
</r>"""


@pytest.mark.parametrize(
    "queries",
    [
        # Only the beginnings of values are needed, unless a text node is itself a result.
        ["//a[. = 'short']", "//a[text() = 'short']", "//b[. = 'ort']", "//a[@x = 'short']"],
        ["//a[. = 'short']", "//a/text()", "//b/text()[. = 'ort']"],
        ["//a[text() = 'short']", "//a/text()[starts-with(., 'short')]", "//a[starts-with(., '<p>')]"],
        # Here all of them are.
        ["//a[. = 'short']", "//a[contains(., 'short')]", "//a/text()[contains(., 'more')]", "//r[. != '']/a/node()"],
        ["//a[. = 'short']", "//r/a[text()]", "//a[text() = 'short']/b", "//a[b/text() = 'ort']"],
    ],
)
def test_values_longer_than_every_constant(queries: list[str]) -> None:
    document = LONG_VALUES.format("long " * 300, "&amp;long&gt; " * 300).encode()
    texts = {str(number): query for number, query in enumerate(queries)}
    subscriptions = Subscriptions(0)
    enter(subscriptions, texts, {})
    found = found_in(subscriptions, document)
    assert found == expected(texts, {}, document)
    assert len(found) >= 3


def test_results_that_several_triggers_give_come_once() -> None:
    """Siblings that trigger alike, anchors within each other, branches of a union, paths that fire together."""
    document = b"<r><a><b>x</b><b>x</b><a><b>x</b><c/></a><c/><c/></a><a k='x'><b>y</b><c/></a><c/></r>"
    queries = [
        "//a[b = 'x']/c",
        "//a[b = 'x']//c",
        "//a[.//b = 'x']//c",
        "/r/a[b = 'x']/c",
        "/r/*[b = 'x']/c",
        "//a[b = 'x']/c | //a[b = 'y']/c",
        "//a[@k = 'x'][b = 'y']/c",
        "//a//c",
        "//*[b]//c",
        "//a[b]/c",
        "//b[. = 'x'] | //a/b",
    ]
    texts = {str(number): query for number, query in enumerate(queries)}
    subscriptions = Subscriptions(0)
    enter(subscriptions, texts, {})
    assert found_in(subscriptions, document) == expected(texts, {}, document)
    grouped, failed = ENGINE.publish(subscriptions, document, "d", "default", TIME, grouped=True)
    assert failed == []
    given = [(one.sequence, id) for one in grouped.fragments for id in one.subscriptions]
    assert len(given) == len(set(given)) == sum(map(len, expected(texts, {}, document).values()))


def nested(random: Random, depth: int) -> str:
    """Elements of few names and values within each other: what is above a node triggers again and again."""
    name, value = random.choice("ab"), random.choice("12")
    inner = "".join(nested(random, depth - 1) for _ in range(random.randint(1, 3))) if depth else ""
    return f"<{name} k='{value}'>{random.choice(('', value))}{inner}</{name}>"


ATTRIBUTES = (
    "//b[@k = '1']/c",
    "//b[@* = '1']/c",
    "//*[@k = '1']",
    "//b/@k[. = '1']",
    "//@k[. = '1']",
    "//b[@k]/c",
    "//b[@k = '1'][@l = '1']//c",
    "/a[.//b/@k = '1']/c",
    "/a[b/@k = '1' or b/@l = '2']/b",
    "//b[@k > 0]/c/@m",
    "//c[../@k = '1']",
    "//b[@k = '1']/c | //b[@l = '1']/c",
    "//b[starts-with(@l, '1')]/c[contains(@m, '1')]",
)


@pytest.mark.parametrize("left_out", [None, *range(len(ATTRIBUTES))])
def test_attributes_that_only_trigger_and_those_that_are_looked_at(left_out: int | None) -> None:
    """Whether an attribute is kept as a node depends on what others ask for: so each is left out once."""
    paths = [path for number, path in enumerate(ATTRIBUTES) if number != left_out]
    programs = [compiled(path) for path in paths]
    documents = (
        b"<a k='1'><b k='1' l='1'><c m='1'/><c/></b><b k='2' l='2'><c m='11'/></b><c/></a>",
        b"<a><b l='1' k='1'><b k='1'><c/></b><c k='1' m='1'/></b><c/></a>",
        b"<a><b k='2'><c/></b><b l='12'><c m='21'/></b></a>",
    )
    for document in documents:
        assert run_indexed(programs, document) == run_whole(programs, document), document


CLIMBS = (
    "//a[.//b/@k = '1']/c",
    "//a[.//b[@k = '1']]/c",
    "//a[.//@k = '1']/c",
    "//a[.//@* = '1']/c",
    "//a[.//@k > 0]/b",
    "//a[.//b[c]/@k = '1']/c",
    "//a[b//c/@k = '1'][c]/*",
    "//a[.//@k[. = '1'][starts-with(., '1')]]/c",
    "//a[.//@k[starts-with(., '1')][contains(., '11')]]//c",
    "//a[descendant-or-self::*/@k = '1']/c",
    "/a/b[.//c[@k = '1'][@l = '1']]",
    "/a//b[.//c[@k = '1']]//c[.//@k = '1']",
)


@pytest.mark.parametrize("kept", [(), ("//@k",), ("//b[@k]/@l", "//c[not(@k)]")])
@pytest.mark.parametrize("together", [False, True])
def test_ways_up_from_attributes_that_are_kept_or_not(kept: tuple[str, ...], together: bool) -> None:
    random = Random(7)
    nested = (_nested(random, ("a", "b", "c", "a", "d"), 5) for _ in range(12))
    keys = (one.replace("k='2'", "k='11'").replace("<c k='1'", "<c k='1' l='1'") for one in nested)
    documents = [f"<a>{one}</a>" for one in keys]
    sets = [(*CLIMBS, *kept)] if together else [(climb, *kept) for climb in CLIMBS]
    found = set()
    for paths in sets:
        programs = [compiled(path) for path in paths]
        for document in documents:
            whole = run_whole(programs, document.encode())
            assert run_indexed(programs, document.encode()) == whole, document
            found |= {path for path, one in zip(paths, whole, strict=True) if one}
    assert set(CLIMBS) - found == set()


@pytest.mark.parametrize(
    "further", [[], ["/@k", "/text()", "/a/@*", "//text()"], ["/descendant-or-self::a/b", "/a[b]/b"]]
)
def test_many_ways_down_from_few_anchors(further: list[str]) -> None:
    steps = [axis + test for axis in ("/", "//") for test in ("a", "b", "*")]
    ways = ["".join(way) for length in (1, 2, 3) for way in itertools.product(steps, repeat=length)]
    random = Random(len(further))
    anchors = [
        "/r/a[@k = '1']",
        "//a[@k = '2']",
        "//*[@k = '1']",
        "//b[text() = '1']",
        "/r//b[@k = '1'][a]",
        "//a[b/@k = '2']",
    ]
    chosen = [anchor + way for anchor in anchors for way in random.sample(ways, 150) + further]
    texts = {str(number): text for number, text in enumerate(chosen)}
    subscriptions = Subscriptions(0)
    enter(subscriptions, texts, {})
    documents = [f"<r>{nested(random, 4)}{nested(random, 3)}</r>".encode() for _ in range(6)]
    # Longer than a way of names may be.
    documents.append(b"<r>" + 70 * b"<a k='1'><b k='2'>1" + b"<a/>" + 70 * b"</b></a>" + b"</r>")
    wanted = [expected(texts, {}, document) for document in documents]
    assert all(wanted)
    assert [found_in(subscriptions, document) for document in documents] == wanted
    gone = random.sample(sorted(texts), len(texts) // 2)
    subscriptions.change(gone, [])
    for document, all_found in zip(documents, wanted, strict=True):
        assert found_in(subscriptions, document) == {id: one for id, one in all_found.items() if id not in set(gone)}
    enter(subscriptions, {id: texts[id] for id in gone}, {})
    assert [found_in(subscriptions, document) for document in documents] == wanted


def test_anchors_alike_of_which_one_has_what_no_document_had() -> None:
    """Who gets nodes by their names is remembered; new names are found out while others of the document rely on it."""
    copies = {"/b": 1, "//b": 70, "/c/*": 3, "//*": 2, "/c//d": 1, "//d/b": 5}
    texts = {f"{way} {copy}": f"//a[@k = '1']{way}" for way, count in copies.items() for copy in range(count)}
    texts |= {f"n{number}": f"//a[@k = '1']//n{number}" for number in range(40)}
    subscriptions = Subscriptions(0)
    enter(subscriptions, texts, {})
    known = "<b/><c><d><b/></d></c>"
    for number in range(40):
        new = f"<n{number}><b/><c><d/></c></n{number}>"
        anchors = f"<a k='1'>{known}</a><a k='1'>{known}{new}<a k='1'>{new}</a></a><a k='1'>{40 * known}</a>"
        document = f"<r>{anchors}</r>".encode()
        assert found_in(subscriptions, document) == expected(texts, {}, document), number
        known += new if number % 3 == 0 else ""


def test_who_gets_nodes_by_their_names_is_learned_while_names_come() -> None:
    """Asked for once, it is not remembered; later it is, and completed by few new ways of names or by many."""
    random = Random(31)
    names = ("a", "b", "c", "d", "rare")
    steps = [f"{axis}{test}" for axis in ("/", "//") for test in (*names, "*")]
    ways = {"".join(random.choices(steps, k=random.randint(1, 4))) for _ in range(150)}
    texts = {f"{anchor}{way}": f"{anchor}[@k = '1']{way}" for way in ways for anchor in ("//a", "//b/c", "/r")}
    subscriptions = Subscriptions(0)
    enter(subscriptions, texts, {})
    documents = [
        f"<r k='1'>{''.join(_nested(random, names, depth) for _ in range(3))}</r>".encode()
        for depth in (2, 2, 3, 3, 5, 5, 6, 6, 6)
    ]
    wanted = [expected(texts, {}, document) for document in documents]
    assert all(wanted)
    order = [*range(len(documents)), *random.choices(range(len(documents)), k=120)]
    for number in order:
        assert found_in(subscriptions, documents[number]) == wanted[number], number


def binary(depth: int, *, marked: int) -> str:
    """All ways of two names: elements at a certain depth have an attribute."""
    if depth == 0:
        return "<a/><b/>"
    mark, below = (" k='1'" if depth == marked else ""), binary(depth - 1, marked=marked)
    return f"<a{mark}>{below}</a><b>{below}</b>"


def test_more_ways_of_names_than_are_kept() -> None:
    steps = [axis + test for axis in ("/", "//") for test in ("a", "b", "*")]
    ways = ["".join(way) for length in (1, 2, 3) for way in itertools.product(steps, repeat=length)]
    texts = {way: f"//a[@k = '1']{way}" for way in ways}
    subscriptions = Subscriptions(0)
    enter(subscriptions, texts, {})
    large, small = (f"<r>{binary(depth, marked=5)}</r>".encode() for depth in (15, 6))
    wanted = expected(texts, {}, small)
    assert len(wanted) == len(texts)
    few = dict(itertools.islice(texts.items(), 0, None, 40))
    many = expected(few, {}, large)
    for _ in range(2):
        assert found_in(subscriptions, small) == wanted
        found = ENGINE.publish(subscriptions, large, "d", "default", TIME, grouped=True)[0]
        counts = dict.fromkeys(few, 0)
        for fragment in found.fragments:
            for id in set(fragment.subscriptions) & set(few):
                counts[id] += 1
        assert counts == {id: len(many[id]) for id in few}


def test_anchors_deeper_than_a_stack() -> None:
    """The ways below an anchor are known by the names from the root on, of which there may be any number."""
    depth = 300_000
    texts = {f"k{number}": f"//c[@x = '1']/k{number}//m" for number in range(8)}
    subscriptions = Subscriptions(0)
    enter(subscriptions, texts, {})
    document = b"<a>" * depth + b"<c x='1'><k3><l><m/></l></k3></c>" + b"</a>" * depth
    engine = make_engine(Limits(depth=depth + 10))
    deliveries, failed = engine.publish(subscriptions, document, "d", "default", TIME, grouped=False)
    assert ([one.subscription for one in deliveries], failed) == (["k3"], [])


def test_ways_that_are_tried_from_their_end() -> None:
    """Nodes of a name that are few are found before the ways to them, of all kinds and with conditions."""
    random = Random(12)
    names = ("a", "b", "c", "d", "rare")
    steps = [f"{axis}{name}" for axis in ("/", "//") for name in (*names, "*", "rare[@k]", "b[c]", "c[.//rare]")]
    ends = ["", "/@k", "//@k", "/rare/@k", "/*", "/descendant-or-self::rare", "/text()"]
    paths = [
        f"//{anchor}[@k = '{value}']{''.join(random.choices(steps, k=random.randint(1, 4)))}{random.choice(ends)}"
        for anchor in names
        for value in "12"
        for _ in range(60)
    ]
    programs = [compiled(path) for path in paths]
    found = 0
    for _ in range(12):
        document = _nested(random, names, depth=7).encode()
        whole = run_whole(programs, document)
        assert run_indexed(programs, document) == whole
        found += sum(bool(one) for one in whole)
    assert found > len(programs)


def test_names_that_are_found_but_not_where_they_are_asked_for() -> None:
    """Who needs a name below another is dismissed where that is not found at the levels that lie between."""
    between = ["/", "//", *(f"/{'/'.join('*' * levels)}/" for levels in (1, 2, 3, 4)), "//*/", "/*//"]
    ways = [f"{first}{way}{last}" for way in between for first, last in (("a", "b"), ("a", "c"), ("*", "b"))]
    twigs = [
        query
        for way in ways
        for query in (
            f"//r[k = '1'][{way}]/e",
            f"//r[.//{way} or zz]/k[. = '1']",
            f"/d/r[k = '1']/{way}",
            f"/d/r[not({way})][{way.replace('b', 'c')}]/k[. = '1']",
            f"//*[{way}]/k[. = '1']/../e",
        )
    ]
    programs = [compiled(twig) for twig in twigs]
    found = set()
    # So many more elements that what is below each is found out in one way, in another, and that names do not dismiss.
    for levels, more in itertools.chain(((levels, 0) for levels in (*range(6), 40)), ((2, 1_000), (2, 3_000))):
        below = f"{'<x>' * levels}<b/>{'</x>' * levels}"
        for inside in (f"<a>{below}</a>", f"<a/>{below}", f"<x><a>{below}<c/></a></x>", f"<a xmlns='u'>{below}</a>"):
            document = f"<d><r><k>1</k>{inside}<e/></r><b/><a/><c/>{'<x/>' * more}</d>".encode()
            whole = run_whole(programs, document)
            assert run_indexed(programs, document) == whole
            found |= {twig for twig, one in zip(twigs, whole, strict=True) if one}
    assert len(found) > len(twigs) // 2


def _nested(random: Random, names: tuple[str, ...], depth: int) -> str:
    name = random.choices(names, weights=(4, 4, 4, 4, 1))[0]
    children = [_nested(random, names, depth - 1) for _ in range(random.choice((1, 2, 3)))] if depth else ["t"]
    key = random.choice(("", " k='1'", " k='2'"))
    return f"<{name}{key}>{''.join(children)}</{name}>"
