"""Statistics and explanations."""

from __future__ import annotations

import json

import pytest

from penstock import Broker


def test_stats_count() -> None:
    broker = Broker()
    broker.subscribe("a", "//a")
    broker.subscribe("b", "//a/@k")
    broker.publish("<r><a k='1'/><a/></r>")
    broker.publish("<r>")
    with broker.open() as feed:
        feed.write(b"<a/>")
    stats = broker.stats()
    assert (stats["subscriptions"], stats["deliveries"], stats["errors"], stats["dead_letters"]) == (2, 4, 1, 1)
    assert stats["documents"] == 3
    assert stats["automaton_states"] > 0
    assert all(isinstance(value, int) for value in stats.values())


@pytest.mark.parametrize("id", [None, "a"])
def test_explain_text(id: str | None) -> None:
    broker = Broker()
    broker.subscribe("a", "//item[price > 10]/name")
    text = broker.explain(id)
    assert "//item[price > 10]/name" in text


def test_explain_json_and_svg() -> None:
    broker = Broker()
    broker.subscribe("a", "//item[not(price)]/name")
    broker.subscribe("b", "count(//item)")
    data = json.loads(broker.explain(format="json"))
    assert "//item[not(price)]/name" in json.dumps(data)
    assert broker.explain("b", format="svg").lstrip().startswith("<svg")
