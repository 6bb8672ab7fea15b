"""The tables of a store.

`penstock_log` is append-only but for one derived mark: `ended` is the version in which a line was replaced or removed,
so that the subscriptions of any version are found in one scan, in order. `penstock_state` has one line: the format of
the tables, the newest version, and the oldest that compaction has left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import StoreError

if TYPE_CHECKING:
    from penstock.store.backend import Transaction

FORMAT = 1
CREATE_LOG = """
    CREATE TABLE IF NOT EXISTS penstock_log (
        version BIGINT NOT NULL,
        place BIGINT NOT NULL,
        ended BIGINT,
        operation TEXT NOT NULL CHECK (operation IN ('subscribe', 'unsubscribe')),
        time {time} NOT NULL,
        id TEXT NOT NULL,
        query TEXT,
        language TEXT,
        stream TEXT,
        "window" TEXT,
        namespaces TEXT,
        publish TEXT,
        subscriber TEXT,
        running BOOLEAN,
        deliver TEXT,
        deliver_empty BOOLEAN,
        PRIMARY KEY (version, place)
    ) {clustered}
"""
CREATE_OTHERS = (
    "CREATE UNIQUE INDEX IF NOT EXISTS penstock_live ON penstock_log (id) WHERE ended IS NULL",
    """
    CREATE TABLE IF NOT EXISTS penstock_state (
        format BIGINT NOT NULL,
        version BIGINT NOT NULL,
        oldest BIGINT NOT NULL
    )
    """,
    f"INSERT INTO penstock_state SELECT {FORMAT}, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM penstock_state)",  # noqa: S608
    """
    CREATE TABLE IF NOT EXISTS penstock_claims (
        query_id TEXT NOT NULL,
        batch_id BIGINT NOT NULL,
        version BIGINT NOT NULL,
        time {time} NOT NULL,
        PRIMARY KEY (query_id, batch_id)
    )
    """,
)


def statements(*, time: str, clustered: str = "") -> list[str]:
    """What makes the tables where they are missing; `time` is the database's type for moments."""
    return [text.format(time=time, clustered=clustered) for text in (CREATE_LOG, *CREATE_OTHERS)]


def check_format(transaction: Transaction, name: str) -> None:
    """Refuses tables that another version of Penstock has made."""
    ((found,),) = transaction.rows("SELECT format FROM penstock_state")
    if found != FORMAT:
        raise StoreError(f"{name}: has format {found}; this version of Penstock reads format {FORMAT}")
