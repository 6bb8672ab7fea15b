"""XML publish/subscribe: standing subscriptions over streams of XML.

>>> import penstock
>>> penstock.evaluate("//b/@id", '<a><b id="1"/><b id="2"/></a>')
['1', '2']
"""

import logging

from penstock.broker import Broker, DeadLetter, Delivery, Matches, Subscription
from penstock.errors import DocumentError, PenstockError, QueryError, SchemaError, StoreError, UnsupportedError
from penstock.evaluation import evaluate
from penstock.kernel.engine import Limits
from penstock.kernel.records import Record, split_records

__all__ = [
    "Broker",
    "DeadLetter",
    "Delivery",
    "DocumentError",
    "Limits",
    "Matches",
    "PenstockError",
    "QueryError",
    "Record",
    "SchemaError",
    "StoreError",
    "Subscription",
    "UnsupportedError",
    "evaluate",
    "split_records",
]
# As a library should: it logs, and prints nothing unless its user asks for it.
logging.getLogger("penstock").addHandler(logging.NullHandler())

__version__ = "0.1.0"
