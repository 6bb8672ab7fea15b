from __future__ import annotations

import pytest

from penstock.plan.explain.moments import DOCUMENT_END, START, Wait, later, sooner


def test_later_and_sooner_follow_the_order_of_events() -> None:
    waits = [Wait("parent", "a"), START, DOCUMENT_END, Wait("end", "b"), Wait("ancestor")]
    assert later(*waits) == DOCUMENT_END
    assert sooner(*waits) == START
    assert later(Wait("end", "b"), Wait("parent", "a"), Wait("ancestor")) == Wait("ancestor")


@pytest.mark.parametrize(
    ("wait", "phrase"),
    [
        (START, "at the start tag"),
        (Wait("end", "a"), "at the end of a"),
        (Wait("end"), "at the end of the element"),
        (Wait("parent", "a"), "at the end of its parent a"),
        (Wait("parent"), "at its parent's end"),
        (Wait("ancestor", "a"), "at the end of the enclosing a"),
        (Wait("ancestor"), "at the end of an enclosing element"),
        (DOCUMENT_END, "at the document's end"),
    ],
)
def test_phrases(wait: Wait, phrase: str) -> None:
    assert wait.phrase() == phrase


def test_the_end_of_the_document_element_is_far() -> None:
    assert Wait("parent", "feed", whole=True).is_far
    assert DOCUMENT_END.is_far
    assert not Wait("ancestor", "a").is_far
