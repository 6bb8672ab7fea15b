"""Documents in, deliveries out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from penstock.kernel.engine import Limits
from penstock.spark.documents import standard_documents
from penstock.spark.matching import MatchStage
from penstock.spark.metering import observed
from penstock.spark.schema import DELIVERIES, GROUPED
from penstock.spark.subscriptions import locate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation

    from penstock.spark.subscriptions import Subscriptions

_MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")
_ERRORS = ("drop", "rows")


def publish(
    documents: DataFrame,
    subscriptions: Subscriptions,
    *,
    watermark: str | None = None,
    errors: Literal["drop", "rows"] = "drop",
    grouped: bool = False,
    mode: Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"] = "PERMISSIVE",
    columns: Mapping[str, str] | None = None,
    namespaces: Mapping[str, str] | None = None,
    limits: Limits | Mapping[str, int] | None = None,
    metrics: str | Observation | None = None,
) -> DataFrame:
    """Matches documents against subscriptions; both calls and result are the same for batch and streaming DataFrames.

    `documents` has the columns `id`, `stream`, `time` and `xml` (string or binary), or others that `columns` maps them
    to; only `xml` is needed. `subscriptions` is a `Broker`, the URL of a store, or a DataFrame or table of
    subscriptions, in which `namespaces` holds for what rows do not bind themselves. A batch is matched against the
    subscriptions of this moment, a micro-batch of a stream against those of the moment it starts, also when it is
    replayed; a DataFrame is a snapshot.

    With `errors="rows"` dead letters are among the rows, of kind `error`; see `dead_letters`. `watermark` is a delay
    for the column `time` of the deliveries. `metrics` is a name, or for a batch an `Observation`, under which Spark
    observes documents, bytes, deliveries, errors, matching time and version; see `MetricsListener`.
    """
    if mode not in _MODES:
        raise ValueError(f"mode {mode!r} is not one of {', '.join(_MODES)}")
    if errors not in _ERRORS:
        raise ValueError(f"errors {errors!r} is not one of {', '.join(_ERRORS)}")
    source = locate(subscriptions, documents.sparkSession, namespaces, is_streaming=documents.isStreaming)
    stage = MatchStage(
        source,
        Limits(**limits) if isinstance(limits, Mapping) else limits or Limits(),
        grouped,
        failfast=mode == "FAILFAST",
        refused_as_rows=errors == "rows" and mode == "PERMISSIVE",
        failures_as_rows=errors == "rows",
        metered=metrics is not None,
    )
    found = standard_documents(documents, columns).mapInArrow(stage, GROUPED if grouped else DELIVERIES)
    if metrics is not None:
        found = observed(found, metrics, grouped=grouped)
    # Spark forgets a watermark at this stage: one that was set before would be of no use.
    return found if watermark is None else found.withWatermark("time", watermark)
