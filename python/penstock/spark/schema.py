"""The columns of deliveries as Spark names them."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType, TimestampType

_SUBSCRIPTION = [StructField("subscription", StringType(), False), StructField("subscriber", StringType(), True)]
_HEADER = [
    StructField("documents", ArrayType(StringType(), False), False),
    StructField("stream", StringType(), False),
    StructField("time", TimestampType(), False),
    StructField("sequence", LongType(), False),
    StructField("kind", StringType(), False),
    StructField("fragment", StringType(), False),
]
_MATCH = StructField("match_id", StringType(), False)

DELIVERIES = StructType([*_SUBSCRIPTION, *_HEADER, _MATCH])
"""One row a delivery."""
GROUPED = StructType(
    [StructField("subscriptions", ArrayType(StructType([*_SUBSCRIPTION, _MATCH]), False), False), *_HEADER]
)
"""One row a fragment, with all who get it."""
LETTER = StructType(
    [
        StructField("subscription", StringType()),
        StructField("class", StringType()),
        StructField("message", StringType()),
        StructField("line", LongType()),
        StructField("column", LongType()),
        StructField("offset", LongType()),
        StructField("xml", StringType()),
        StructField("match_id", StringType()),
    ]
)
"""The fragment of a row of kind `error`, which is JSON."""
