"""Line charts as SVG, without a plotting library: logarithmic or linear axes, one line a series."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.bench.plot import label

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLOURS = ("#1f5fa8", "#d98b2b", "#3b8f4b", "#a83279", "#8a8a8a", "#6fa8dc")
WIDTH, HEIGHT = 420, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 14, 44, 40

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """Series of points under one title; `log_x` for numbers that grow by factors. Values are always logarithmic."""

    title: str
    x_title: str
    series: dict[str, list[Point]]
    log_x: bool = True


def page(charts: list[Chart], *, columns: int = 3) -> str:
    """All charts on one page."""
    width = WIDTH * min(columns, len(charts) or 1)
    height = HEIGHT * math.ceil(len(charts) / columns)
    places = [(WIDTH * (number % columns), HEIGHT * (number // columns)) for number in range(len(charts))]
    body = "".join(
        f'<g transform="translate({x} {y})">\n{"".join(_chart(chart))}</g>\n'
        for chart, (x, y) in zip(charts, places, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n{body}</svg>\n'
    )


def _chart(chart: Chart) -> Iterator[str]:
    points = [point for line in chart.series.values() for point in line]
    across = _Axis([x for x, _ in points], _LEFT, WIDTH - _RIGHT, logarithmic=chart.log_x)
    up = _Axis([y for _, y in points], HEIGHT - _BOTTOM, _TOP, logarithmic=True)
    yield label(10, 16, chart.title, size=13, weight="bold")
    yield label((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 8, chart.x_title, anchor="middle")
    for tick in across.ticks():
        yield label(across.place(tick), HEIGHT - _BOTTOM + 14, f"{tick:,g}", anchor="middle", size=10)
    for tick in up.ticks():
        y = up.place(tick)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#dddddd"/>\n'
        yield label(_LEFT - 6, y + 4, f"{tick:,g}", anchor="end", size=10)
    at = float(_LEFT)
    for (name, line), colour in zip(chart.series.items(), _COLOURS * len(chart.series), strict=False):
        places = " ".join(f"{across.place(x):.1f},{up.place(y):.1f}" for x, y in sorted(line))
        yield f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>\n'
        for x, y in line:
            dot = f'cx="{across.place(x):.1f}" cy="{up.place(y):.1f}" r="3" fill="{colour}"'
            yield f"<circle {dot}><title>{x:,g}: {y:.3g}</title></circle>\n"
        yield f'<rect x="{at:.0f}" y="25" width="10" height="10" fill="{colour}"/>\n'
        yield label(at + 13, 34, name, size=10)
        at += 24 + 6 * len(name)


class _Axis:
    """Positions of values between two ends, rounded outwards to powers of ten where the axis is logarithmic."""

    def __init__(self, values: list[float], start: float, end: float, *, logarithmic: bool) -> None:
        self.start, self.end, self.logarithmic = start, end, logarithmic
        self.values = sorted(set(values))
        low, high = self.values[0], self.values[-1]
        if logarithmic:
            low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        self.low, self.high = low, high if high > low else low + max(abs(low), 1) * 9

    def place(self, value: float) -> float:
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        if not self.logarithmic:
            return self.values
        least, most = round(math.log10(self.low)), math.floor(math.log10(self.high))
        return [10.0**power for power in range(least, most + 1)]
