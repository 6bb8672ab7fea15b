"""Subscriptions that come and go between documents: what was learned of those before holds for no one else."""

from __future__ import annotations

import itertools
from random import Random

from lxml import etree

from penstock import Broker

DOCUMENT = "<r><a k='1' m='1'><c/><b/></a><b><a k='1'><c/><d><a k='2' m='1'><c/></a></d></a></b><a k='2'/></r>"
PATHS = ("//a", "/r/a", "/r/b/a", "//b/a", "//d/a", "/r/*", "//*", "//b//a")
CONDITIONS = ("[@k='1']", "[@k='2']", "[@*='1']", "[c]", "[not(c)]", "[@k='1' and @m='1']", "")
RESULTS = ("", "/c", "/@m", "//c")


def wanted(texts: dict[str, str], document: str) -> dict[str, int]:
    """How much each subscription gets, as lxml tells."""
    root = etree.fromstring(document)
    counts = {id: len(root.xpath(text)) for id, text in texts.items()}
    return {id: count for id, count in counts.items() if count}


def found(broker: Broker, document: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for delivery in broker.publish(document):
        counts[delivery.subscription] = counts.get(delivery.subscription, 0) + 1
    return counts


def test_what_fires_at_several_places_follows_changes() -> None:
    """The same triggers fire together at places that also fire different others: what they call for is known once."""
    everything = ["".join(parts) for parts in itertools.product(PATHS, CONDITIONS, RESULTS)]
    for seed in range(20):
        random, broker, texts = Random(seed), Broker(), {}
        for turn in range(12):
            for id in random.sample(sorted(texts), random.randint(0, len(texts))):
                broker.unsubscribe(id)
                del texts[id]
            # The index is asked from some dozen subscriptions on.
            for number in range(random.choice((1, 3, 80))):
                texts[f"{turn} {number}"] = random.choice(everything)
                broker.subscribe(f"{turn} {number}", texts[f"{turn} {number}"])
            # What they get is learned when it has been asked for often enough.
            for _ in range(random.choice((1, 4))):
                assert found(broker, DOCUMENT) == wanted(texts, DOCUMENT), f"seed {seed}, turn {turn}"


def test_paths_that_no_one_asks_for_any_more_are_given_up() -> None:
    """So many that the index gives them up at once, and uses their places again."""
    random = Random(1)

    def paths(seed: int, number: int) -> dict[str, str]:
        some = Random(seed)
        names = ("*", *(f"e{n}" for n in range(40)))
        steps = (some.choice(("/", "//")) + some.choice(names) for _ in itertools.count())
        return {f"{seed} {n}": "".join(itertools.islice(steps, 3)) + some.choice(("", "/@k")) for n in range(number)}

    def element(depth: int) -> str:
        name = f"e{random.randrange(40)}"
        return f"<{name} k='1'>{''.join(element(depth - 1) for _ in range(3 * (depth > 0)))}</{name}>"

    document, broker = element(3), Broker()
    texts = paths(0, 16_000)
    assert len(broker.subscribe_many(texts.items()).accepted) == len(texts)
    assert found(broker, document) == wanted(texts, document)
    before = broker.stats()["path_nodes"]
    for id in random.sample(sorted(texts), 15_500):
        broker.unsubscribe(id)
        del texts[id]
    assert broker.stats()["path_nodes"] < before / 3
    for seed in (1, 2):
        assert found(broker, document) == wanted(texts, document)
        more = paths(seed, 1_000)
        broker.subscribe_many(more.items())
        texts |= more
    assert found(broker, document) == wanted(texts, document)
