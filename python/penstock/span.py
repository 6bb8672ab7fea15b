"""Where something stands in a query's text."""

from __future__ import annotations

from typing import NamedTuple

# An error message shows at most this much of a line: a query may be one line of 64 KiB.
SHOWN_WIDTH = 100


class Span(NamedTuple):
    """A range of characters, from `start` up to but not including `end`, counted from 0."""

    start: int
    end: int


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a character, both counted from 1.

    >>> line_and_column("//a[\\n  @id ='x']", 7)
    (2, 3)
    """
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def caret_lines(text: str, span: Span) -> tuple[str, str]:
    """The line on which the span starts, and a line of carets below it; long lines are cut around the span.

    >>> print(*caret_lines("//a[@id == 2]", Span(9, 10)), sep="\\n")
    //a[@id == 2]
             ^
    """
    begin = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.start)
    line = text[begin : len(text) if end < 0 else end].rstrip("\r")
    column = min(span.start - begin, len(line))
    width = max(1, min(span.end - span.start, len(line) - column))
    lead, trail = "", ""
    if column > SHOWN_WIDTH * 3 // 4:
        cut = column - SHOWN_WIDTH // 2
        line, column, lead = line[cut:], column - cut, "..."
    if len(line) > SHOWN_WIDTH:
        line, trail = line[:SHOWN_WIDTH], "..."
        width = max(1, min(width, SHOWN_WIDTH - column))
    # Tabs stay tabs, so that the caret stands below its character whatever a tab's width.
    padding = "".join("\t" if character == "\t" else " " for character in lead + line[:column])
    return f"{lead}{line}{trail}", padding + "^" * width
