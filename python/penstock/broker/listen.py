"""Push delivery for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.broker.delivery import Delivery


class Listener:
    """An asynchronous iterator over deliveries as they come, whatever thread publishes. `close` ends it."""

    def __init__(self, ids: frozenset[str], forget: Callable[[Listener], None]) -> None:
        self._ids = ids
        self._forget = forget
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Delivery | None] = asyncio.Queue()

    def offer(self, delivery: Delivery) -> None:
        """Called by the publishing thread."""
        if not self._ids or delivery.subscription in self._ids:
            self._put(delivery)

    def close(self) -> None:
        """Ends the iteration after what has come so far."""
        self._forget(self)
        self._put(None)

    def _put(self, delivery: Delivery | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, delivery)

    def __aiter__(self) -> Listener:
        return self

    async def __anext__(self) -> Delivery:
        delivery = await self._queue.get()
        if delivery is None:
            raise StopAsyncIteration
        return delivery

    async def __aenter__(self) -> Listener:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
