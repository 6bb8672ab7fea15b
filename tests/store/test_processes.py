"""Many threads and processes on one store, and what is left when one of them dies."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from penstock.store import Store, open_store, subscribing, unsubscribing
from support.store_workers import claim_batches, newest_and_next, row, subscribe_own_and_shared

TESTS = Path(__file__).parents[1]


def processes(count: int, method: str = "spawn") -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, mp_context=multiprocessing.get_context(method))


def test_writers_of_several_processes_lose_nothing_and_take_turns(url: str) -> None:
    # No store yet: they also race to make it.
    with processes(3) as pool:
        tasks = [pool.submit(subscribe_own_and_shared, url, name, 15) for name in ("x", "y", "z")]
        outcomes = [task.result() for task in tasks]
    versions = [version for mine, _ in outcomes for version in mine]
    assert len(set(versions)) == 45
    assert all(mine == sorted(mine) for mine, _ in outcomes)
    assert sum(won for _, won in outcomes) == 15
    with open_store(url) as store:
        assert store.version() == 60
        assert [entry.version for entry in store.changes(0)] == list(range(1, 61))
        expected = {f"{name}-{number}" for name in ("x", "y", "z", "shared") for number in range(15)}
        assert {one.id for one in store.snapshot()} == expected


def test_claims_from_several_processes_agree(store: Store) -> None:
    with processes(3) as pool:
        tasks = [pool.submit(claim_batches, store.url, 40) for _ in range(3)]
        for number in range(40):
            store.apply([subscribing(row(f"s{number}"))])
        first, *others = [task.result() for task in tasks]
    assert others == [first, first]
    assert first == sorted(first)


def test_claims_racing_from_many_threads_give_one_version(store: Store) -> None:
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            store.apply([subscribing(row(f"s{number}"))])
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for batch in range(10):
            together = threading.Barrier(8)

            def claim(batch: int = batch, together: threading.Barrier = together) -> int:
                together.wait()
                return store.claim("q", batch)

            with ThreadPoolExecutor(8) as pool:
                claimed = {task.result() for task in [pool.submit(claim) for _ in range(8)]}
            assert len(claimed) == 1
    finally:
        stop.set()
        writer.join()


def test_readers_see_whole_versions_while_others_write(store: Store) -> None:
    store.apply([subscribing(row("a", "//0")), subscribing(row("b", "//0"))])

    def swap() -> None:
        for number in range(1, 40):
            pair = [subscribing(row(id, f"//{'x' * number}"), replace=True) for id in ("a", "b")]
            store.apply(pair)

    writer = threading.Thread(target=swap)
    writer.start()
    while writer.is_alive():
        rows = list(store.snapshot())
        assert [one.id for one in rows] == ["a", "b"]
        assert len({one.query for one in rows}) == 1
    writer.join()


def test_who_reads_or_opens_does_not_wait_for_who_writes(store: Store) -> None:
    store.apply([subscribing(row("a"))])
    with store._backend.writing() as transaction:
        transaction.run("UPDATE penstock_state SET version = version + 1")
        with open_store(store.url) as other:
            assert (other.version(), [one.id for one in other.snapshot()]) == (1, ["a"])
    assert store.version() == 2


def test_a_process_that_dies_in_the_middle_leaves_nothing_behind(store: Store) -> None:
    store.apply([subscribing(row("a"))])
    code = f"from support.store_workers import stop_in_the_middle; stop_in_the_middle({store.url!r})"
    with subprocess.Popen([sys.executable, "-c", code], cwd=TESTS, stdout=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        assert victim.stdout.readline() == "written\n"
        assert (store.version(), [one.id for one in store.snapshot()]) == (1, ["a"])
        victim.kill()
    assert store.apply([subscribing(row("b"))]) == 2
    assert [one.id for one in store.snapshot()] == ["a", "b"]
    assert [entry.version for entry in store.changes(0)] == [1, 2]


def test_a_forked_process_uses_connections_of_its_own(store: Store) -> None:
    store.apply([subscribing(row("a"))])
    results = multiprocessing.get_context("fork").SimpleQueue()
    child = multiprocessing.get_context("fork").Process(target=lambda: results.put(newest_and_next(store, "child")))
    child.start()
    found = results.get()
    child.join()
    assert (child.exitcode, found) == (0, (1, 2))
    assert store.apply([unsubscribing("a")]) == 3
    assert [one.id for one in store.snapshot()] == ["child"]
