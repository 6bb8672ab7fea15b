"""Documents and deliveries as DataFrames, batch or streaming."""

from penstock.spark.letters import dead_letters
from penstock.spark.publish import publish
from penstock.spark.subscriptions import rejected

__all__ = ["dead_letters", "publish", "rejected"]
