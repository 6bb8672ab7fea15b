"""An explanation as a picture: every query's machine, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.plan.explain.moments import Moment
from penstock.plan.explain.panel import (
    DOCUMENT_FILL,
    EVALUATOR_FILL,
    LINE,
    MOMENT_COLOURS,
    RESULT_FILL,
    SOFT,
    STEP_FILL,
    VERDICT_COLOURS,
    panel,
)
from penstock.plan.explain.summary import summary
from penstock.plan.explain.svg import Drawing, width_of
from penstock.plan.explain.view import QueryView

_BACKGROUND = "#f7f8fa"
_MARGIN = 20
_PADDING = 18
_MOMENTS: dict[Moment, str] = {
    "start": "at the start tag",
    "end": "at the element's end",
    "parent": "at the parent's end",
    "ancestor": "at an ancestor's end",
    "document": "at the document's end",
}


def as_svg(views: Sequence[QueryView]) -> str:
    """An SVG file that needs nothing else."""
    drawing = Drawing()
    y: float = _MARGIN
    if len(views) != 1:
        drawing.text(_MARGIN, y + 14, summary(views), size=14, bold=True)
        y += 34
    panels = [panel(view) for view in views]
    legend = _legend()
    width = max([legend.width, *(one.width + 2 * _PADDING for one in panels)])
    for one in panels:
        drawing.box(_MARGIN, y, width, one.height + 2 * _PADDING, fill="#ffffff", stroke="#d5dae1", radius=10)
        drawing.place(one, _MARGIN + _PADDING, y + _PADDING)
        y += one.height + 2 * _PADDING + 16
    drawing.place(legend, _MARGIN, y)
    drawing.width += _MARGIN
    drawing.height += _MARGIN
    return drawing.document(_BACKGROUND)


def _legend() -> Drawing:
    drawing = Drawing()
    x = 0.0
    title = "a condition is decided at the latest"
    drawing.text(x, 12, title, size=11, colour=SOFT, bold=True)
    x += width_of(title, 11, "prose") + 12
    for moment, words in _MOMENTS.items():
        drawing.mark(x + 5, 8, MOMENT_COLOURS[moment])
        drawing.text(x + 15, 12, words, size=11, colour=SOFT)
        x += width_of(words, 11, "prose") + 30
    drawing.mark(5, 30, SOFT)
    drawing.text(15, 34, "by the machine", size=11, colour=SOFT)
    drawing.mark(125, 30, SOFT, square=True)
    drawing.text(135, 34, "by the evaluator, on what is kept", size=11, colour=SOFT)
    boxes = (
        ("the document", DOCUMENT_FILL, LINE, False),
        ("a step", STEP_FILL, LINE, False),
        ("the result", RESULT_FILL, VERDICT_COLOURS["streams"], False),
        ("evaluated", EVALUATOR_FILL, SOFT, True),
    )
    x = 370.0
    for words, fill, stroke, dashed in boxes:
        drawing.box(x, 23, 22, 14, fill=fill, stroke=stroke, radius=4, dashed=dashed)
        drawing.text(x + 28, 34, words, size=11, colour=SOFT)
        x += width_of(words, 11, "prose") + 46
    return drawing
