"""From the normal form of XQuery to a program of the machine."""

from __future__ import annotations

from penstock.plan import machine
from penstock.plan.xquery import normal
from penstock.plan.xquery.types import gives_atomics_only


def answered(expr: normal.Expr, text: str, *, deliver_empty: bool = False) -> machine.Program:
    """The program that evaluates a query at the document's end; source bytes are kept only if they can be asked for."""
    keep: machine.Keep = "tape" if gives_atomics_only(expr) else "source"
    sink = machine.Query(expr, text, "XQuery is evaluated on the whole document")
    return machine.Program((), sink, keep, deliver_empty)
