"""Rows of a store in a registry: exactly those of a version, whatever the registry held before."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest

from penstock import Broker
from penstock.broker.prepare import stored_row
from penstock.broker.registry import Registry
from penstock.broker.synchronise import Synchronised
from penstock.store import Change, Store, StoreError, SubscriptionRow, open_store, subscribing, unsubscribing

NEVER = timedelta.max
SHAPES = (
    "//item[price > {}]/name",
    "//item[@kind = 'k{}']",
    "/list/p:item[contains(name, '{}')]",
    "count(//item[price = {}])",
    "//item[{}]",
)
SPACES: tuple[dict[str, str], ...] = ({"p": "urn:p"}, {"p": ""}, {"": "urn:d", "p": "urn:p"})
ITEMS = "".join(f"<item kind='k{n}'><name>n{n}</name><price>{n}</price></item>" for n in range(30))
DOCUMENT = f"<list>{ITEMS}</list>"


def some_row(rng: random.Random, number: int) -> SubscriptionRow:
    """Nearly always one that can be run, of a known shape, with options that many others have."""
    query = rng.choice(SHAPES).format(rng.randrange(1, 30))
    return SubscriptionRow(
        f"s{number}",
        rng.choice(["//[", "//q:none"]) if rng.random() < 0.03 else query,
        rng.choice(["xpath", "xpath", "xpath", None]) if rng.random() < 0.97 else "newer",
        stream=rng.choice([None, "default", "other"]),
        window="1 hour" if rng.random() < 0.02 else None,
        namespaces=rng.choice(SPACES),
        subscriber=rng.choice([None, "ann", "bob"]),
        running=query.startswith("count") and rng.random() < 0.5,
        deliver=rng.choice(["item", "document"]),
        deliver_empty=rng.random() < 0.2,
    )


def normal(row: SubscriptionRow) -> SubscriptionRow:
    """Without a language, it is found out."""
    return row._replace(language=row.language or "xpath")


def rows_in(registry: Registry) -> dict[str, SubscriptionRow]:
    return {one.id: stored_row(one) for one in registry.all()}


def expected(store: Store, version: int) -> tuple[dict[str, SubscriptionRow], set[str]]:
    """What can be run of a version, and what cannot: each row subscribed by itself."""
    rows = {row.id: normal(row) for row in store.snapshot(version)}
    broken = set()
    for row in rows.values():
        if Broker().subscribe_many([row._asdict()]).rejected:
            broken.add(row.id)
    return {id: row for id, row in rows.items() if id not in broken}, broken


def test_loaded_rows_are_what_subscribing_each_gives(tmp_path: Path) -> None:
    rng = random.Random(1)
    with open_store(f"sqlite:///{tmp_path / 'subs.db'}") as store:
        rows = [some_row(rng, number) for number in range(1500)]
        store.apply(list(map(subscribing, rows)))
        loaded = Broker(store=store)
        single = Broker()
        refused = set()
        for row in rows:
            outcome = single.subscribe_many([row._asdict()])
            refused |= {one.id for one in outcome.rejected}
    assert loaded.subscriptions() == single.subscriptions()
    assert {one.id for one in loaded.rejected} == refused
    assert len(refused) > 50
    for stream in ("default", "other"):
        found = [broker.publish(DOCUMENT, stream=stream, id="d", time=0) for broker in (loaded, single)]
        assert sorted(one.match_id for one in found[0]) == sorted(one.match_id for one in found[1])
        assert len(found[0]) > 1000


def changed(rng: random.Random, live: set[str], count: int) -> list[Change]:
    changes: list[Change] = []
    for _ in range(count):
        number = rng.randrange(80)
        id = f"s{number}"
        if id in live and rng.random() < 0.5:
            live.remove(id)
            changes.append(unsubscribing(id))
        else:
            live.add(id)
            changes.append(subscribing(some_row(rng, number), replace=True))
    return changes


@pytest.mark.parametrize("seed", range(4))
def test_from_any_file_to_any_version_and_back(url: str, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    live: set[str] = set()
    files = {}
    with open_store(url) as store:
        for _ in range(12):
            version = store.apply(changed(rng, live, rng.choice([1, 5, 60])))
            files[version] = tmp_path / str(version)
            assert Broker(store=store).save(files[version]) == version
        wanted = {version: expected(store, version) for version in files}
        for held, file in files.items():
            registry = Registry.load(file)
            following = Synchronised(store, registry, NEVER, holds=held)
            told = wanted[held][1]
            for version in rng.choices(list(files), k=4):
                following.move(version)
                rows, broken = wanted[version]
                assert rows_in(registry) == rows
                # Those of the file were told by who made it.
                assert broken - told <= {one.id for one in following.rejected} <= broken


def test_a_file_that_is_older_than_the_log(url: str, tmp_path: Path) -> None:
    rng = random.Random(7)
    live: set[str] = set()
    with open_store(url) as store:
        store.apply(changed(rng, live, 60))
        Broker(store=store).save(tmp_path / "file")
        store.apply(changed(rng, live, 30))
        newest = store.apply(changed(rng, live, 30))
        store.compact()
        registry = Registry.load(tmp_path / "file")
        following = Synchronised(store, registry, NEVER, holds=1)
        following.move(newest)
        rows, broken = expected(store, newest)
        assert rows_in(registry) == rows
        assert {one.id for one in following.rejected} == broken
        with pytest.raises(StoreError, match="compacted"):
            following.move(1)
        assert rows_in(registry) == rows
