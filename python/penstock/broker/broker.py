"""The embedded broker."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from penstock.broker.delivery import Delivery, Matches
from penstock.broker.documents import Document
from penstock.broker.entering import Entering, exists
from penstock.broker.feed import Feed
from penstock.broker.letters import DeadLetter, DeadLetters
from penstock.broker.listen import Listener
from penstock.broker.prepare import prepare, stored_row
from penstock.broker.registry import Registry
from penstock.broker.streamed import compiled
from penstock.broker.synchronise import Synchronised
from penstock.broker.times import checked_window, duration, event_time
from penstock.errors import DocumentError, SchemaError, StoreError
from penstock.kernel.engine import Limits, Publishing, make_engine
from penstock.plan.explain import explain
from penstock.store import open_store, subscribing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    import pyarrow as pa

    from penstock.broker.documents import Documents, Xml
    from penstock.broker.entering import Rows
    from penstock.broker.streamed import Failures
    from penstock.broker.subscription import Deliver, Registered, Rejected, Subscription
    from penstock.kernel.engine import Subscriptions
    from penstock.store import Store

Mode = Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]
_MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")
_log = logging.getLogger("penstock")


class Broker:
    """Holds subscriptions and matches documents against them.

    Every method may be called from any thread; a document sees the subscriptions as they were when it came. `mode`
    says what becomes of documents that are not well-formed: kept in `dead_letters` (PERMISSIVE), forgotten
    (DROPMALFORMED) or raised as `DocumentError` (FAILFAST).

    With a `store` (a URL or a `Store`) the subscriptions are those of the store: changes are written to it, and what
    others change is taken over when a document comes, at most every `store_refresh`.

    >>> broker = Broker()
    >>> _ = broker.subscribe("outages", "//item[contains(title, 'outage')]/link")
    >>> [d.fragment for d in broker.publish("<item><title>Power outage</title><link>a.html</link></item>")]
    ['<link>a.html</link>']
    """

    def __init__(
        self,
        store: str | Store | None = None,
        schemas: None = None,
        namespaces: Mapping[str, str] | None = None,
        window: str | None = None,
        watermark: str = "0 seconds",
        mode: Mode = "PERMISSIVE",
        limits: Limits | Mapping[str, int] | None = None,
        *,
        store_refresh: str = "500 milliseconds",
    ) -> None:
        if schemas is not None:
            raise SchemaError("schemas cannot be used in this version")
        if mode not in _MODES:
            raise ValueError(f"mode {mode!r} is not one of {', '.join(_MODES)}")
        self.mode = mode
        self.watermark = duration(watermark)
        self.window = None if window is None else checked_window(window)
        self.dead_letters = DeadLetters()
        self._engine = make_engine(Limits(**limits) if isinstance(limits, Mapping) else limits)
        self._namespaces = dict(namespaces or {})
        self._registry = Registry()
        self.store = open_store(store) if isinstance(store, str) else store
        self._owns_store = isinstance(store, str)
        self._every = duration(store_refresh)
        self._synchronised = None if self.store is None else Synchronised(self.store, self._registry, self._every)
        self._changes = self._registry if self._synchronised is None else self._synchronised
        self._counter = iter(self._engine.next_number, None)
        self._listeners: tuple[Listener, ...] = ()
        self._lock = threading.Lock()
        self._changing = threading.Lock()
        self._attend()

    # Subscriptions

    def subscribe(
        self,
        id: str,
        query: str,
        *,
        language: str | None = None,
        stream: str | None = None,
        namespaces: Mapping[str, str] | None = None,
        window: str | None = None,
        publish: str | None = None,
        subscriber: str | None = None,
        running: bool = False,
        deliver: Deliver = "item",
        deliver_empty: bool = False,
        replace: bool = False,
        callback: Callable[[Delivery], Any] | None = None,
    ) -> Subscription:
        """Registers a query under an id; it is active for every document published from now on.

        >>> Broker().subscribe("dear", "//item[price > 10]").id
        'dear'
        """
        parameters = {
            "id": id,
            "query": query,
            "language": language,
            "stream": stream,
            "namespaces": namespaces,
            "window": window,
            "publish": publish,
            "subscriber": subscriber,
            "running": running,
            "deliver": deliver,
            "deliver_empty": deliver_empty,
            "callback": callback,
        }
        subscription, program = self._registry.ready(prepare(parameters, self._namespaces))
        with self._changing:
            refused = self._changes.add([(subscription, program, replace)])
        if refused:
            raise exists(subscription.id, subscription.query)
        self._attend()
        return subscription

    def subscribe_many(self, rows: Rows, *, progress: Callable[[int], None] | None = None) -> Registered:
        """Registers rows of (id, query), or mappings with `subscribe`'s parameters. Bad rows stop nothing.

        Rows may also be an Arrow table with such columns, or the path of a file: each line a JSON object, or a query
        whose id is then the number of its line. All become active together. `progress` hears of each few thousand.

        >>> outcome = Broker().subscribe_many([("a", "//a"), ("b", "//b["), {"id": "c", "query": "//c"}])
        >>> [one.id for one in outcome.accepted], [one.id for one in outcome.rejected]
        (['a', 'c'], ['b'])
        """
        entering = Entering(self._registry, self._namespaces, progress)
        return entering.enter(rows, self._changing, self._synchronised)

    def unsubscribe(self, id: str) -> None:
        """Removes a subscription; an unknown id is a KeyError."""
        with self._changing:
            self._changes.drop(id)
        self._attend()

    def get(self, id: str) -> Subscription:
        """The subscription with this id; an unknown id is a KeyError."""
        return self._registry.get(id)

    def subscriptions(self) -> list[Subscription]:
        """All subscriptions, oldest first."""
        return self._registry.all()

    @property
    def rejected(self) -> list[Rejected]:
        """Subscriptions of the store that this version of Penstock cannot run, and why. They stop nothing."""
        return [] if self._synchronised is None else self._synchronised.rejected

    def refresh(self) -> None:
        """Takes over now what others have changed in the store."""
        if self._synchronised is not None:
            self._synchronised.refresh()

    def attach(self, store: str | Store) -> None:
        """Gives a broker that has no store an empty one: its subscriptions are written to it, and so are changes."""
        if self.store is not None:
            raise StoreError("the broker has a store already")
        opened = open_store(store) if isinstance(store, str) else store
        if opened.version():
            raise StoreError("a store that is attached must be empty")
        with self._changing:
            version = opened.apply([subscribing(stored_row(one)) for one in self.subscriptions()])
            self._synchronised = self._changes = Synchronised(opened, self._registry, self._every, holds=version)
            self._owns_store = isinstance(store, str)
            self.store = opened
        self._attend()

    def save(self, path: str | Path) -> int:
        """Writes all subscriptions, compiled, to a file that `load` reads in far less time than compiling takes.

        Callbacks are left out. The file is written whole or not at all. Returns the version of the store that the file
        holds; 0 without a store.
        """
        if self._synchronised is not None:
            return self._synchronised.save(Path(path))
        self._registry.save(Path(path))
        return 0

    @classmethod
    def load(cls, path: str | Path, **parameters: Any) -> Broker:
        """A broker with the subscriptions of a file; `parameters` are those of `Broker`, without a store.

        A file that is damaged or of another version is a StoreError.
        """
        broker = cls(**parameters)
        if broker.store is not None:
            raise StoreError("the subscriptions of a broker come from a store or from a file, not from both")
        broker._registry = broker._changes = Registry.load(Path(path))
        return broker

    def close(self) -> None:
        """Closes the store that the broker opened; the subscriptions known so far stay in force."""
        if self.store is not None and self._owns_store:
            self.store.close()

    # Documents

    @overload
    def publish(
        self,
        xml: Xml,
        *,
        stream: str = ...,
        id: str | None = ...,
        time: datetime | str | float | None = ...,
        grouped: Literal[False] = ...,
    ) -> list[Delivery]: ...

    @overload
    def publish(
        self,
        xml: Xml,
        *,
        stream: str = ...,
        id: str | None = ...,
        time: datetime | str | float | None = ...,
        grouped: Literal[True],
    ) -> Matches: ...

    @overload
    def publish(
        self,
        xml: Xml,
        *,
        stream: str = ...,
        id: str | None = ...,
        time: datetime | str | float | None = ...,
        grouped: bool,
    ) -> list[Delivery] | Matches: ...

    def publish(
        self,
        xml: Xml,
        *,
        stream: str = "default",
        id: str | None = None,
        time: datetime | str | float | None = None,
        grouped: bool = False,
    ) -> list[Delivery] | Matches:
        """Matches a whole document and returns the deliveries in document order.

        A delivery that is kept keeps all results of its document in memory, and the document too if it is small (up to
        64 KB) or if the fragments are more than an eighth of it: they are not copied then. With `grouped=True` the
        result is a `Matches`: each fragment once, with the ids of its subscriptions.
        """
        # Small documents take microseconds: here every call counts. The engine makes the id and the time that are not
        # given, if someone asks for them.
        name = next(self._counter) if id is None else id
        at = None if time is None else event_time(time)
        if self._synchronised is not None:
            self._synchronised.refresh_if_due()
        registry = self._registry
        try:
            found, failures = self._engine.publish(registry.native, xml, name, stream, at, grouped)
        except DocumentError as error:
            refused = Document(str(name), stream, at or event_time(None))
            self._refuse(refused, error, xml)
            return Matches(refused.id, stream, refused.time) if grouped else []
        if self._listeners or registry.callbacks:
            self._push(self._exploded(found) if isinstance(found, Matches) else found)
        if failures:
            self._report_failures(Document(str(name), stream, at or event_time(None)), failures)
        return found

    @overload
    def publish_many(
        self, documents: Documents, *, stream: str = ..., grouped: Literal[False] = ...
    ) -> Iterator[list[Delivery]]: ...

    @overload
    def publish_many(self, documents: Documents, *, stream: str = ..., grouped: Literal[True]) -> Iterator[Matches]: ...

    @overload
    def publish_many(
        self, documents: Documents, *, stream: str = ..., grouped: bool
    ) -> Iterator[list[Delivery] | Matches]: ...

    def publish_many(
        self, documents: Documents, *, stream: str = "default", grouped: bool = False
    ) -> Iterator[list[Delivery]] | Iterator[Matches] | Iterator[list[Delivery] | Matches]:
        """Publishes documents, or mappings with `publish`'s parameters, as they come: an iterator over what each gives.

        Each is matched when the iterator is asked for what it gives, before the next one is asked for. Many small
        documents take less time like this than by `publish`; all else is the same.

        >>> broker = Broker()
        >>> _ = broker.subscribe("names", "//name/text()")
        >>> documents = ["<name>pen</name>", {"xml": b"<list/>", "id": "empty"}, "<name>ink</name>"]
        >>> [[d.fragment for d in deliveries] for deliveries in broker.publish_many(documents)]
        [['pen'], [], ['ink']]
        """

        def publish(document: Xml | Mapping[str, Any]) -> list[Delivery] | Matches:
            if isinstance(document, Mapping):
                found: list[Delivery] | Matches = self.publish(**{"stream": stream, **document}, grouped=grouped)
                return found
            return self.publish(document, stream=stream, grouped=grouped)

        native = self._registry.native
        return Publishing(self._engine, native, documents, stream, grouped, publish)

    def publish_batch(self, table: pa.Table) -> pa.Table:
        """Matches a table of documents (`id`, `stream`, `time`, `xml`; only `xml` is needed) to one of deliveries."""
        # Arrow is large: who does not use tables does not load it.
        from penstock.broker.arrow import deliveries_of, document_batches, joined_table

        found = []
        stop = self.mode == "FAILFAST"
        for batch in document_batches(table, self._counter):
            results, letters = batch.match(self._engine, self._subscriptions(), stop=stop)
            found += results
            if self._has_takers():
                self._push(deliveries_of(results))
            self._engine.count(batch.accepted(letters, stop=stop), sum(result.num_rows for result in results), 0)
            for letter in letters:
                if letter.subscription is None:
                    self._refuse(batch.document(letter.row), letter.error(), batch.xml(letter.row))
                else:
                    self._report_failures(batch.document(letter.row), [(letter.subscription, letter.message)])
        return joined_table(found)

    def open(
        self,
        stream: str = "default",
        id: str | None = None,
        time: datetime | str | float | None = None,
        ordered: bool = False,
    ) -> Feed:
        """Begins a document that comes in chunks and may never end.

        Each result comes from the `write` that made it certain; with `ordered=True` in document order, perhaps later.

        >>> broker = Broker()
        >>> _ = broker.subscribe("names", "//name/text()")
        >>> with broker.open() as feed:
        ...     print([d.fragment for d in feed.write(b"<list><name>pen</na")])
        ...     print([d.fragment for d in feed.write(b"me></list>")])
        ['pen']
        []
        """
        document = self._document(stream, id, time)
        self._subscriptions()
        streamed = self._registry.streamed(stream)
        native = streamed.open(self._engine, document, ordered=ordered)
        return Feed(native, streamed, document, self._feed_advanced, self._feed_delivered)

    def matches(self, xml: Xml, *, stream: str = "default") -> list[str]:
        """The ids of the subscriptions that match, oldest first; nothing is delivered.

        >>> broker = Broker()
        >>> _ = broker.subscribe_many([("a", "//a"), ("b", "//b")])
        >>> broker.matches("<b/>")
        ['b']
        """
        try:
            return self._engine.matching_ids(self._subscriptions(), xml, stream)
        except DocumentError as error:
            self._refuse(self._document(stream, None, None), error, xml)
            return []

    def advance(self, time: datetime | str | float) -> list[Delivery]:
        """Moves the clock. Windows that close with it deliver; without join subscriptions there are none."""
        event_time(time)
        return []

    # Push

    def listen(self, *ids: str) -> Listener:
        """An asynchronous iterator over the deliveries of these subscriptions (of all, if none is named)."""
        listener = Listener(frozenset(ids), self._forget)
        with self._lock:
            self._listeners = (*self._listeners, listener)
        self._attend()
        return listener

    def _forget(self, listener: Listener) -> None:
        with self._lock:
            self._listeners = tuple(one for one in self._listeners if one is not listener)
        self._attend()

    def _attend(self) -> None:
        """Says whether documents concern others than who publishes them: `publish_many` must know at each of them."""
        with self._lock:
            self._registry.native.attend(self._synchronised is not None or self._has_takers())

    # Looking in

    def explain(self, id: str | None = None, format: Literal["text", "json", "svg"] = "text") -> str:
        """How a subscription (or all of them together) is evaluated: what streams, what waits for what."""
        chosen = self.subscriptions() if id is None else [self.get(id)]
        return explain([(one.id, one.query, compiled(one).program) for one in chosen], format)

    def stats(self) -> dict[str, int]:
        """Counts and sizes."""
        states, transitions, learned_bytes, flushes = self._engine.learned()
        documents, deliveries, errors = self._engine.counts()
        return {
            "subscriptions": len(self._registry),
            **dict(self._registry.native.sizes()),
            "documents": documents,
            "deliveries": deliveries,
            "errors": errors,
            "dead_letters": self.dead_letters.count,
            "automaton_states": states,
            "automaton_transitions": transitions,
            "automaton_bytes": learned_bytes,
            "automaton_flushes": flushes,
        }

    # Inside

    def _subscriptions(self) -> Subscriptions:
        if self._synchronised is not None:
            self._synchronised.refresh_if_due()
        return self._registry.native

    def _exploded(self, matches: Matches) -> list[Delivery]:
        header = ((matches.document,), matches.stream, matches.time)
        found = [(one, self._registry.find(id)) for one in matches.fragments for id in one.subscriptions]
        return [
            Delivery(taker.id, taker.subscriber, one.kind, one.fragment, *header, one.sequence)
            for one, taker in found
            if taker is not None
        ]

    def _document(self, stream: str, id: str | None, time: datetime | str | float | None) -> Document:
        return Document(str(next(self._counter)) if id is None else id, stream, event_time(time))

    def _feed_advanced(
        self, document: Document, failures: Failures, error: DocumentError | None, is_last: bool
    ) -> None:
        self._report_failures(document, failures)
        if error is not None:
            self._refuse(document, error, None)
        elif is_last:
            self._engine.count(1, 0, 0)

    def _feed_delivered(self, deliveries: list[Delivery]) -> None:
        self._engine.count(0, len(deliveries), 0)
        self._push(deliveries)

    def _refuse(self, document: Document, error: DocumentError, xml: Xml | None) -> None:
        self._engine.count(1, 0, 1)
        if self.mode == "FAILFAST":
            raise error
        _log.warning("document %s of stream %s refused: %s", document.id, document.stream, error)
        if self.mode == "PERMISSIVE":
            place = (error.error_class, error.message, error.line, error.column, error.offset)
            kept = bytes(xml) if isinstance(xml, bytearray | memoryview) else xml
            self.dead_letters.add(DeadLetter(document.id, document.stream, document.time, *place, kept))

    def _report_failures(self, document: Document, failures: Failures) -> None:
        for id, message in failures:
            _log.warning("subscription %s failed on document %s: %s", id, document.id, message)
            place = ("evaluation", message, 0, 0, 0)
            self.dead_letters.add(DeadLetter(document.id, document.stream, document.time, *place, None, id))

    def _has_takers(self) -> bool:
        return bool(self._listeners or self._registry.callbacks)

    def _push(self, deliveries: list[Delivery]) -> None:
        if not self._has_takers():
            return
        listeners = self._listeners
        for delivery in deliveries:
            for listener in listeners:
                listener.offer(delivery)
            self._registry.call_back(delivery)
