"""What changes do to the log, before any database is asked."""

from __future__ import annotations

from datetime import UTC, datetime

from penstock.store import Change, SubscriptionRow, subscribing, unsubscribing
from penstock.store.planning import LINE_COLUMNS, Plan, plan_changes

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def plan(changes: list[Change], live: set[str]) -> Plan:
    return plan_changes(changes, live, 7, NOW)


def row(id: str) -> SubscriptionRow:
    return SubscriptionRow(id, "//a", namespaces={"q": "2", "p": "1"})


def test_lines_have_the_columns_of_the_log() -> None:
    (line,) = plan([subscribing(row("a"))], set()).lines
    values = dict(zip(LINE_COLUMNS, line, strict=True))
    assert (values["version"], values["place"], values["ended"], values["operation"]) == (7, 0, None, "subscribe")
    assert (values["id"], values["query"], values["time"]) == ("a", "//a", NOW)
    assert values["namespaces"] == '{"p": "1", "q": "2"}'


def test_a_removal_has_an_id_and_is_over_at_once() -> None:
    made = plan([unsubscribing("a")], {"a"})
    values = dict(zip(LINE_COLUMNS, made.lines[0], strict=True))
    assert (values["operation"], values["id"], values["ended"], values["query"]) == ("unsubscribe", "a", 7, None)
    assert (made.ending, made.refused) == (["a"], [])


def test_a_replacement_ends_the_older_line() -> None:
    made = plan([subscribing(row("a"), replace=True), subscribing(row("b"), replace=True)], {"a"})
    assert (made.ending, made.refused) == (["a"], [])
    assert [line[2] for line in made.lines] == [None, None]


def test_what_is_not_possible() -> None:
    live = {"a"}
    made = plan([subscribing(row("a")), unsubscribing("b"), subscribing(row("c")), subscribing(row("c"))], live)
    assert made.refused == [0, 1, 3]
    assert [line[5] for line in made.lines] == ["c"]
    assert live == {"a"}


def test_lines_of_one_version_end_one_another() -> None:
    changes = [unsubscribing("a"), subscribing(row("a")), subscribing(row("a"), replace=True), unsubscribing("a")]
    made = plan([*changes, unsubscribing("a")], {"a"})
    assert (made.ending, made.refused) == (["a"], [4])
    assert [line[2] for line in made.lines] == [7, 7, 7, 7]
    assert [line[1] for line in made.lines] == [0, 1, 2, 3]
