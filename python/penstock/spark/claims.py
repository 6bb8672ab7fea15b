"""Which micro-batch a task belongs to, and the version of the subscriptions that it claims."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark import TaskContext

from penstock.errors import StoreError

if TYPE_CHECKING:
    from penstock.store import Store

# What Spark sets for the tasks of a streaming query, but not for those of foreachBatch under Spark Connect.
_QUERY_ID = "sql.streaming.queryId"
_BATCH_ID = "streaming.sql.batchId"
# Where the tags of the session are found that started a job, each with something in front of it.
_TAGS = "spark.job.tags"
_TAG = re.compile(r"penstock-batch:([^:,]+):(\d+)")


def batch_tag(query: str, batch_id: int) -> str:
    """The tag by which tasks know their micro-batch where Spark does not tell them."""
    return f"penstock-batch:{query}:{batch_id}"


def claimed_version(store: Store) -> int:
    """The version of the micro-batch that this task works for: the same for all its tasks, and for its replays."""
    context = TaskContext.get()
    if context is not None:
        query, batch = context.getLocalProperty(_QUERY_ID), context.getLocalProperty(_BATCH_ID)
        if query is not None and batch is not None:
            return store.claim(query, int(batch))
        tag = _TAG.search(context.getLocalProperty(_TAGS) or "")
        if tag is not None:
            return store.claim(tag[1], int(tag[2]))
    raise StoreError(
        "a stream of documents can be matched by a streaming query only, and within foreachBatch under Spark Connect "
        "by write_stream only"
    )
