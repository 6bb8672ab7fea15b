"""A snapshot is what replaying the log gives, and what a dict would hold."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.store import Change, LogEntry, Store, SubscriptionRow, subscribing, unsubscribing

State: TypeAlias = dict[str, SubscriptionRow]

IDS = st.sampled_from(["a", "b", "c", "d", "é"])
ROWS = st.builds(
    SubscriptionRow,
    IDS,
    st.sampled_from(["//a", "//b[1]", "count(//c)"]),
    stream=st.none() | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=3),
    namespaces=st.dictionaries(st.sampled_from(["", "p"]), st.sampled_from(["urn:1", "urn:2"])),
    running=st.booleans(),
    language=st.none(),
    window=st.none(),
    publish=st.none(),
    subscriber=st.none() | st.just("ann"),
    deliver=st.sampled_from(["item", "document"]),
    deliver_empty=st.booleans(),
)
CHANGES = st.builds(subscribing, ROWS, replace=st.booleans()) | st.builds(unsubscribing, IDS)
BATCHES = st.lists(st.lists(CHANGES, min_size=1, max_size=6), max_size=6)


def wish(state: State, change: Change) -> bool:
    """What a change does to a dict; False if it is not possible."""
    if change.row is None:
        return state.pop(change.id, None) is not None
    if change.id in state and not change.replace:
        return False
    state.pop(change.id, None)
    state[change.id] = change.row
    return True


def replay(state: State, entry: LogEntry) -> None:
    state.pop(entry.id, None)
    if entry.row is not None:
        state[entry.id] = entry.row


@given(batches=BATCHES)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_snapshots_are_the_replayed_log(store: Store, batches: list[list[Change]]) -> None:
    first = store.version()
    expected: State = {row.id: row for row in store.snapshot()}
    history = {first: list(expected.values())}
    for batch in batches:
        refused = [place for place, change in enumerate(batch) if not wish(expected, change)]
        version, told = store.apply_possible(batch)
        assert list(told) == refused
        history[version] = list(expected.values())
    assert max(history) == store.version()
    replayed: State = {row.id: row for row in history[first]}
    last = first
    for version, rows in sorted(history.items()):
        for entry in store.changes(last, version):
            replay(replayed, entry)
        assert list(replayed.values()) == rows
        assert list(store.snapshot(version)) == rows
        last = version
    store.compact()
    assert list(store.snapshot()) == history[last]
