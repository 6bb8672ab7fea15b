"""What the campaigns found, each kept small and by name."""

from __future__ import annotations

import pytest

from support.ways import compiled, in_document_order, run_chunked, run_whole, running

# Found through nested anchors: what it delivered is remembered while the query under test is evaluated.
COMPANION = "//a//b[last() - 1]"

FOUND = {
    "a path that goes on from an attribute and turns back": (
        "//@x/child::b/parent::a",
        "<a x='1'><b/></a>",
        [],
    ),
    "a path from the root that turns back at once": ("/self::a/ancestor-or-self::a", "<a/>", []),
    "the root is no descendant of itself": (
        "/descendant::node()/child::b/preceding-sibling::comment()",
        "<!--c--><b/>",
        [],
    ),
    "the root is no child of itself": ("/node()/child::b/preceding-sibling::comment()", "<!--c--><b/>", []),
    "the document and its root begin at one place": (
        "/* | /descendant-or-self::node()[not(..)]",
        "<a><a><b/><b/></a></a>",
        ["<a><a><b/><b/></a></a>"] * 2,
    ),
    "the document among ancestors": (
        "/*/ancestor-or-self::node()",
        "<a><a><b/><b/></a></a>",
        ["<a><a><b/><b/></a></a>"] * 2,
    ),
    "several namespaces of one element": ("count(//a/namespace::*)", "<a xmlns:p='urn:p'><a/></a>", ["4"]),
    "several namespaces delivered": (
        "//a[last()]/namespace::*",
        "<a xmlns:p='urn:p'><b/><a/></a>",
        ["http://www.w3.org/XML/1998/namespace", "urn:p"] * 2,
    ),
    "text is not its own sibling": ("//following-sibling::text()", "<a>t</a>", []),
    "text does not follow itself": ("//following::node()", "<a>t<b/></a>", ["<b/>"]),
    "a condition on the document as parent": ("//*[../descendant::b]", "<a><b/></a>", ["<a><b/></a>", "<b/>"]),
    "a condition on the document as self": ("//self::node()[.//b]//node()", "<!--c--><b/>", ["<!--c-->", "<b/>"]),
    "the document reaches itself twice": (
        "/descendant-or-self::node()[b]/descendant-or-self::node()[b]/comment()",
        "<!--c--><b/>",
        ["<!--c-->"],
    ),
    "the document has no parent": ("//a[../ancestor-or-self::node()[not(parent::node())]]", "<a/>", ["<a/>"]),
    "every ancestor with a parent": ("//b[ancestor-or-self::node()[not(..)]/a]", "<a><b/></a>", ["<b/>"]),
    "siblings that share a parent": ("//b/../@x", "<a x='1'><b/><b/></a>", ["1"]),
    "from a leaf to itself": ("//text()/descendant-or-self::text()", "<a>t</a>", ["t"]),
    "from a leaf to what comes after": (
        "//processing-instruction()//following-sibling::b",
        "<a><?t x?><b/></a>",
        ["<b/>"],
    ),
    "following a leaf": ("count(//text()//following::node())", "<a>t<b/><c/></a>", ["2"]),
    "fractions are added in the document's order": (
        "sum(//a[b]/@x)",
        "<a x='0.1'><a x='0.2'><b/></a><a x='0.3'><b/></a><b/></a>",
        ["0.6000000000000001"],
    ),
    "nothing precedes the root": ("//a[/preceding::b]", "<c><b/><a/></c>", []),
    "the root has no preceding siblings": ("//a[/preceding-sibling::text()]", "<c>t<a/></c>", []),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    query, text, expected = FOUND[name]
    document = text.encode()
    program, evaluator = compiled(query), compiled(query, machine=False)
    (delivered,) = run_whole([evaluator], document)
    assert [text for _, text, _ in delivered] == expected
    assert run_whole([program], document) == [delivered]
    assert run_whole([compiled(COMPANION), program], document)[1] == delivered
    for size in (1, 3):
        assert run_chunked([program], document, size) == [delivered]
        (unordered,) = run_chunked([program], document, size, ordered=False)
        assert in_document_order(unordered) == delivered


def test_a_running_value_that_stays_no_number_is_not_new() -> None:
    (values,) = run_whole([running("sum(//a)")], b"<b><a>1</a><a>x</a><a>y</a></b>")
    assert [text for _, text, _ in values] == ["1", "NaN"]


def test_what_is_decided_together_comes_in_document_order() -> None:
    document = b"<r><a><b>1</b><b>2</b><b>3</b><c/></a></r>"
    (unordered,) = run_chunked([compiled("//a[c]/b")], document, 1, ordered=False)
    assert [text for _, text, _ in unordered] == ["<b>1</b>", "<b>2</b>", "<b>3</b>"]


@pytest.mark.parametrize("query", ["sum(//a[b]/@x)", "avg(//a[b]/@x)", "sum(//a)", "sum(//a[last()]/@x)"])
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
def test_sums_do_not_depend_on_when_their_parts_are_certain(query: str, is_open: bool) -> None:
    """With and without an element around all that is undecided until the end."""
    pairs = "".join(f"<a x='{n / 10}'><a x='{n / 7:.4f}'>.{n}<b/></a><b/></a>" for n in range(300))
    document = (f"<a x='0.3'>{pairs}<b/></a>" if is_open else f"<r>{pairs}</r>").encode()
    program, expected = compiled(query), run_whole([compiled(query, machine=False)], document)
    assert run_whole([program], document) == expected
    assert run_chunked([program], document, 1_000) == expected
