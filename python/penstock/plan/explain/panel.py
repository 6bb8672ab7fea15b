"""One query in the picture: its verdict, and its machine from left to right."""

from __future__ import annotations

import textwrap

from penstock.plan.explain.moments import Moment
from penstock.plan.explain.summary import VERDICTS
from penstock.plan.explain.svg import Drawing, Font, clipped, width_of
from penstock.plan.explain.view import ConditionView, PathView, QueryView, RestView, StepView, Verdict

MOMENT_COLOURS: dict[Moment, str] = {
    "start": "#2e9e5b",
    "end": "#2f7ed8",
    "parent": "#8e5bd0",
    "ancestor": "#e08a1e",
    "document": "#d64545",
}
VERDICT_COLOURS: dict[Verdict, str] = {"streams": "#23804a", "element": "#2363ab", "document": "#b83232"}
SOFT, LINE = "#52606d", "#9aa5b1"
STEP_FILL, RESULT_FILL, EVALUATOR_FILL, DOCUMENT_FILL = "#eef3f9", "#e3f5ea", "#fdf1e3", "#f0f1f3"

_BOX_HEIGHT = 32
_LABEL_SIZE = 14
_LINE_LENGTH = 52


def panel(view: QueryView) -> Drawing:
    """The query without a frame around it."""
    drawing = Drawing()
    _header(drawing, view)
    for path in view.paths:
        drawing.place(_path(path, is_selecting=view.result != "truth"), 0, drawing.height + 16)
    return drawing


def _header(drawing: Drawing, view: QueryView) -> None:
    name = clipped(view.id, 40)
    drawing.text(0, 14, name, size=13, colour=SOFT, bold=True, whole=view.id)
    chip = VERDICTS[view.verdict].one
    left, room = width_of(name, 13, "prose") + 14, width_of(chip, 12, "prose") + 20
    drawing.box(left, 0, room, 20, fill=VERDICT_COLOURS[view.verdict], stroke="none", radius=10)
    drawing.text(left + room / 2, 14.5, chip, colour="#ffffff", bold=True, anchor="middle")
    drawing.text(0, 43, clipped(view.query, 110), size=16, font="code", whole=view.query)
    facts = (
        ("why", view.because),
        ("result", f"{view.result}, delivered {view.delivered}"),
        ("holds", "; ".join(view.holds) or "nothing"),
    )
    y = 66.0
    for title, fact in facts:
        drawing.text(0, y, title, colour=SOFT, bold=True)
        for line in textwrap.wrap(fact, 120):
            drawing.text(52, y, line, colour=SOFT)
            y += 17


def _path(path: PathView, *, is_selecting: bool) -> Drawing:
    drawing = Drawing()
    # Where the last box ends, and where the room below it does.
    box_end = column_end = 0.0
    last = len(path.steps) - 1
    for place, step in enumerate(path.steps):
        is_result = is_selecting and place == last and place > 0 and path.rest is None
        x = _arrow(drawing, box_end, column_end, step.edge) if place else 0.0
        column = _column(step, is_document=place == 0, is_result=is_result)
        drawing.place(column, x, 0)
        box_end, column_end = x + _box_width(step.test), x + column.width
    if path.rest is not None:
        drawing.place(_rest(path.rest), _arrow(drawing, box_end, column_end, "evaluator"), 0)
    return drawing


def _arrow(drawing: Drawing, start: float, clear_of: float, label: str) -> float:
    """An arrow with its label above; returns where it ends, which is where the next box may begin."""
    end = max(start + max(46, width_of(label, 12, "code") + 22), clear_of + 16)
    y = _BOX_HEIGHT / 2
    drawing.line(start, y, end, y, stroke=SOFT, arrow=True)
    drawing.text((start + end) / 2 - 3, y - 5, label, font="code", colour=SOFT, anchor="middle")
    return end


def _box_width(label: str) -> float:
    return max(56, width_of(clipped(label, 40), _LABEL_SIZE, "code") + 24)


def _column(step: StepView, *, is_document: bool, is_result: bool) -> Drawing:
    drawing = Drawing()
    width = _box_width(step.test)
    fill, stroke = (RESULT_FILL, VERDICT_COLOURS["streams"]) if is_result else (STEP_FILL, LINE)
    if is_document:
        fill, stroke = DOCUMENT_FILL, LINE
    drawing.box(
        0,
        0,
        width,
        _BOX_HEIGHT,
        fill=fill,
        stroke=stroke,
        radius=16 if is_document else 8,
        thick=2 if is_result else 1.2,
    )
    font: Font = "prose" if is_document else "code"
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
    for line in (line for words in said for line in textwrap.wrap(words, _LINE_LENGTH)):
        drawing.text(x + 12, below + 9, line, size=11, colour=SOFT)
        below += 14
    end = below + 6
    for part in condition.parts:
        drawing.line(x, y + 17, x, end + 9, stroke="#d5dae1")
        drawing.line(x, end + 9, x + 11, end + 9, stroke="#d5dae1")
        end = _condition(drawing, part, depth + 1, end)
    return end


def _rest(rest: RestView) -> Drawing:
    drawing = Drawing()
    label = clipped(rest.text, 60)
    width = max(56, width_of(label, _LABEL_SIZE, "code") + 24)
    drawing.box(
        0, 0, width, _BOX_HEIGHT, fill=EVALUATOR_FILL, stroke=MOMENT_COLOURS[rest.moment], dashed=True, thick=1.6
    )
    drawing.text(width / 2, 21, label, size=_LABEL_SIZE, font="code", anchor="middle", whole=rest.text)
    y = _BOX_HEIGHT + 8.0
    drawing.mark(8, y + 9, MOMENT_COLOURS[rest.moment], square=True)
    for line in [rest.when, *textwrap.wrap(rest.reason, _LINE_LENGTH)]:
        drawing.text(20, y + 13, line, size=11, colour=SOFT)
        y += 14
    return drawing
