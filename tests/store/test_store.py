"""The store, in every database: changes, versions, snapshots, the log, claims, compaction."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta

import pytest

from penstock.errors import PenstockError, StoreError
from penstock.store import (
    Change,
    CompactedError,
    ConflictError,
    Store,
    SubscriptionRow,
    open_store,
    subscribing,
    unsubscribing,
)
from support.store_workers import row

FULL = SubscriptionRow(
    "é 1",
    "count(//p:a[. = '\n\t\"'])",
    language="xpath",
    stream="news",
    window="20 minutes",
    namespaces={"p": "urn:p", "": "urn:ü"},
    publish="out",
    subscriber="ann",
    running=True,
    deliver="document",
    deliver_empty=True,
)


def ids(store: Store, version: int | None = None) -> list[str]:
    return [one.id for one in store.snapshot(version)]


class TestChanges:
    def test_a_new_store_is_empty(self, store: Store) -> None:
        assert store.version() == 0
        assert list(store.snapshot()) == []
        assert list(store.changes(0)) == []

    def test_a_row_comes_back_as_it_went_in(self, store: Store) -> None:
        store.apply([subscribing(FULL), subscribing(SubscriptionRow("plain", "//a"))])
        assert list(store.snapshot()) == [FULL, SubscriptionRow("plain", "//a")]
        first = next(iter(store.snapshot()))
        assert (type(first.running), type(first.deliver_empty), type(first.namespaces)) == (bool, bool, dict)

    def test_many_changes_are_one_version(self, store: Store) -> None:
        assert store.apply([subscribing(row(f"s{number}")) for number in range(2500)]) == 1
        assert store.apply([unsubscribing("s0"), subscribing(row("new"))]) == 2
        assert store.version() == 2
        assert ids(store) == [f"s{number}" for number in range(1, 2500)] + ["new"]

    def test_some_of_a_version(self, store: Store) -> None:
        store.apply([subscribing(row(id)) for id in "abcd"])
        store.apply([unsubscribing("a"), subscribing(row("b", "//new"), replace=True), subscribing(row("e"))])
        assert list(store.snapshot(1, ["e", "d", "b", "a"])) == [row("a"), row("b"), row("d")]
        assert list(store.snapshot(ids={"a", "b", "c"})) == [row("c"), row("b", "//new")]
        assert list(store.snapshot(ids=())) == []

    def test_no_changes_are_no_version(self, store: Store) -> None:
        store.apply([subscribing(row("a"))])
        assert store.apply([]) == 1
        assert store.apply_possible([]) == (1, ())
        assert store.version() == 1

    def test_a_second_subscription_of_an_id_changes_nothing(self, store: Store) -> None:
        store.apply([subscribing(row("a"))])
        with pytest.raises(ConflictError) as caught:
            store.apply([subscribing(row("b")), subscribing(row("a", "//b")), unsubscribing("c")])
        assert (caught.value.existing, caught.value.unknown) == (("a",), ("c",))
        assert str(caught.value) == "subscribed already: a; not subscribed: c"
        assert isinstance(caught.value, PenstockError)
        assert (store.version(), list(store.snapshot())) == (1, [row("a")])

    def test_a_replacement_takes_the_last_place(self, store: Store) -> None:
        store.apply([subscribing(row("a")), subscribing(row("b"))])
        store.apply([subscribing(row("a", "//new"), replace=True)])
        assert list(store.snapshot()) == [row("b"), row("a", "//new")]

    def test_what_is_possible_of_several_changes(self, store: Store) -> None:
        store.apply([subscribing(row("a"))])
        changes = [subscribing(row("a")), subscribing(row("b")), subscribing(row("b")), unsubscribing("x")]
        assert store.apply_possible(changes) == (2, (0, 2, 3))
        assert ids(store) == ["a", "b"]
        assert store.apply_possible([subscribing(row("a"))]) == (2, (0,))
        assert store.version() == 2

    def test_changes_of_one_id_in_one_version_follow_one_another(self, store: Store) -> None:
        store.apply([subscribing(row("a", "//1"))])
        store.apply(
            [
                subscribing(row("a", "//2"), replace=True),
                unsubscribing("a"),
                subscribing(row("a", "//3")),
                subscribing(row("b")),
                unsubscribing("b"),
            ]
        )
        assert list(store.snapshot(1)) == [row("a", "//1")]
        assert list(store.snapshot(2)) == [row("a", "//3")]
        assert [(entry.operation, entry.id) for entry in store.changes(1)] == [
            ("subscribe", "a"),
            ("unsubscribe", "a"),
            ("subscribe", "a"),
            ("subscribe", "b"),
            ("unsubscribe", "b"),
        ]

    @pytest.mark.parametrize("text", ["nul\0", "half a pair \ud800"])
    def test_texts_that_no_database_takes_are_refused_by_all(self, store: Store, text: str) -> None:
        for change in (subscribing(row(text)), subscribing(row("a", text)), unsubscribing(text)):
            with pytest.raises(StoreError, match="cannot be stored"):
                store.apply([change])
        assert store.version() == 0


class TestVersions:
    @pytest.fixture
    def history(self, store: Store) -> Store:
        store.apply([subscribing(row("a")), subscribing(row("b"))])
        store.apply([unsubscribing("a")])
        store.apply([subscribing(row("b", "//new"), replace=True), subscribing(row("c"))])
        return store

    def test_every_version_can_be_read(self, history: Store) -> None:
        assert [ids(history, version) for version in range(4)] == [[], ["a", "b"], ["b"], ["b", "c"]]
        assert next(iter(history.snapshot(2))).query == "//a"

    def test_changes_between_versions(self, history: Store) -> None:
        found = [(entry.version, entry.operation, entry.id, entry.row) for entry in history.changes(1, 3)]
        assert found == [
            (2, "unsubscribe", "a", None),
            (3, "subscribe", "b", row("b", "//new")),
            (3, "subscribe", "c", row("c")),
        ]
        assert [entry.version for entry in history.changes(0, 2)] == [1, 1, 2]
        assert list(history.changes(3)) == []

    def test_changes_know_their_time(self, history: Store) -> None:
        now = datetime.now(UTC)
        for entry in history.changes(0):
            assert timedelta(0) <= now - entry.time < timedelta(minutes=1)

    def test_a_version_of_the_future_is_an_error_at_once(self, history: Store) -> None:
        with pytest.raises(StoreError, match="no version 4 yet"):
            history.snapshot(4)
        with pytest.raises(StoreError, match="no version 9 yet"):
            history.changes(0, 9)

    def test_a_snapshot_is_not_moved_by_what_happens_while_it_is_read(self, history: Store) -> None:
        rows = history.snapshot()
        assert next(rows).id == "b"
        history.apply([unsubscribing("c")])
        history.compact()
        assert [one.id for one in rows] == ["c"]

    def test_a_snapshot_that_is_not_read_to_its_end_blocks_nothing(self, history: Store) -> None:
        for _ in range(20):
            next(history.snapshot())
        assert history.apply([unsubscribing("c")]) == 4


class TestClaims:
    def test_the_first_claim_fixes_the_version(self, store: Store) -> None:
        assert store.claim("q", 0) == 0
        store.apply([subscribing(row("a"))])
        assert store.claim("q", 0) == 0
        assert store.claim("q", 1) == 1
        assert store.claim("other", 0) == 1
        store.apply([subscribing(row("b"))])
        assert [store.claim("q", batch) for batch in (0, 1, 2)] == [0, 1, 2]

    def test_claims_survive_the_process(self, store: Store) -> None:
        store.claim("q", 7)
        store.apply([subscribing(row("a"))])
        with open_store(store.url) as again:
            assert again.claim("q", 7) == 0

    def test_claims_of_long_ago_are_forgotten(self, store: Store) -> None:
        store.claim("q", 0)
        store.claim("other", 0)
        store.apply([subscribing(row("a"))])
        assert store.claim("q", 999) == 1
        assert store.claim("q", 0) == 0
        assert store.claim("q", 1000) == 1
        assert store.claim("q", 0) == 1
        assert store.claim("other", 0) == 0

    def test_old_claims_can_be_pruned(self, store: Store) -> None:
        store.claim("q", 0)
        store.claim("r", 0)
        store.apply([subscribing(row("a"))])
        assert store.prune_claims(timedelta(hours=1)) == 0
        assert store.claim("q", 0) == 0
        assert store.prune_claims(timedelta(0)) == 2
        assert store.claim("q", 0) == 1


class TestCompaction:
    def test_it_forgets_versions_before_the_oldest_claim(self, store: Store) -> None:
        store.apply([subscribing(row("a")), subscribing(row("b"))])
        store.apply([unsubscribing("a")])
        store.claim("q", 0)
        store.apply([subscribing(row("b", "//new"), replace=True)])
        store.apply([subscribing(row("c"))])
        assert store.compact() == 2
        assert [list(store.snapshot(version)) for version in (2, 3, 4)] == [
            [row("b")],
            [row("b", "//new")],
            [row("b", "//new"), row("c")],
        ]
        assert [entry.id for entry in store.changes(2)] == ["b", "c"]
        for call in (lambda: store.snapshot(1), lambda: store.changes(1), lambda: store.changes(0, 1)):
            with pytest.raises(CompactedError, match="compacted up to version 2"):
                call()

    def test_without_claims_only_the_newest_is_left(self, store: Store) -> None:
        for number in range(10):
            store.apply([subscribing(row("a", f"//{'a' * (number + 1)}"), replace=True)])
        assert store.compact() == 10
        assert store.compact() == 10
        assert [one.query for one in store.snapshot()] == ["//aaaaaaaaaa"]
        assert store.apply([unsubscribing("a")]) == 11
        assert store.compact() == 11
        assert list(store.snapshot()) == []


class TestOpening:
    def test_what_was_written_is_there_when_it_is_opened_again(self, store: Store) -> None:
        store.apply([subscribing(FULL)])
        with open_store(store.url, create=False) as again:
            assert (again.version(), list(again.snapshot())) == (1, [FULL])

    def test_a_store_that_is_not_there_is_not_made_unless_wanted(self, url: str) -> None:
        with pytest.raises(StoreError, match="there is no"):
            open_store(url, create=False)
        open_store(url).close()
        open_store(url, create=False).close()

    def test_a_pickled_store_opens_anew(self, store: Store) -> None:
        store.apply([subscribing(row("a"))])
        with pickle.loads(pickle.dumps(store)) as again:
            assert again is not store
            assert ids(again) == ["a"]

    def test_a_closed_store_says_so(self, store: Store) -> None:
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.version()

    def test_tables_of_another_format_are_not_touched(self, store: Store) -> None:
        with store._backend.writing() as transaction:
            transaction.run("UPDATE penstock_state SET format = 99")
        with pytest.raises(StoreError, match="has format 99"):
            open_store(store.url)


def test_a_hundred_thousand_rows(store: Store) -> None:
    rows = [row(f"s{number}", f"//item[price > {number}]") for number in range(100_000)]
    assert store.apply([subscribing(one) for one in rows]) == 1
    assert store.apply([subscribing(rows[-1], replace=True), unsubscribing("s0")]) == 2
    assert sum(1 for _ in store.snapshot(1)) == 100_000
    assert [one.id for one in store.snapshot()] == [one.id for one in rows[1:]]
    assert len(list(store.changes(1))) == 2


def test_a_change_of_many_ids_is_refused_as_a_whole(store: Store) -> None:
    changes: list[Change] = [subscribing(row(f"s{number}")) for number in range(5000)]
    store.apply(changes)
    with pytest.raises(ConflictError) as caught:
        store.apply([*changes[:3000], subscribing(row("new"))])
    assert len(caught.value.existing) == 3000
    assert "new" not in ids(store)
