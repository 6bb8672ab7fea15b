"""Why a query selects nothing in a document: the longest part of it that selects something, and what fails next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.syntax import ast
from penstock.syntax.printer import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VALUES_SHOWN = 3
_VALUE_WIDTH = 40


class Diagnosis:
    """Reasons for one document, found by evaluating parts of a query on it.

    `evaluate` gives the results of a query, `string_values` the same as string values.
    """

    def __init__(self, evaluate: Callable[[str], list[str]], string_values: Callable[[str], list[str]]) -> None:
        self._evaluate = evaluate
        self._string_values = string_values

    def reasons(self, query: ast.Expr) -> Iterator[str]:
        """Lines that say why `query` delivers nothing."""
        match query:
            case ast.Path():
                yield from self._path_reasons(query)
            case ast.Filter():
                yield from self._filter_reasons(query)
            case ast.Union():
                for arg in query.args:
                    yield from self.reasons(arg)
            case ast.And():
                for arg in query.args:
                    if not self._holds(arg):
                        yield f"{to_text(arg)} is false"
            case _:
                yield f"{to_text(query)} gives {' '.join(self._evaluate(to_text(query))) or 'nothing'}"

    def _path_reasons(self, path: ast.Path) -> Iterator[str]:
        if path.start is not None and not isinstance(path.start, ast.Root) and self._count(path.start) == 0:
            yield from self.reasons(path.start)
            return
        done: ast.Expr | None = path.start
        count = 1
        for number, step in enumerate(path.steps):
            if _is_connector(step) and number + 1 < len(path.steps):
                continue
            bare = replace(path, steps=(*path.steps[:number], replace(step, predicates=())))
            before, reached = count, self._count(bare)
            if reached == 0:
                yield self._missing_step(done, before, bare)
                return
            done, count = bare, reached
            for place, predicate in enumerate(step.predicates):
                kept = replace(step, predicates=step.predicates[: place + 1])
                grown = replace(path, steps=(*path.steps[:number], kept))
                if (left := self._count(grown)) == 0:
                    yield from self._failing_predicate(done, count, predicate)
                    return
                done, count = grown, left

    def _filter_reasons(self, query: ast.Filter) -> Iterator[str]:
        done, count = query.base, self._count(query.base)
        if count == 0:
            yield from self.reasons(query.base)
            return
        for place, predicate in enumerate(query.predicates):
            grown = replace(query, predicates=query.predicates[: place + 1])
            if (left := self._count(grown)) == 0:
                yield from self._failing_predicate(done, count, predicate)
                return
            done, count = grown, left

    def _missing_step(self, done: ast.Expr | None, count: int, wanted: ast.Expr) -> str:
        if done is None or isinstance(done, ast.Root):
            return f"{to_text(wanted)} selects nothing"
        return f"{to_text(done)} selects {_nodes(count)}, but {to_text(wanted)} selects nothing"

    def _failing_predicate(self, base: ast.Expr, count: int, predicate: ast.Expr) -> Iterator[str]:
        yield f"{to_text(base)} selects {_nodes(count)}, but [{to_text(predicate)}] holds for none of them"
        for part in predicate.args if isinstance(predicate, ast.And) else ():
            yield f"  [{to_text(part)}] holds for {self._count(_filtered(base, part))} of {count}"
        for part in predicate.args if isinstance(predicate, ast.And) else (predicate,):
            if isinstance(part, ast.Compare) and isinstance(part.left, ast.Path) and part.left.start is None:
                yield f"  {to_text(part.left)}: {self._values(base, part.left)}"

    def _values(self, base: ast.Expr, path: ast.Path) -> str:
        values = self._string_values(f"{to_text(base)}/{to_text(path)}")
        if not values:
            return "there is none"
        shown = ", ".join(_shortened(value) for value in values[:_VALUES_SHOWN])
        return shown if len(values) <= _VALUES_SHOWN else f"{shown}, and {len(values) - _VALUES_SHOWN} more"

    def _count(self, nodes: ast.Expr) -> int:
        return int(float(self._evaluate(f"count({to_text(nodes)})")[0]))

    def _holds(self, condition: ast.Expr) -> bool:
        return self._evaluate(f"boolean({to_text(condition)})") == ["true"]


def _is_connector(step: ast.Step) -> bool:
    """The step that `//` stands for: it selects something wherever there is anything."""
    return step.axis == "descendant-or-self" and isinstance(step.test, ast.KindTest) and not step.predicates


def _filtered(base: ast.Expr, predicate: ast.Expr) -> ast.Expr:
    """`base` with one more predicate. A position in it counts anew for each step, as it would in the query."""
    if isinstance(base, ast.Path):
        last = base.steps[-1]
        return replace(base, steps=(*base.steps[:-1], replace(last, predicates=(*last.predicates, predicate))))
    return ast.Filter(base, (predicate,), span=base.span)


def _nodes(count: int) -> str:
    return f"{count:,} node{'' if count == 1 else 's'}"


def _shortened(value: str) -> str:
    flat = " ".join(value.split())
    return flat if len(flat) <= _VALUE_WIDTH else flat[: _VALUE_WIDTH - 3] + "..."
