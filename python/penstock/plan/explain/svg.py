"""The few shapes the picture needs, as SVG text, and the measures of its fonts."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from penstock.plan.explain.labels import one_line

Font: TypeAlias = Literal["code", "prose"]

_FAMILIES: dict[Font, str] = {
    "code": "monospace",
    "prose": "sans-serif",
}
# Width of a character as a part of the font size, rather too wide than too narrow: there is no font to ask.
_WIDTHS: dict[Font, float] = {"code": 0.62, "prose": 0.58}
_ARROW_HEAD = (
    '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L10 5 L0 10 z" fill="#52606d"/></marker></defs>'
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def width_of(text: str, size: float, font: Font) -> float:
    """About how wide a line of text is."""
    return len(text) * size * _WIDTHS[font]


def escaped(text: str) -> str:
    """Text as XML content; what XML cannot contain is replaced."""
    return html.escape(_NOT_XML.sub("\ufffd", text))


def clipped(text: str, length: int) -> str:
    """The text on one line, at most so long."""
    line = one_line(text)
    return line if len(line) <= length else line[: length - 1] + "\u2026"


@dataclass
class Drawing:
    """Shapes in the order in which they are painted, and how much room they take."""

    shapes: list[str] = field(default_factory=list)
    width: float = 0
    height: float = 0

    def text(
        self, x: float, y: float, text: str, *, size: float = 12, font: Font = "prose", colour: str = "#1f2933",
        bold: bool = False, anchor: Literal["start", "middle"] = "start", whole: str = "",
    ) -> None:  # fmt: skip
        """`whole` is shown when the pointer rests on a text that was clipped."""
        weight = ' font-weight="600"' if bold else ""
        middle = ' text-anchor="middle"' if anchor == "middle" else ""
        tip = f"<title>{escaped(whole)}</title>" if whole and whole != text else ""
        self.shapes.append(
            f'<text x="{x:g}" y="{y:g}" class="{font}" font-size="{size:g}" fill="{colour}"{weight}{middle}>'
            f"{tip}{escaped(text)}</text>"
        )
        half = 0.5 if anchor == "middle" else 1
        self._reach(x + half * width_of(text, size, font), y + size / 2)

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str, stroke: str, radius: float = 8,
        dashed: bool = False, thick: float = 1.2,
    ) -> None:  # fmt: skip
        dash = ' stroke-dasharray="5 3"' if dashed else ""
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="{thick:g}"{dash}/>'
        )
        self._reach(x + width, y + height)

    def line(self, x1: float, y1: float, x2: float, y2: float, *, stroke: str, arrow: bool = False) -> None:
        head = ' marker-end="url(#arrow)"' if arrow else ""
        self.shapes.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" stroke-width="1.3"{head}/>'
        )
        self._reach(x2, y2)

    def mark(self, x: float, y: float, colour: str, *, square: bool = False) -> None:
        """A small sign around the point: round, or square."""
        if square:
            self.shapes.append(f'<rect x="{x - 4.5:g}" y="{y - 4.5:g}" width="9" height="9" rx="1.5" fill="{colour}"/>')
        else:
            self.shapes.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{colour}"/>')
        self._reach(x + 5, y + 5)

    def place(self, other: Drawing, x: float, y: float) -> None:
        """Puts a drawing into this one."""
        self.shapes.append(f'<g transform="translate({x:g} {y:g})">')
        self.shapes.extend(other.shapes)
        self.shapes.append("</g>")
        self._reach(x + other.width, y + other.height)

    def _reach(self, x: float, y: float) -> None:
        self.width = max(self.width, x)
        self.height = max(self.height, y)

    def document(self, background: str) -> str:
        """The drawing as an SVG file of its own."""
        width, height = round(self.width), round(self.height)
        size = f'width="{width}" height="{height}"'
        styles = " ".join(f".{name} {{ font-family: {family}; }}" for name, family in _FAMILIES.items())
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">',
            f"<style>{styles} text {{ white-space: pre; }}</style>",
            _ARROW_HEAD,
            f'<rect {size} fill="{background}"/>',
        ]
        return "\n".join([*head, *self.shapes, "</svg>"]) + "\n"
