"""The prolog: namespaces and options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import QueryError, UnsupportedError
from penstock.plan.xquery.names import OPTION_NAMESPACE, PREDECLARED, QueryNames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.syntax.xquery import ast as xq

# Options of joins, which are queries over several streams.
_JOIN_OPTIONS = frozenset(("window", "publish"))


def prolog(module: xq.Module, namespaces: Mapping[str, str], query: str | None) -> QueryNames:
    """The names that the prolog leaves the query with; an option that is not known is an error."""
    declared: dict[str, str] = {}
    for one in module.declarations:
        if one.kind != "namespace":
            continue
        if one.name in declared:
            code = "XQST0033" if one.name else "XQST0066"
            raise QueryError(code, f"{one.name or 'the default'} is declared twice", query=query, span=one.span)
        declared[one.name] = one.value
    names = QueryNames({**PREDECLARED, **namespaces, **declared}, query)
    for one in module.declarations:
        if one.kind == "option":
            _check_option(one, names, query)
        elif one.name:
            names.check_declared(one.name, one.value, one.span)
    return names


def _check_option(option: xq.Declaration, names: QueryNames, query: str | None) -> None:
    prefix, _, local = option.name.partition(":")
    if names.uri(prefix, option.span) == OPTION_NAMESPACE and local in _JOIN_OPTIONS:
        construct = f"the option {option.name} without a join"
        message = f"the option {option.name} needs a join query"
        raise UnsupportedError("PNST0009", message, construct=construct, query=query, span=option.span)
    raise QueryError("PNST0012", f"there is no option {option.name}", query=query, span=option.span)
