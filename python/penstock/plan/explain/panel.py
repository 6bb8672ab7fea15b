"""One query in the picture: its verdict, and its machine from left to right."""

from __future__ import annotations

import textwrap

from penstock.plan.explain.moments import Moment
from penstock.plan.explain.summary import VERDICTS
from penstock.plan.explain.svg import Drawing, clipped, width_of
from penstock.plan.explain.view import ConditionView, PathView, QueryView, RestView, StepView, Verdict

MOMENT_COLOURS: dict[Moment, str] = {
    "start": "#2e9e5b",
    "end": "#2f7ed8",
    "parent": "#8e5bd0",
    "ancestor": "#e08a1e",
    "document": "#d64545",
}
VERDICT_COLOURS: dict[Verdict, str] = {"streams": "#23804a", "element": "#2363ab", "document": "#b83232"}
INK, SOFT, LINE, PAPER = "#1f2933", "#52606d", "#9aa5b1", "#ffffff"
STEP_FILL, RESULT_FILL, EVALUATOR_FILL, DOCUMENT_FILL = "#eef3f9", "#e3f5ea", "#fdf1e3", "#f0f1f3"

_BOX_HEIGHT = 32
_LABEL_SIZE = 14
_MARGIN = 18


def panel(view: QueryView) -> Drawing:
    inner = Drawing()
    _header(inner, view)
    for path in view.paths:
        inner.place(_path(path, is_selecting=view.result != "truth"), 0, inner.height + 16)
    framed = Drawing()
    framed.box(0, 0, inner.width + 2 * _MARGIN, inner.height + 2 * _MARGIN, fill=PAPER, stroke="#d5dae1", radius=10)
    framed.place(inner, _MARGIN, _MARGIN)
    return framed


def _header(drawing: Drawing, view: QueryView) -> None:
    name = clipped(view.id, 40)
    drawing.text(0, 14, name, size=13, colour=SOFT, bold=True, whole=view.id)
    chip = VERDICTS[view.verdict].one
    left, room = width_of(name, 13, "prose") + 14, width_of(chip, 12, "prose") + 20
    drawing.box(left, 0, room, 20, fill=VERDICT_COLOURS[view.verdict], stroke="none", radius=10)
    drawing.text(left + room / 2, 14.5, chip, colour="#ffffff", bold=True, anchor="middle")
    drawing.text(0, 43, clipped(view.query, 110), size=16, font="code", colour=INK, whole=view.query)
    facts = (("why", view.because), ("result", f"{view.result}, {view.delivered}"), ("holds", "; ".join(view.holds) or "nothing"))
    y = 66.0
    for title, fact in facts:
        drawing.text(0, y, title, colour=SOFT, bold=True)
        for line in textwrap.wrap(fact, 120):
            drawing.text(52, y, line, colour=SOFT)
            y += 17


def _path(path: PathView, *, is_selecting: bool) -> Drawing:
    drawing = Drawing()
    x = 0.0
    last = len(path.steps) - 1
    for place, step in enumerate(path.steps):
        is_result = is_selecting and place == last and place > 0 and path.rest is None
        x = _arrow(drawing, x, step.edge) if place else x
        column = _column(step, is_document=place == 0, is_result=is_result)
        drawing.place(column, x, 0)
        # The arrow to the next box starts at this box, however far its conditions reach.
        x = _box_width(step.test) + x if not step.conditions else x + column.width
        if place < last or path.rest:
            _rule(drawing, x, step, column)
    if path.rest is not None:
        x = _arrow(drawing, x, "evaluator")
        drawing.place(_rest(path.rest), x, 0)
    return drawing


def _rule(drawing: Drawing, right: float, step: StepView, column: Drawing) -> None:
    """The line from a box to where its column ends."""
    if step.conditions:
        left = right - column.width + _box_width(step.test)
        drawing.line(left, _BOX_HEIGHT / 2, right, _BOX_HEIGHT / 2, stroke=SOFT)


def _arrow(drawing: Drawing, x: float, label: str) -> float:
    length = max(46, width_of(label, 12, "code") + 22)
    drawing.line(x, _BOX_HEIGHT / 2, x + length, _BOX_HEIGHT / 2, stroke=SOFT, arrow=True)
    drawing.text(x + length / 2 - 2, _BOX_HEIGHT / 2 - 5, label, font="code", colour=SOFT, anchor="middle")
    return x + length


def _box_width(label: str) -> float:
    return max(56, width_of(clipped(label, 40), _LABEL_SIZE, "code") + 24)


def _column(step: StepView, *, is_document: bool, is_result: bool) -> Drawing:
    drawing = Drawing()
    width = _box_width(step.test)
    fill, stroke = (RESULT_FILL, VERDICT_COLOURS["streams"]) if is_result else (STEP_FILL, LINE)
    if is_document:
        fill, stroke = DOCUMENT_FILL, LINE
    drawing.box(0, 0, width, _BOX_HEIGHT, fill=fill, stroke=stroke, radius=16 if is_document else 8, thick=2 if is_result else 1.2)
    font = "prose" if is_document else "code"
    drawing.text(width / 2, 21, clipped(step.test, 40), size=_LABEL_SIZE, font=font, anchor="middle", whole=step.test)
    y = _BOX_HEIGHT + 8.0
    if step.keeps:
        drawing.text(2, y + 10, f"keeps {step.keeps}", size=11, colour=SOFT)
        y += 16
    for condition in step.conditions:
        y = _condition(drawing, condition, 0, y)
    return drawing


def _condition(drawing: Drawing, condition: ConditionView, depth: int, y: float) -> float:
    """Draws a condition and its parts from `y` downward; returns where the next may begin."""
    x = 8 + depth * 18
    by_evaluator = condition.by == "evaluator"
    drawing.mark(x, y + 9, MOMENT_COLOURS[condition.latest.moment], square=by_evaluator)
    drawing.text(x + 12, y + 13, clipped(condition.text, 52), size=12.5, font="code", whole=condition.text)
    said = [condition.decided] + ([f"evaluator: {condition.reason}"] if by_evaluator and condition.reason else [])
    below = y + 18
    for line in (line for words in said for line in textwrap.wrap(words, 46)):
        drawing.text(x + 12, below + 9, line, size=11, colour=SOFT)
        below += 14
    end = below + 6
    for part in condition.parts:
        end = _condition(drawing, part, depth + 1, end)
    if condition.parts:
        drawing.shapes.insert(0, f'<path d="M{x:g} {y + 16:g} V{end - 10:g}" stroke="#d5dae1" stroke-width="1.2" fill="none"/>')
    return end


def _rest(rest: RestView) -> Drawing:
    drawing = Drawing()
    label = clipped(rest.text, 60)
    width = max(56, width_of(label, _LABEL_SIZE, "code") + 24)
    drawing.box(0, 0, width, _BOX_HEIGHT, fill=EVALUATOR_FILL, stroke=MOMENT_COLOURS[rest.moment], dashed=True, thick=1.6)
    drawing.text(width / 2, 21, label, size=_LABEL_SIZE, font="code", anchor="middle", whole=rest.text)
    y = _BOX_HEIGHT + 8.0
    drawing.mark(8, y + 9, MOMENT_COLOURS[rest.moment], square=True)
    for line in [rest.when, *textwrap.wrap(rest.reason, 46)]:
        drawing.text(20, y + 13, line, size=11, colour=SOFT)
        y += 14
    return drawing
