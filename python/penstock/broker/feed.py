"""A document that comes in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.broker.streamed import join_items

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from penstock.broker.delivery import Delivery
    from penstock.broker.documents import Document
    from penstock.broker.streamed import Failures, Streamed
    from penstock.errors import DocumentError
    from penstock.kernel.engine import Feed as NativeFeed


class Feed:
    """One open document. Not for several threads at once.

    `write` returns what its chunk made certain, `close` the rest. As a context manager it closes itself; what that
    last step made certain is then in `rest`.
    """

    def __init__(
        self,
        native: NativeFeed,
        streamed: Streamed,
        document: Document,
        advanced: Callable[[Document, Failures, DocumentError | None, bool], None],
        push: Callable[[list[Delivery]], None],
    ) -> None:
        self._native = native
        self._streamed = streamed
        self._document = document
        self._advanced = advanced
        self._push = push
        self._whole: dict[str, list[Delivery]] = {}
        self._closed = False
        self._failed = False
        self.rest: list[Delivery] = []

    @property
    def closed(self) -> bool:
        """Whether the document has ended, well or with an error."""
        return self._closed

    @property
    def buffered(self) -> int:
        """Bytes held for results that are not certain yet."""
        return self._native.buffered

    def write(self, chunk: bytes | bytearray | memoryview | str) -> list[Delivery]:
        """Takes the next bytes, cut anywhere, and returns what they made certain.

        An error in the document ends it: it is raised or becomes a dead letter, as the broker's mode says. What comes
        after it gives nothing.
        """
        if self._failed:
            return []
        if self._closed:
            raise ValueError("the feed is closed")
        return self._take(
            *self._native.write(chunk.encode() if isinstance(chunk, str) else bytes(chunk)), is_last=False
        )

    def close(self) -> list[Delivery]:
        """Ends the document and returns what that made certain. A second call returns nothing."""
        if self._closed:
            return []
        self.rest = self._take(*self._native.close(), is_last=True)
        return self.rest

    def _take(
        self, items: list[Delivery], failed: list[tuple[int, str]], error: DocumentError | None, *, is_last: bool
    ) -> list[Delivery]:
        deliveries, groups = self._streamed.split(items)
        for id, group in groups.items():
            self._whole.setdefault(id, []).extend(group)
        if is_last and error is None:
            deliveries += [join_items(items) for items in self._whole.values()]
        self._failed = error is not None
        self._closed = is_last or self._failed
        self._push(deliveries)
        self._advanced(self._document, self._streamed.failures(failed), error, is_last)
        return deliveries

    def __enter__(self) -> Feed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._closed = True
