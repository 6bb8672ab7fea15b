"""Sets of paths that would make an automaton grow without end: the same results within the bounds of memory."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from lxml import etree

from penstock import Broker

KIBIBYTE = 1 << 10
DEPTH = 13


def document(random: Random, depth: int) -> bytes:
    """Few names, in all orders, far within each other."""

    def element(left: int) -> str:
        name = random.choice("abc")
        children = "".join(element(left - 1) for _ in range(random.choice((1, 1, 2)))) if left else ""
        return f"<{name}>{children}</{name}>"

    return element(depth).encode()


def places(paths: dict[str, str], source: bytes) -> dict[str, list[int]]:
    """Which elements, counted in document order, lxml gives for each path."""
    tree = etree.fromstring(source)
    numbers = {node: number for number, node in enumerate(tree.iter())}
    return {id: sorted(numbers[node] for node in tree.xpath(path)) for id, path in paths.items()}


def deliver(broker: Broker, source: bytes, chunk: int | None) -> dict[str, list[int]]:
    if chunk is None:
        deliveries = broker.publish(source)
    else:
        with broker.open() as feed:
            pieces = (source[at : at + chunk] for at in range(0, len(source), chunk))
            deliveries = [one for piece in pieces for one in feed.write(piece)] + feed.close()
    starts = [at for at, byte in enumerate(source) if byte == ord("<") and source[at + 1] != ord("/")]
    numbers = {start: number for number, start in enumerate(starts)}
    found: dict[str, list[int]] = {id: [] for id in broker_ids(broker)}
    for one in deliveries:
        found[one.subscription].append(numbers[one.sequence])
    return {id: sorted(at) for id, at in found.items()}


def broker_ids(broker: Broker) -> list[str]:
    return [one.id for one in broker.subscriptions()]


SETS = {
    "every way of five steps": ["//" + "//".join(way) for way in itertools.product("ab*", repeat=5)],
    "stars before and behind": [f"//*//*//a{'//*' * more}//b" for more in range(30)],
    "children at every depth": [f"//a{'/*' * more}/b" for more in range(12)],
    "both": ["/".join(way) for way in itertools.product(("/a", "a", "/*", "*"), repeat=5) if way[0][0] == "/"],
}


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("chunk", [None, 7])
def test_results_and_memory(kind: str, chunk: int | None) -> None:
    random = Random(kind)
    paths = {str(number): path if path[0] == "/" else f"/{path}" for number, path in enumerate(SETS[kind])}
    documents = [document(random, depth) for depth in (3, 9, 11, DEPTH - 1)]
    wanted = [places(paths, source) for source in documents]
    assert all(any(found.values()) for found in wanted[1:])
    for limits in ({}, {"automaton_bytes": 64 * KIBIBYTE}, {"automaton_states": 5}):
        broker = Broker(limits=limits, mode="FAILFAST")
        broker.subscribe_many(paths.items())
        assert [deliver(broker, source, chunk) for source in documents] == wanted
        stats = broker.stats()
        if chunk is None:
            assert (stats["automaton_flushes"] > 0) == bool(limits), stats
            # What an element adds is there before it is asked whether that is too much; states of open elements stay.
            assert stats["automaton_bytes"] < 2 * limits.get("automaton_bytes", 100_000 * KIBIBYTE), stats
            assert stats["automaton_states"] <= limits.get("automaton_states", 100_000) + DEPTH, stats
