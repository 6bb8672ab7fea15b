"""A broker that is given a store later on."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock import Broker, StoreError


def test_subscriptions_move_to_the_store_and_changes_follow(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'subs.db'}"
    broker = Broker(namespaces={"p": "urn:p"})
    calls: list[str] = []
    broker.subscribe("a", "//p:a", callback=lambda delivery: calls.append(delivery.fragment))
    broker.attach(url)
    broker.subscribe("b", "//b")
    other = Broker(store=url)
    assert [one.id for one in other.subscriptions()] == ["a", "b"]
    other.unsubscribe("b")
    broker.refresh()
    assert [one.subscription for one in broker.publish('<a xmlns="urn:p"/>')] == ["a"]
    assert len(calls) == 1
    broker.close()


def test_only_an_empty_store_and_only_once(tmp_path: Path) -> None:
    full = f"sqlite:///{tmp_path / 'full.db'}"
    Broker(store=full).subscribe("a", "//a")
    broker = Broker()
    with pytest.raises(StoreError, match="empty"):
        broker.attach(full)
    broker.subscribe("b", "//b")
    broker.attach(f"sqlite:///{tmp_path / 'new.db'}")
    with pytest.raises(StoreError, match="already"):
        broker.attach(f"sqlite:///{tmp_path / 'another.db'}")
    assert [one.id for one in broker.subscriptions()] == ["b"]
