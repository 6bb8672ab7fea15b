"""The ways to run one query: by the machine or the evaluator alone, whole or in chunks, alone or among others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from penstock.kernel.compile import CompiledQuery, compile_query
from penstock.kernel.engine import Subscriptions, link, make_engine
from support.vocabulary import NAMESPACES

# (kind, text, place in document order) of what one query delivers; an evaluation error is its message.
Item = tuple[str, str, int]
Delivered = list[Item] | str

ENGINE = make_engine()
_TIME = datetime(2025, 1, 1, tzinfo=UTC)


def compiled(query: str, *, machine: bool = True) -> CompiledQuery:
    """The query with the prefixes of the vocabulary, to the letter."""
    return compile_query(query, namespaces=NAMESPACES, deliver_empty=True, machine=machine)


def running(query: str) -> CompiledQuery:
    """The aggregate as running values."""
    return compile_query(query, namespaces=NAMESPACES, running=True)


def run_whole(queries: Sequence[CompiledQuery], document: bytes) -> list[Delivered]:
    """The document in one piece: what each query delivers, in document order."""
    delivered: list[Delivered] = [[] for _ in queries]
    fragments, deliveries, failed = ENGINE.references(link(queries), document)
    for output, fragment in deliveries:
        delivered[output].append(fragments[fragment])
    for output, message in failed:
        delivered[output] = message
    return delivered


def run_indexed(queries: Sequence[CompiledQuery], document: bytes, few: int = 0) -> list[Delivered]:
    """The document in one piece against subscriptions that are in the index, if it can hold them."""
    subscriptions = Subscriptions(few)
    rows = [((str(place), "", None, None, 0, False), query.native) for place, query in enumerate(queries)]
    assert subscriptions.change([], rows) == []
    delivered: list[Delivered] = [[] for _ in queries]
    deliveries, failed = ENGINE.publish(subscriptions, document, "document", "default", _TIME, grouped=False)
    for one in deliveries:
        delivered[int(one.subscription)].append((one.kind, one.fragment, one.sequence))
    for id, message in failed:
        delivered[int(id)] = message
    return delivered


def run_chunked(
    queries: Sequence[CompiledQuery], document: bytes, size: int, *, ordered: bool = True
) -> list[Delivered]:
    """The document in chunks of `size` bytes. A malformed one raises its DocumentError."""
    delivered: list[Delivered] = [[] for _ in queries]
    feed = ENGINE.open(link(queries), "document", "default", _TIME, ordered)
    chunks = [document[start : start + size] for start in range(0, len(document), size)]
    for step in [*(lambda chunk=chunk: feed.write(chunk) for chunk in chunks), feed.close]:
        deliveries, failed, error = step()
        if error is not None:
            raise error
        for one in deliveries:
            delivered[int(one.subscription)].append((one.kind, one.fragment, one.sequence))
        for output, message in failed:
            delivered[output] = message
    return delivered


def in_document_order(delivered: Delivered) -> Delivered:
    """What an unordered feed delivered, sorted."""
    return (
        delivered
        if isinstance(delivered, str)
        else sorted(delivered, key=lambda item: (item[2], item[0] != "document"))
    )
