"""Queries whose messages can be made as soon as a binding is certain: of nothing but the binding, and without fail.

An error drops all that a query gives for a document, so nothing of a query that may fail leaves before the document's
end.
"""

from __future__ import annotations

from penstock.plan import machine
from penstock.plan import normal as xpath
from penstock.plan.xquery import normal
from penstock.plan.xquery.sure import NODE, sure_value


def is_prompt(work: machine.Bindings, pattern: xpath.Expr, *, deliver_empty: bool) -> bool:
    """Whether a feed gets the messages of a query before the document has ended.

    An empty string that is all there is for a document is not delivered: unless that is asked for, only nodes are
    prompt.
    """
    if work.doubts or not _keeps_its_place(pattern) or not isinstance(work.query, normal.Flwor):
        return False
    match work.query.clauses:
        case (normal.For(variable=name, position=None, domain=normal.Variable(machine.GIVEN)), *rest) if all(
            isinstance(clause, normal.For | normal.Let | normal.Where) for clause in rest
        ):
            value = sure_value(normal.Flwor(tuple(rest), work.query.returned), {name: NODE})
            return value is not None and (value.is_nodes or deliver_empty)
        case _:
            return False


def _keeps_its_place(pattern: xpath.Expr) -> bool:
    """Whether the nodes of a pattern can stand alone: an attribute would lose its name."""
    match pattern:
        case xpath.Union(args=args):
            return all(map(_keeps_its_place, args))
        case xpath.Path(steps=(*_, last)):
            return last.axis != "attribute"
        case _:
            return False
