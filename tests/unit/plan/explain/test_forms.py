"""Text, JSON and SVG: the shape of what is written."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from penstock.plan import machine
from penstock.plan.build import build
from penstock.plan.explain import explain
from penstock.plan.lower import lower
from penstock.syntax.xpath import parse

SVG = "{http://www.w3.org/2000/svg}"


def planned(*queries: str) -> list[tuple[str, str, machine.Program]]:
    return [(f"q{number}", query, lower(build(parse(query), {}, query))) for number, query in enumerate(queries, 1)]


def test_several_queries_are_summed_up() -> None:
    text = explain(planned("//a", "//b", "//a[b]/c", "string(//a)"))
    expected = "4 queries: 2 stream, 1 waits for an element's end, 1 waits for the document's end"
    assert text.splitlines()[0] == expected
    assert [line for line in text.splitlines() if line.startswith("q")] == [
        "q1: //a",
        "q2: //b",
        "q3: //a[b]/c",
        "q4: string(//a)",
    ]


def test_no_queries() -> None:
    assert explain([]).startswith("0 queries")
    assert json.loads(explain([], "json"))["queries"] == []
    ElementTree.fromstring(explain([], "svg"))


def test_one_query_needs_no_summary() -> None:
    assert explain(planned("//a")).startswith("q1: //a\n")


def test_a_query_of_several_lines_stays_in_its_place() -> None:
    assert explain(planned("//a\n  [b]")).splitlines()[0] == "q1: //a [b]"


def test_json_has_the_documented_keys() -> None:
    document = json.loads(explain(planned("//a[b = 1]/c[last() - 1]"), "json"))
    assert document["version"] == 1
    assert document["summary"] == {"queries": 1, "streams": 0, "element": 1, "document": 0}
    (query,) = document["queries"]
    keys = "id query verdict because result gives delivered holds among_many paths"
    assert list(query) == keys.split()
    (path,) = query["paths"]
    assert [step["edge"] + step["test"] for step in path["steps"]] == ["document", "//a"]
    assert path["steps"][1]["keeps"] == "its nodes and its source"
    (condition,) = path["steps"][1]["conditions"]
    assert condition == {
        "text": "b = 1",
        "by": "machine",
        "decided": "as soon as a matching b ends, else at the end of a",
        "latest": "end",
        "reason": None,
        "parts": [],
    }
    assert path["rest"] == {
        "text": "c[last() - 1]",
        "decided": "at the end of a",
        "latest": "end",
        "reason": "a position that depends on what comes later",
    }


def test_picture_is_well_formed_whatever_the_query_says() -> None:
    query = "//a[b = '<&>\"' or contains(c, \"']]>\")]"
    root = ElementTree.fromstring(explain([("<id & \x00>", query, planned(query)[0][2])], "svg"))
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert "<id & \ufffd>" in texts
    assert "b = '<&>\"'" in texts


def test_picture_shows_each_step_with_its_edge() -> None:
    root = ElementTree.fromstring(explain(planned("/feed//entry[@id]/title"), "svg"))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    for label in ("document", "feed", "entry", "title", "/", "//", "@id"):
        assert label in texts


def test_picture_has_room_for_all_it_shows() -> None:
    long = "//" + "/".join(f"a-name-of-some-length-{number}[child-{number} = 'value']" for number in range(8))
    root = ElementTree.fromstring(explain(planned(long, "//a"), "svg"))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])

    def check(element: ElementTree.Element, x: float, y: float) -> None:
        if element.tag == f"{SVG}g":
            dx, dy = element.attrib["transform"].removeprefix("translate(").removesuffix(")").split()
            x, y = x + float(dx), y + float(dy)
        elif element.tag in (f"{SVG}rect", f"{SVG}text"):
            left, top = float(element.get("x", 0)), float(element.get("y", 0))
            assert 0 <= x + left + float(element.get("width", 0)) <= width
            assert 0 <= y + top + float(element.get("height", 0)) <= height
        for inner in element:
            if not element.tag.endswith(("defs", "text")):
                check(inner, x, y)

    check(root, 0, 0)


def test_a_text_that_is_clipped_can_be_read_whole() -> None:
    name = "x" * 100
    root = ElementTree.fromstring(explain(planned(f"//{name}"), "svg"))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert name in titles
