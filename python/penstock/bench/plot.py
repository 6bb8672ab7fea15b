"""Bar charts as SVG, without a plotting library: one panel per data set, one group of bars per query, log scale."""

from __future__ import annotations

import math
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLOURS = {
    "whole": "#1f5fa8",
    "chunks": "#6fa8dc",
    "stream": "#6fa8dc",
    "lxml": "#d98b2b",
    "saxon": "#8a8a8a",
    "embedded": "#1f5fa8",
    "local[1]": "#6fa8dc",
    "local[2]": "#3d85c6",
    "xpath_boolean": "#d98b2b",
}
_LABELS = {
    "whole": "penstock",
    "chunks": "penstock, 64 KB chunks",
    "stream": "penstock, from disk",
    "lxml": "lxml",
    "saxon": "Saxon",
    "embedded": "penstock, embedded",
    "local[1]": "penstock, Spark local[1]",
    "local[2]": "Spark local[2]",
    "xpath_boolean": "Spark's xpath_boolean",
}
_LEFT, _RIGHT, _BAR, _GAP, _HEAD = 250, 60, 11, 12, 62
_PLOT = 520
_WIDTH = _LEFT + _PLOT + _RIGHT
_TICKS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


def svg(report: dict[str, Any]) -> str:
    """The report's speeds, in multiples of expat's, as one picture."""
    panels = []
    top = 10.0
    for dataset, group in groupby(report["rows"], key=lambda row: row["dataset"]):
        rows = list(group)
        panel, height = _panel(dataset, rows, top)
        panels.append(panel)
        top += height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top:.0f}" width="{_WIDTH}" height="{top:.0f}" '
        f'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n'
        f"{''.join(panels)}</svg>\n"
    )


def _panel(dataset: str, rows: list[dict[str, Any]], top: float) -> tuple[str, float]:
    names = [name for name in _COLOURS if any(name in row["speed"] for row in rows)]
    speeds = [speed for row in rows for speed in row["speed"].values()]
    scale = _Scale(min(speeds), max(speeds))
    group_height = _BAR * len(names) + _GAP
    bottom = top + _HEAD + group_height * len(rows)
    parts = [label(10, top + 16, f"{dataset}: speed in multiples of expat's (log scale)", size=14, weight="bold")]
    parts += _legend(names, top + 34)
    parts += scale.grid(top + _HEAD - 4, bottom)
    for index, row in enumerate(rows):
        y = top + _HEAD + group_height * index
        parts.append(label(_LEFT - 8, y + _BAR * len(names) / 2 + 4, row["kind"], anchor="end", title=row["query"]))
        parts += _bars(row, names, scale, y)
    return "".join(parts), bottom - top + 30


def _bars(row: dict[str, Any], names: list[str], scale: _Scale, y: float) -> Iterator[str]:
    for place, name in enumerate(names):
        if name not in row["speed"]:
            continue
        speed = row["speed"][name]
        width = scale.x(speed) - _LEFT
        at = y + place * _BAR
        yield f'<rect x="{_LEFT}" y="{at:.1f}" width="{width:.1f}" height="{_BAR - 1}" fill="{_COLOURS[name]}"/>\n'
        yield label(_LEFT + width + 4, at + _BAR - 2.5, f"{speed:.2g}" if speed < 10 else f"{speed:.0f}", size=9)


def _legend(names: list[str], y: float) -> Iterator[str]:
    x = float(_LEFT)
    for name in names:
        yield f'<rect x="{x:.0f}" y="{y - 8:.0f}" width="10" height="10" fill="{_COLOURS[name]}"/>\n'
        yield label(x + 14, y + 1, _LABELS[name])
        x += 30 + 6.5 * len(_LABELS[name])


class _Scale:
    """Positions on a logarithmic axis from a tick below the least value to one above the greatest."""

    def __init__(self, least: float, greatest: float) -> None:
        self.low = max((tick for tick in _TICKS if tick < least), default=_TICKS[0])
        self.high = min((tick for tick in _TICKS if tick > greatest), default=_TICKS[-1])

    def x(self, value: float) -> float:
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return _LEFT + min(share, 1.0) * _PLOT

    def grid(self, top: float, bottom: float) -> Iterator[str]:
        for tick in _TICKS:
            if self.low <= tick <= self.high:
                x = self.x(tick)
                # The line at 1 is expat itself.
                colour, width = ("#c03030", 1.5) if tick == 1 else ("#dddddd", 1)
                place = f'x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}"'
                yield f'<line {place} stroke="{colour}" stroke-width="{width}"/>\n'
                yield label(x, bottom + 12, f"{tick:g}", anchor="middle", size=10)


def label(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, weight: str = "normal", title: str = ""
) -> str:
    """A line of text at a place, with a hint for the mouse."""
    hint = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
        f'fill="#222222">'
        f"{hint}{escape(text)}</text>\n"
    )
