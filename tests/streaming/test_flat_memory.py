"""On endless input memory stays as it is, whatever the queries that stream."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock
from streaming.endless import MEGABYTE, RECORDS, read_endlessly

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to measure memory")

# None of them selects anything: results that a subscriber keeps are not the broker's memory.
STREAMABLE = [
    "/feed/nothing",
    "//item/@none",
    "//item[price > 10]/name",
    "//item[tags/t = 'z']",
    "//item[not(name)]",
    "//item[position() = 100000000]",
    "//item[name = 'ink' or tags[count(t) = 7]]",
    "//item[.//t = 'q']//t",
    "//item[matches(name, '^q')]",
    "//item[string-length(name) > 10]",
    "//t[ancestor::item[@id = '8']]",
    "//name[../price > 9]/text()",
    "//item[preceding-sibling::other]/name",
    "//other/following::item",
    "//other/../name",
    "//@none/..",
    "//other/ancestor::node()/name",
    "boolean(//other)",
    "count(//item)",
    "sum(//price)",
    "max(//item[price > 3]/price)",
]
A_FEW_RECORDS = 64 << 10


@pytest.mark.parametrize("ordered", [False, True])
def test_all_streamable_queries_together(ordered: bool) -> None:
    cost = read_endlessly(STREAMABLE, RECORDS, 12, ordered=ordered)
    assert cost.held < A_FEW_RECORDS
    assert cost.growth < 4 * MEGABYTE
    assert cost.deliveries == 0


@pytest.mark.parametrize("query", STREAMABLE)
def test_each_alone_holds_a_record_at_most(query: str) -> None:
    assert read_endlessly([query], RECORDS, 1).held < A_FEW_RECORDS


def test_hundreds_of_megabytes() -> None:
    cost = read_endlessly(["//item[price > 10]/name"], RECORDS, 200)
    assert cost.held < A_FEW_RECORDS
    assert cost.growth < 4 * MEGABYTE


def test_a_condition_on_the_last_sibling_holds_only_the_newest() -> None:
    assert read_endlessly(["/feed/item[last()]"], RECORDS, 1).held < A_FEW_RECORDS


def test_results_are_let_go_when_they_are_delivered() -> None:
    cost = read_endlessly(["//item/name", "//t/text()", "//item/@id"], RECORDS, 6)
    assert cost.deliveries > 200_000
    assert cost.held < A_FEW_RECORDS
    assert cost.growth < 4 * MEGABYTE


@pytest.mark.parametrize("head", [b"<feed>", b"<feed><![CDATA["], ids=["text", "cdata"])
def test_text_that_no_one_wants(head: bytes) -> None:
    cost = read_endlessly(["//item", "//feed[@k]", "count(//item)"], (head, b"x" * 65_536), 100)
    assert cost.held < A_FEW_RECORDS
    assert cost.growth < 4 * MEGABYTE


@pytest.mark.parametrize(
    "head", [b"<feed><!--", b"<feed><?p ", b'<feed k="'], ids=["comment", "instruction", "attribute"]
)
def test_other_tokens_without_end_meet_their_limit(head: bytes) -> None:
    with pytest.raises(penstock.DocumentError, match="too long") as caught:
        read_endlessly(["//item"], (head, b"x" * 65_536), 8, limits={"attribute_bytes": 4 * MEGABYTE})
    assert caught.value.error_class == "limit"


@pytest.mark.parametrize(
    "query", ["//item[/feed/z]", "/feed[not(z)]/item", "string(/)", "//item[. = //z]", "/feed", "//name | /feed[z]"]
)
def test_what_must_be_held_meets_its_limit(query: str) -> None:
    with pytest.raises(penstock.DocumentError, match="buffered_bytes") as caught:
        read_endlessly([query], RECORDS, 8, limits={"buffered_bytes": MEGABYTE})
    assert caught.value.error_class == "limit"


def test_text_that_is_wanted_meets_the_limit_too() -> None:
    with pytest.raises(penstock.DocumentError, match="buffered_bytes"):
        read_endlessly(["//feed/text()"], (b"<feed>", b"x" * 65_536), 8, limits={"buffered_bytes": MEGABYTE})


def test_a_broker_goes_on_after_the_limit() -> None:
    broker = penstock.Broker(limits={"buffered_bytes": MEGABYTE})
    broker.subscribe("held", "/feed[z]/item/name")
    feed = broker.open(id="long")
    head, chunk = RECORDS
    feed.write(head)
    while not feed.closed:
        assert feed.write(chunk) == []
    assert [(letter.document, letter.error_class) for letter in broker.dead_letters] == [("long", "limit")]
    found = broker.publish("<feed><item><name>ink</name></item><z/></feed>")
    assert [delivery.fragment for delivery in found] == ["<name>ink</name>"]


@pytest.mark.soak
@pytest.mark.parametrize("ordered", [False, True])
def test_gigabytes(ordered: bool) -> None:
    cost = read_endlessly(STREAMABLE, RECORDS, 2_000, ordered=ordered)
    assert cost.held < A_FEW_RECORDS
    assert cost.growth < 8 * MEGABYTE
