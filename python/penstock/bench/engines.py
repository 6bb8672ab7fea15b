"""Ways to get a query's results from the same bytes: ours and the peers'."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias
from xml.parsers import expat

import penstock

if TYPE_CHECKING:
    from collections.abc import Iterable

CHUNK = 1 << 16
BASELINE = "expat"


@dataclass(slots=True)
class Outcome:
    """What a run gave. `first_seconds` is None where results come all at once at the end, or there are none."""

    results: int = 0
    output_characters: int = 0
    first_seconds: float | None = None

    def take(self, deliveries: list[penstock.Delivery]) -> None:
        """Looks at the text of each result, in a way that itself costs little."""
        self.results += len(deliveries)
        self.output_characters += sum(map(len, map(_fragment, deliveries)))


_fragment = operator.attrgetter("fragment")

Engine: TypeAlias = Callable[[str], Callable[[bytes], Outcome]]
"""Prepares a query, outside of what is timed, and returns what runs it over a document."""


def parse_only(_query: str) -> Callable[[bytes], Outcome]:
    """The baseline: pyexpat with no handlers, so nothing but parsing."""

    def run(document: bytes) -> Outcome:
        expat.ParserCreate().Parse(document, True)
        return Outcome()

    return run


def penstock_whole(query: str) -> Callable[[bytes], Outcome]:
    """The document in one piece."""
    broker = penstock.Broker(mode="FAILFAST")
    broker.subscribe("query", query)

    def run(document: bytes) -> Outcome:
        outcome = Outcome()
        outcome.take(broker.publish(document))
        return outcome

    return run


def penstock_chunks(query: str) -> Callable[[bytes], Outcome]:
    """The document in chunks of 64 KB, each result taken as soon as it is certain."""
    over = penstock_stream(query)

    def run(document: bytes) -> Outcome:
        return over(document[start : start + CHUNK] for start in range(0, len(document), CHUNK))

    return run


def penstock_stream(query: str) -> Callable[[Iterable[bytes]], Outcome]:
    """Chunks from anywhere."""
    broker = penstock.Broker(mode="FAILFAST")
    broker.subscribe("query", query)

    def run(chunks: Iterable[bytes]) -> Outcome:
        outcome = Outcome()
        began = time.perf_counter()
        feed = broker.open()
        for chunk in chunks:
            deliveries = feed.write(chunk)
            if deliveries and outcome.first_seconds is None:
                outcome.first_seconds = time.perf_counter() - began
            outcome.take(deliveries)
        outcome.take(feed.close())
        return outcome

    return run


def lxml_tree(query: str) -> Callable[[bytes], Outcome]:
    """lxml: parse to a tree, then XPath. Results are not serialised, which is in lxml's favour."""
    from lxml import etree

    compiled = etree.XPath(query)

    def run(document: bytes) -> Outcome:
        tree = etree.fromstring(document, etree.XMLParser(huge_tree=True)).getroottree()
        found = compiled(tree)
        return Outcome(results=len(found) if isinstance(found, list) else 1)

    return run


def saxon_tree(query: str) -> Callable[[bytes], Outcome]:
    """Saxon: parse to a tree, then XPath. Results are not serialised, which is in Saxon's favour."""
    from saxonche import PySaxonProcessor

    processor = PySaxonProcessor(license=False)

    def run(document: bytes) -> Outcome:
        tree = processor.parse_xml(xml_text=document.decode())
        xpath = processor.new_xpath_processor()
        xpath.set_context(xdm_item=tree)
        found = xpath.evaluate(query)
        return Outcome(results=0 if found is None else found.size)

    return run


OWN: dict[str, Engine] = {"whole": penstock_whole, "chunks": penstock_chunks}
_PEERS: dict[str, tuple[str, Engine]] = {"lxml": ("lxml", lxml_tree), "saxon": ("saxonche", saxon_tree)}


def peers() -> dict[str, Engine]:
    """The peers that are installed (`pip install penstock[bench]`)."""
    return {name: engine for name, (package, engine) in _PEERS.items() if find_spec(package)}


def engine(name: str) -> Engine:
    """The engine of that name, the baseline included."""
    return {BASELINE: parse_only, **OWN, **{peer: entry[1] for peer, entry in _PEERS.items()}}[name]
