"""Conditions of many subscriptions in one index: what they look at, and constants above anchors."""

from __future__ import annotations

from random import Random

import pytest

from support.ways import compiled, run_indexed, run_whole

LOOKED_AT = (
    "@l = '1'",
    "@l != '1'",
    "@* = '1'",
    "@*[. = '1'][starts-with(., '1')]",
    "@l > 0",
    "not(@l)",
    "not(@l = '1') or text()",
    "@l = 'a & <b>'",
    "@l[descendant-or-self::node() = '1']",
    "@l[self::node() = '1']",
    "not(@l[descendant-or-self::l])",
    "not(@l[b])",
    "@n = 'x y'",
    ".//@l = '1'",
    "b/@l = '1'",
    "text() = '1'",
    "text() > 0",
    "not(text())",
    "text()[contains(., 'a & <b>')]",
    "text()[2]",
    "text()[2] = '1'",
    "text()[last() = 2]",
    ".//text() = '1'",
    "descendant-or-self::node()[. = '1']",
    "node() = '1'",
    "node()[1] = '1'",
    "b[text() = '1'][@l = '1']",
    "b/text()[. = '1' or . = '2']",
)
TAKEN = ((), ("//@l",), ("//b/@*",), ("//text()",), ("//a/text()[. = '1']",), ("//node()[. = '1']",), ("//comment()",))
TYPED = """<!DOCTYPE r [<!ATTLIST a n NMTOKENS #IMPLIED m CDATA '1' l CDATA '1'><!ENTITY e '1<b l="1">2</b>'>]>"""


@pytest.mark.parametrize("taken", TAKEN)
def test_attributes_and_texts_that_conditions_look_at(taken: tuple[str, ...]) -> None:
    """They are no nodes unless someone may get them: whatever is got beside it, conditions find the same."""
    random = Random(TAKEN.index(taken))
    shapes = ("//a[@k = '1'][{}]/b", "//a[{}]/b[@k = '1']", "//b[@k = '1'][.//a[{}]]", "/r//a[{}][.//*/@k = '1']/@k")
    programs = [compiled(path) for path in (*(shape.format(one) for shape in shapes for one in LOOKED_AT), *taken)]
    plain = [f"<r>{''.join(_leafy(random, 4) for _ in range(3))}</r>" for _ in range(30)]
    documents = [one.encode() for one in plain]
    documents += [f"<?xml version='1.0' encoding='UTF-16'?>{one}".encode("utf-16") for one in plain[:3]]
    documents += [f"{TYPED}{one.replace('</a>', '&e;</a>')}".encode() for one in plain[:5]]
    found = [False for _ in programs]
    for document in documents:
        whole = run_whole(programs, document)
        assert run_indexed(programs, document) == whole, document
        found = [before or bool(one) for before, one in zip(found, whole, strict=True)]
    assert all(found)


def _leafy(random: Random, depth: int, names: str = "ab") -> str:
    """An element with attributes, and text in pieces of all kinds."""
    values = ("1", "1", "2", "a &amp; &lt;b&gt;", "&#49;", " x  y ")
    keys = "".join(f" {name}='{random.choice(values)}'" for name in "kln" if random.random() < 0.6)
    pieces = [random.choice((*values, "<![CDATA[1]]>", "<!--1-->", "<?p 1?>")) for _ in range(random.choice((0, 1, 3)))]
    pieces += [_leafy(random, depth - 1, names) for _ in range(random.choice((1, 2, 3)))] if depth else []
    random.shuffle(pieces)
    name = random.choice(names)
    return f"<{name}{keys}>{''.join(pieces)}</{name}>"


def test_constants_above_anchors() -> None:
    """Who asks for a second constant above is looked up by that, wherever it is certain which node is meant."""
    ways = (
        "/r{}",
        "/r{}/a",
        "/r/a{}",
        "//a{}/b",
        "//a{}/b/c",
        "/r/a{}//c",
        "/r{}//b/c",
        "//a{}//c",
        "/*{}//c",
        "//b/a{}/*",
        "/r[@l = '1']/a{}/b",
        "/r[@l = '2']/a{}//c",
        "//a[@l = '1']/b{}/c",
    )
    conditions = ("[@l = '1']", "[@l = '2'][b]", "[b/@k = '1']", "[@l = '1'][@k = '2']", "[c = '1']", "[@l = '1' or c]")
    ends = ("[@k = '1']", "[@k = '1']/c", "[@k = '2'][@l = '1']/b", "[.//c/@k = '1']//b", "[a[@k = '1']]/@l")
    paths = [way.format(condition) + end for way in ways for condition in conditions for end in ends]
    # Those that are left with the same once the constant is there.
    paths += [f"/{root}[@l = '1']//b[@k = '1']/c" for root in ("r", "*", "r") for _ in range(2)]
    programs = [compiled(path) for path in paths]
    random = Random(5)
    found = set()
    for _ in range(150):
        inside = "".join(_leafy(random, 4, "abc") for _ in range(3))
        document = f"<r k='{random.choice('12')}' l='{random.choice('12')}'>{inside}<c>1</c></r>".encode()
        whole = run_whole(programs, document)
        assert run_indexed(programs, document) == whole, document
        found |= {path for path, one in zip(paths, whole, strict=True) if one}
    assert len(found) > len(set(paths)) * 3 // 4
