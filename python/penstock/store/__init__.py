"""Subscriptions that outlive a process: a versioned log in SQLite or PostgreSQL, shared by brokers, Spark and people."""

from penstock.errors import StoreError
from penstock.store.rows import Change, LogEntry, SubscriptionRow, subscribing, unsubscribing
from penstock.store.store import Applied, ConflictError, Store
from penstock.store.url import open_store

__all__ = [
    "Applied",
    "Change",
    "ConflictError",
    "LogEntry",
    "Store",
    "StoreError",
    "SubscriptionRow",
    "open_store",
    "subscribing",
    "unsubscribing",
]
