"""What other processes do to a store in the tests: functions that a new interpreter can import."""

from __future__ import annotations

import sys
import time

from penstock.store import Store, SubscriptionRow, open_store, subscribing


def row(id: str, query: str = "//a") -> SubscriptionRow:
    return SubscriptionRow(id, query, language="xpath")


def subscribe_own_and_shared(url: str, name: str, count: int) -> tuple[list[int], int]:
    """Adds rows of its own, one version each, and rows that all want; returns its versions and how many it won."""
    versions, won = [], 0
    with open_store(url) as store:
        for number in range(count):
            versions.append(store.apply([subscribing(row(f"{name}-{number}"))]))
            applied = store.apply_possible([subscribing(row(f"shared-{number}", f"//{name}"))])
            won += not applied.refused
    return versions, won


def claim_batches(url: str, count: int) -> list[int]:
    with open_store(url) as store:
        return [store.claim("query", batch) for batch in range(count)]


def newest_and_next(store: Store, id: str) -> tuple[int, int]:
    return store.version(), store.apply([subscribing(row(id))])


def stop_in_the_middle(url: str) -> None:
    """Writes half of a change, says so, and waits to be killed."""
    with open_store(url) as store, store._backend.writing() as transaction:
        transaction.run("UPDATE penstock_state SET version = version + 1")
        transaction.run("UPDATE penstock_log SET ended = 2 WHERE ended IS NULL")
        sys.stdout.write("written\n")
        sys.stdout.flush()
        time.sleep(120)
