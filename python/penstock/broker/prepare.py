"""From the parameters of a subscription to one whose parameters are checked, and to its row in a store and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from penstock.broker.subscription import Subscription
from penstock.errors import QueryError, UnsupportedError
from penstock.store import SubscriptionRow, is_storable

if TYPE_CHECKING:
    from penstock.broker.subscription import Deliver

_TEXTS = ("language", "stream", "window", "publish", "subscriber")
_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(_TEXTS),
    "namespaces": None,
    "running": False,
    "deliver": "item",
    "deliver_empty": False,
    "callback": None,
}
_PARAMETERS = frozenset({"id", "query", *_DEFAULTS})


def prepare(given: Mapping[str, Any], namespaces: Mapping[str, str]) -> Subscription:
    """A subscription of `Broker.subscribe`'s parameters; `namespaces` holds for what it does not bind itself.

    Its query is not looked at yet: see `Registry.ready`.

    >>> prepare({"id": "a", "query": "//p:a"}, {"p": "urn:p"}).namespaces
    {'p': 'urn:p'}
    """
    unknown = given.keys() - _PARAMETERS
    missing = {"id", "query"} - given.keys()
    if unknown or missing:
        wrong = f"does not know {', '.join(sorted(unknown))}" if unknown else f"needs {', '.join(sorted(missing))}"
        raise _wrong(given, f"a subscription {wrong}")
    parameters = {**_DEFAULTS, **given}
    _check_types(parameters)
    query = parameters["query"]
    for name in ("window", "publish"):
        if parameters[name] is not None:
            raise UnsupportedError("PNST0009", f"{name}= needs a join query", construct=name, query=query)
    return Subscription(
        parameters["id"],
        query,
        parameters["language"],
        parameters["stream"],
        {**namespaces, **(parameters["namespaces"] or {})},
        parameters["subscriber"],
        parameters["running"],
        cast("Deliver", parameters["deliver"]),
        parameters["deliver_empty"],
        parameters["callback"],
    )


def stored_row(subscription: Subscription) -> SubscriptionRow:
    """What a store keeps of a subscription: all that another process needs to match as this one does."""
    return SubscriptionRow(
        subscription.id,
        subscription.query,
        language=subscription.language,
        stream=subscription.stream,
        namespaces=subscription.namespaces,
        subscriber=subscription.subscriber,
        running=subscription.running,
        deliver=subscription.deliver,
        deliver_empty=subscription.deliver_empty,
    )


def restored(row: SubscriptionRow) -> Subscription:
    """The subscription of a row. The bindings of the row are all it has: it must mean the same to every reader."""
    return prepare(row._asdict(), {})


def _check_types(parameters: Mapping[str, Any]) -> None:
    for name in ("id", "query", *_TEXTS):
        value = parameters[name]
        if value is None and name in _DEFAULTS:
            continue
        if not isinstance(value, str):
            raise _wrong(parameters, f"{name}={value!r} is not a string")
        if not is_storable(value):
            raise _wrong(parameters, f"{name}={value!r} holds characters that XML does not have")
    for name in ("running", "deliver_empty"):
        if not isinstance(parameters[name], bool):
            raise _wrong(parameters, f"{name}={parameters[name]!r} is neither true nor false")
    if parameters["deliver"] not in ("item", "document"):
        raise _wrong(parameters, f"deliver={parameters['deliver']!r} is neither 'item' nor 'document'")
    bindings = parameters["namespaces"]
    if bindings is not None and not (
        isinstance(bindings, Mapping) and all(isinstance(text, str) for pair in bindings.items() for text in pair)
    ):
        raise _wrong(parameters, f"namespaces={bindings!r} does not map prefixes to URIs")


def _wrong(parameters: Mapping[str, Any], message: str) -> QueryError:
    query = parameters.get("query")
    return QueryError("PNST0010", message, query=query if isinstance(query, str) else None)
