"""The whole way of a query, from its text to a program that the engine runs."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import QueryError, UnsupportedError
from penstock.kernel._native import Program
from penstock.kernel.program import encode_program
from penstock.plan.build import build
from penstock.plan.lower import evaluated, lower
from penstock.plan.types import type_of
from penstock.rules import rewrite
from penstock.syntax import xpath

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.plan import machine, normal

LANGUAGES = ("xpath",)


@dataclass(frozen=True)
class CompiledQuery:
    """A query at every stage of its way."""

    text: str
    expression: normal.Expr
    rewritten: normal.Expr
    program: machine.Program
    native: Program


def compile_query(
    query: str,
    *,
    namespaces: Mapping[str, str] | None = None,
    language: str | None = None,
    running: bool = False,
    deliver_empty: bool = False,
    machine: bool = True,
) -> CompiledQuery:
    """Text -> syntax tree -> normal form -> rewritten -> program -> engine.

    With `machine=False` the evaluator does it all, at the document's end.
    """
    check_language(query, language)
    tree = xpath.parse(query)
    expression = build(tree, namespaces or {}, query)
    if running and not is_aggregate(expression):
        raise QueryError(
            "PNST0007", "running values need an aggregate: count, sum, avg, min or max of a path", query=query
        )
    rewritten = rewrite(expression)
    if machine:
        program = lower(rewritten, running=running, deliver_empty=deliver_empty)
    else:
        program = evaluated(expression, deliver_empty=deliver_empty)
    try:
        native = Program(encode_program(program))
    except ValueError as error:
        raise QueryError("PNST0008", f"the engine refuses the query: {error}", query=query) from error
    return CompiledQuery(query, expression, rewritten, program, native)


def check_language(query: str, language: str | None) -> None:
    """A language that is not spoken here is an error."""
    if language not in (None, *LANGUAGES):
        raise UnsupportedError(
            "PNST0006", f"the language {language!r} is not supported", construct=f"language {language}", query=query
        )


@functools.lru_cache(maxsize=512)
def compile_cached(
    query: str, namespaces: tuple[tuple[str, str], ...], language: str | None, machine: bool
) -> CompiledQuery:
    """As `compile_query`, to the letter, for callers that ask for the same query again and again."""
    return compile_query(query, namespaces=dict(namespaces), language=language, deliver_empty=True, machine=machine)


def is_aggregate(expression: normal.Expr) -> bool:
    """Whether a query is an aggregate of nodes, which may run."""
    from penstock.plan import normal

    match expression:
        case normal.Call(name="count" | "sum" | "avg" | "min" | "max", args=(nodes,)):
            return type_of(nodes) == "nodes"
        case _:
            return False
