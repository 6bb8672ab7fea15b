"""Subscriptions that outlive a process: a versioned log in SQLite or PostgreSQL."""

from penstock.errors import StoreError
from penstock.store.rows import Change, LogEntry, SubscriptionRow, is_storable, subscribing, unsubscribing
from penstock.store.store import Applied, CompactedError, ConflictError, Store
from penstock.store.url import open_store

__all__ = [
    "Applied",
    "Change",
    "CompactedError",
    "ConflictError",
    "LogEntry",
    "Store",
    "StoreError",
    "SubscriptionRow",
    "is_storable",
    "open_store",
    "subscribing",
    "unsubscribing",
]
