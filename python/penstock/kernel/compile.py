"""The whole way of a query, from its text to a program that the engine runs."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from penstock.errors import QueryError
from penstock.kernel._native import Program
from penstock.kernel.program import encode_program
from penstock.node import node
from penstock.plan.indexable import is_indexable
from penstock.plan.language import XPathQuery, XQueryQuery, read_query
from penstock.plan.lower import evaluated, lower
from penstock.plan.machine import Shared
from penstock.plan.trigger import VERIFIED, verified
from penstock.plan.types import type_of
from penstock.plan.xquery.barren import without_barren
from penstock.plan.xquery.lower import answered
from penstock.plan.xquery.sharing import plan
from penstock.rules import rewrite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.plan import machine, normal
    from penstock.plan.language import Language
    from penstock.plan.xquery import normal as xquery


@node(frozen=True, slots=True)
class CompiledQuery:
    """A query at every stage of its way; `stream` is the one that it names."""

    text: str
    language: Language
    expression: normal.Expr | xquery.Expr
    rewritten: normal.Expr | xquery.Expr
    program: machine.Program
    native: Program
    stream: str | None = None


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
    read = read_query(query, namespaces or {}, language)
    if running and not (isinstance(read, XPathQuery) and is_aggregate(read.expression)):
        raise QueryError(
            "PNST0007", "running values need an aggregate: count, sum, avg, min or max of a path", query=query
        )
    rewritten: normal.Expr | xquery.Expr
    if isinstance(read, XQueryQuery):
        rewritten = read.expression if deliver_empty else without_barren(read.expression)
        program = answered(rewritten, read.text, deliver_empty=deliver_empty)
        program = dataclasses.replace(program, shared=_shared(rewritten, deliver_empty=deliver_empty))
    else:
        found = _streamed(read.expression, running=running, deliver_empty=deliver_empty) if machine else None
        if found is None and running:
            raise QueryError("PNST0002", "the query is nested too deeply for running values", query=query)
        rewritten, program = found or (read.expression, evaluated(read.expression, deliver_empty=deliver_empty))
    try:
        native = Program(encode_program(program))
    except RecursionError:
        # The limit on nesting leaves room for this, unless the caller has used up the stack before.
        raise QueryError("PNST0002", "the query is nested too deeply", query=query) from None
    except ValueError as error:
        raise QueryError("PNST0008", f"the engine refuses the query: {error}", query=query) from error
    return CompiledQuery(query, read.language, read.expression, rewritten, program, native, read.stream)


def _streamed(
    expression: normal.Expr, *, running: bool, deliver_empty: bool
) -> tuple[normal.Expr, machine.Program] | None:
    """The query rewritten, and its program; None if that nests too deeply.

    A path that turns back becomes conditions within conditions: one of hundreds of such steps is left to the evaluator.
    """
    try:
        rewritten = rewrite(expression)
        program = lower(rewritten, running=running, deliver_empty=deliver_empty)
        shared = _triggered(rewritten, program)
        return rewritten, program if shared is None else dataclasses.replace(program, shared=shared)
    except RecursionError:
        return None


def _shared(expression: xquery.Expr, *, deliver_empty: bool) -> machine.Shared | None:
    """How an index helps with a query of XQuery."""
    found = plan(expression, deliver_empty=deliver_empty)
    return None if found is None else Shared(lower(rewrite(found.pattern)), found.work, found.says)


def _triggered(expression: normal.Expr, program: machine.Program) -> machine.Shared | None:
    """How it helps with a query of XPath that it cannot hold."""
    found = None if is_indexable(program) else verified(expression, deliver_empty=program.deliver_empty)
    if found is None:
        return None
    pattern, work = found
    return Shared(lower(rewrite(pattern)), work, (VERIFIED,))


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
