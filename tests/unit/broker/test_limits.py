"""Every limit on documents: just within it they pass, just over it they are refused with its name or nature."""

from __future__ import annotations

import pytest

import penstock
from penstock import Broker, DocumentError, Limits


def nested(depth: int) -> str:
    return "<a>" * depth + "</a>" * depth


def attributes(number: int) -> str:
    return "<a " + " ".join(f"k{n}=''" for n in range(number)) + "/>"


def names(number: int) -> str:
    return "<r>" + "".join(f"<n{n}/>" for n in range(number - 1)) + "</r>"


def entities(depth: int) -> str:
    declared = "".join(f"<!ENTITY e{n} '&e{n - 1};'>" for n in range(2, depth + 1))
    return f"<!DOCTYPE a [<!ENTITY e1 'x'>{declared}]><a>&e{depth};</a>"


def expanded(size: int) -> str:
    return f"<!DOCTYPE a [<!ENTITY e '{'x' * size}'>]><a>&e;</a>"


CASES = [
    ("depth", 10, nested(10), nested(11)),
    ("document_bytes", 40, "<a>" + "x" * 33 + "</a>", "<a>" + "x" * 34 + "</a>"),
    ("attributes", 5, attributes(5), attributes(6)),
    ("attribute_bytes", 1000, f"<a k='{'x' * 900}'/>", f"<a k='{'x' * 1100}'/>"),
    ("name_bytes", 20, f"<{'n' * 20}/>", f"<{'n' * 21}/>"),
    ("distinct_names", 30, names(20), names(60)),
    ("entity_bytes", 100, expanded(90), expanded(110)),
    ("entity_depth", 5, entities(5), entities(7)),
    ("deliveries", 4, "<a><a/><a/><a/></a>", "<a><a/><a/><a/><a/></a>"),
]


@pytest.mark.parametrize(("limit", "value", "within", "over"), CASES, ids=[case[0] for case in CASES])
def test_within_and_over(limit: str, value: int, within: str, over: str) -> None:
    broker = Broker(mode="FAILFAST", limits={limit: value})
    broker.subscribe("all", "//*")
    assert broker.publish(within)
    with pytest.raises(DocumentError) as caught:
        broker.publish(over)
    assert caught.value.error_class == "limit"
    assert broker.publish(within)


@pytest.mark.parametrize(("limit", "value", "within", "over"), CASES, ids=[case[0] for case in CASES])
def test_the_same_in_chunks(limit: str, value: int, within: str, over: str) -> None:
    broker = Broker(limits={limit: value})
    broker.subscribe("all", "//*")
    for document, letters in ((within, 0), (over, 1)):
        feed = broker.open()
        for byte in document.encode():
            feed.write(bytes([byte]))
            if feed.closed:
                break
        feed.close()
        assert broker.dead_letters.count == letters
    assert broker.dead_letters[0].error_class == "limit"


def test_buffered_bytes() -> None:
    broker = Broker(mode="FAILFAST", limits={"buffered_bytes": 50_000})
    broker.subscribe("held", "/a[z]/b")
    broker.publish("<a>" + "<b>text</b>" * 100 + "</a>")
    with pytest.raises(DocumentError, match="buffered_bytes") as caught:
        broker.publish("<a>" + "<b>text</b>" * 50_000 + "</a>")
    assert caught.value.error_class == "limit"


def test_evaluation_steps() -> None:
    broker = Broker(mode="FAILFAST", limits={"evaluation_steps": 100_000})
    broker.subscribe("dear", "//b[count(preceding::b[count(preceding::b) mod 2 = 1]) mod 2 = 1]")
    assert len(broker.publish("<a>" + "<b/>" * 10 + "</a>")) > 0
    with pytest.raises(DocumentError, match="steps") as caught:
        broker.publish("<a>" + "<b/>" * 500 + "</a>")
    assert caught.value.error_class == "limit"
    assert len(broker.publish("<a>" + "<b/>" * 10 + "</a>")) > 0


@pytest.mark.parametrize(
    "bomb",
    [
        "<!DOCTYPE a [<!ENTITY a0 'ha'>"
        + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
        + "]><a>&a11;</a>",
        f"<!DOCTYPE a [<!ENTITY big '{'x' * 100_000}'>]><a>{'&big;' * 10_000}</a>",
        "<!DOCTYPE a [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><a>&a;</a>",
    ],
    ids=["billion laughs", "quadratic blow-up", "recursion"],
)
def test_entity_bombs_meet_the_default_limits(bomb: str) -> None:
    with pytest.raises(DocumentError) as caught:
        penstock.evaluate("count(//a)", bomb)
    assert caught.value.error_class in ("limit", "not-well-formed")


def test_limits_can_be_given_as_an_object() -> None:
    broker = Broker(mode="FAILFAST", limits=Limits(depth=2))
    with pytest.raises(DocumentError, match="more than 2 open elements"):
        broker.publish(nested(3))


def test_depth_of_hundreds_is_fine_by_default() -> None:
    assert penstock.evaluate("count(//a)", nested(1500)) == ["1500"]
    assert len(penstock.evaluate("//a[not(a)]", nested(1500))) == 1
