"""The class of deliveries, which is made by hand: it behaves like any other."""

from __future__ import annotations

import gc
import inspect
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from penstock import Broker, Delivery

TIME = datetime(2026, 1, 1, tzinfo=UTC)
FIELDS: dict[str, Any] = {
    "subscription": "names",
    "subscriber": "me",
    "kind": "element",
    "fragment": "<name>pen</name>",
    "documents": ("one",),
    "stream": "default",
    "time": TIME,
    "sequence": 6,
}


@pytest.fixture
def published() -> Delivery:
    broker = Broker()
    broker.subscribe("names", "//name", subscriber="me")
    return broker.publish("<list><name>pen</name></list>", id="one", time=TIME)[0]


def test_every_field_makes_a_difference(published: Delivery) -> None:
    other = {"documents": ("two",), "time": datetime.now(UTC), "sequence": 7}
    for name in FIELDS:
        assert Delivery(**{**FIELDS, name: other.get(name, "other")}) != published
    assert published != "names"


def test_deliveries_have_no_order(published: Delivery) -> None:
    with pytest.raises(TypeError, match="'<' not supported"):
        _ = published < published  # type: ignore[operator]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="'subscription'"):
        Delivery()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="sequence"):
        Delivery(**{**FIELDS, "sequence": "six"})
    assert list(inspect.signature(Delivery).parameters) == list(FIELDS) == list(Delivery.__match_args__)


def test_nothing_is_left_of_them() -> None:
    broker = Broker()
    broker.subscribe("all", "//a")
    document = "<r>" + "<a>x</a>" * 1_000 + "</r>"
    before = sys.getrefcount(Delivery)
    kept = broker.publish(document)
    assert sys.getrefcount(Delivery) == before + 1_000
    assert not gc.is_tracked(kept[0])
    del kept
    assert sys.getrefcount(Delivery) == before
