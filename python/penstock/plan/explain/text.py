"""An explanation to be read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.plan.explain.labels import one_line
from penstock.plan.explain.summary import VERDICTS, summary
from penstock.plan.explain.view import ConditionView, PathView, QueryView


def as_text(views: Sequence[QueryView]) -> str:
    """One block of lines for each query; several are summed up first."""
    blocks = [_block(view) for view in views]
    if len(views) != 1:
        blocks.insert(0, summary(views))
    return "\n\n".join(blocks) + "\n"


def _block(view: QueryView) -> str:
    return "\n".join(_lines(view))


def _lines(view: QueryView) -> Iterator[str]:
    yield f"{view.id}: {one_line(view.query)}"
    yield f"  verdict    {VERDICTS[view.verdict].one}: {view.because}"
    yield f"  result     {view.result}: {view.gives}"
    yield f"  delivered  {view.delivered}"
    held = view.holds or ("nothing",)
    yield f"  holds      {held[0]}"
    for further in held[1:]:
        yield f"             {further}"
    yield f"  many       {view.among_many[0]}"
    for further in view.among_many[1:]:
        yield f"             {further}"
    for place, path in enumerate(view.paths):
        yield "  machine" if place == 0 else "  or"
        yield from _path(path)


def _path(path: PathView) -> Iterator[str]:
    for place, step in enumerate(path.steps):
        is_result = path.rest is None and place == len(path.steps) - 1 and place > 0
        kept = f"  (keeps {step.keeps})" if step.keeps else ""
        yield f"    {step.edge}{step.test}{kept}{'  -> result' if is_result else ''}"
        for condition in step.conditions:
            yield from _condition(condition, 6)
    if path.rest is not None:
        yield f"    evaluator: {path.rest.text}  -> result"
        yield f"        {path.rest.when}"
        yield f"        why: {path.rest.reason}"


def _condition(condition: ConditionView, indent: int) -> Iterator[str]:
    space = " " * indent
    who = "evaluator: " if condition.by == "evaluator" else ""
    yield f"{space}[{condition.text}]  {who}{condition.decided}"
    if condition.reason:
        yield f"{space}    why: {condition.reason}"
    for part in condition.parts:
        yield from _condition(part, indent + 2)
