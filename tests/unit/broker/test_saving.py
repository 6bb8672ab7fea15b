"""Compiled subscriptions in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock import Broker
from penstock.errors import StoreError

DOCUMENT = "<l><item kind='k1'><price>100</price><name>pen</name></item><n1/></l>"


def many() -> Broker:
    broker = Broker(namespaces={"p": "urn:p"})
    broker.subscribe_many((f"i{n}", f"//item[price > {n}][@kind = 'k{n % 3}']/name") for n in range(200))
    broker.subscribe("count", "count(//item)", stream="other", subscriber="ann")
    broker.subscribe("part", "//p:x[contains(., 'y')] | //name", deliver="document")
    broker.unsubscribe("i4")
    return broker


def fragments(broker: Broker, stream: str = "default") -> list[tuple[str, str | None, str, str]]:
    found = broker.publish(DOCUMENT, stream=stream, id="d")
    return [(one.subscription, one.subscriber, one.fragment, one.match_id) for one in found]


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "set"
    broker = many()
    broker.save(file)
    again = Broker.load(file)
    assert again.subscriptions() == broker.subscriptions()
    for stream in ("default", "other"):
        assert fragments(again, stream) == fragments(broker, stream)
    assert [one.name for one in tmp_path.iterdir()] == ["set"]


def test_a_loaded_broker_changes_like_any_other(tmp_path: Path) -> None:
    file = tmp_path / "set"
    many().save(file)
    broker = Broker.load(file, namespaces={"p": "urn:p"})
    broker.unsubscribe("i7")
    broker.subscribe_many([("i4", "//item[price > 4][@kind = 'k1']/name"), ("new", "//n1")])
    other = many()
    other.unsubscribe("i7")
    other.subscribe_many([("i4", "//item[price > 4][@kind = 'k1']/name"), ("new", "//n1")])
    assert fragments(broker) == fragments(other)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file[:-1], "bytes where"),
        (lambda file: file[:20], "too short"),
        (lambda _: b"<xml/>" * 10, "begins with something else"),
        (lambda file: file[:100] + bytes([file[100] ^ 1]) + file[101:], "checksum"),
        (lambda file: file[:8] + b"\x63" + file[9:], "version 99"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, damage, message: str) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "set"
    many().save(file)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(StoreError, match=message):
        Broker.load(file)


def test_a_file_or_a_store(tmp_path: Path) -> None:
    many().save(tmp_path / "set")
    with pytest.raises(StoreError, match="not from both"):
        Broker.load(tmp_path / "set", store=f"sqlite:///{tmp_path}/store.db")
