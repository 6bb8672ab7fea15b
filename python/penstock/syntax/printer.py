"""Syntax trees as text, with the usual abbreviations. Parsing the text gives the same tree again."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import TypeAlias

from penstock.syntax import ast
from penstock.syntax.operators import BINARY, NEGATE, UNION


class _Level(IntEnum):
    """What a place accepts without parentheses; between SINGLE and PRIMARY are the operators' precedences."""

    # A lone "/" needs a bracket or the end after it: what follows would be read as its first step.
    ENCLOSED = -1
    SINGLE = 0
    PATH = 9
    PRIMARY = 10


# A printed query in order: text, and expressions with the level that their place asks of them.
_Pieces: TypeAlias = list[str | tuple[ast.Expr, int]]


def to_text(expr: ast.Expr) -> str:
    """The query that a syntax tree stands for.

    >>> from penstock.syntax.xpath import parse
    >>> to_text(parse("(a or (b)) and parent::node()/attribute::id = 'x'"))
    "(a or b) and ../@id = 'x'"
    """
    printed: list[str] = []
    # A stack instead of recursion: trees may be as deep as the limit on queries lets them.
    waiting: _Pieces = [(expr, _Level.ENCLOSED)]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            printed.append(piece)
        else:
            waiting.extend(reversed(_in_place(*piece)))
    return "".join(printed)


def _in_place(expr: ast.Expr, least: int) -> _Pieces:
    """`expr`, in parentheses if it binds less tightly than its place asks."""
    level, pieces = _level_and_pieces(expr)
    return pieces if level >= least else ["(", *pieces, ")"]


def _level_and_pieces(expr: ast.Expr) -> tuple[int, _Pieces]:
    match expr:
        case ast.Number():
            return _Level.PRIMARY, [number_text(expr.value)]
        case ast.String():
            return _Level.PRIMARY, [string_text(expr.value)]
        case ast.Variable():
            return _Level.PRIMARY, [f"${expr.name}"]
        case ast.Call():
            return _Level.PRIMARY, [f"{expr.name}(", *_joined(expr.args, ", ", _Level.ENCLOSED), ")"]
        case ast.Root():
            return _Level.ENCLOSED, ["/"]
        case ast.Path():
            return _Level.PATH, _path_pieces(expr)
        case ast.Filter():
            return _Level.PATH, [(expr.base, _Level.PRIMARY), *_predicate_pieces(expr.predicates)]
        case ast.If() | ast.Quantified():
            return _Level.SINGLE, _keyword_pieces(expr)
        case ast.Negate():
            return NEGATE.precedence, ["-", (expr.arg, NEGATE.precedence)]
        case ast.Or() | ast.And() | ast.Union():
            symbol = {ast.Or: "or", ast.And: "and", ast.Union: UNION.symbol}[type(expr)]
            level = BINARY[symbol].precedence
            return level, _joined(expr.args, f" {symbol} ", level + 1)
        case ast.Compare() | ast.Arithmetic():
            level = BINARY[expr.operator].precedence
            return level, [(expr.left, level), f" {expr.operator} ", (expr.right, level + 1)]
        case _:
            raise TypeError(f"no expression of XPath: {type(expr).__name__}")


def _joined(args: tuple[ast.Expr, ...], separator: str, least: int) -> _Pieces:
    pieces: _Pieces = []
    for arg in args:
        pieces += [separator, (arg, least)] if pieces else [(arg, least)]
    return pieces


def _keyword_pieces(expr: ast.If | ast.Quantified) -> _Pieces:
    if isinstance(expr, ast.If):
        condition, then, otherwise = (expr.condition, _Level.ENCLOSED), (expr.then, _Level.SINGLE), expr.otherwise
        return ["if (", condition, ") then ", then, " else ", (otherwise, _Level.SINGLE)]
    opening = f"{'every' if expr.every else 'some'} ${expr.variable} in "
    return [opening, (expr.domain, _Level.SINGLE), " satisfies ", (expr.satisfies, _Level.SINGLE)]


def _path_pieces(path: ast.Path) -> _Pieces:
    pieces: _Pieces = []
    separator = ""
    if path.start is not None:
        separator = "/"
        if not isinstance(path.start, ast.Root):
            # A filter may start a path as it is, another path may not.
            pieces.append((path.start, _Level.PATH if isinstance(path.start, ast.Filter) else _Level.PRIMARY))
    last = len(path.steps) - 1
    for index, step in enumerate(path.steps):
        if separator == "/" and index < last and _is_any_node(step, "descendant-or-self"):
            separator = "//"
        else:
            pieces += [separator, *_step_pieces(step)]
            separator = "/"
    return pieces


def _is_any_node(step: ast.Step, axis: ast.Axis) -> bool:
    test = step.test
    return step.axis == axis and isinstance(test, ast.KindTest) and test.kind == "node" and not step.predicates


def _step_pieces(step: ast.Step) -> _Pieces:
    if _is_any_node(step, "self"):
        return ["."]
    if _is_any_node(step, "parent"):
        return [".."]
    axis = {"child": "", "attribute": "@"}.get(step.axis, f"{step.axis}::")
    return [axis + test_text(step.test), *_predicate_pieces(step.predicates)]


def test_text(test: ast.NameTest | ast.KindTest) -> str:
    """A node test, or a name."""
    if isinstance(test, ast.KindTest):
        return f"{test.kind}({'' if test.target is None else string_text(test.target)})"
    if test.uri is not None:
        return f"Q{{{test.uri}}}{test.local}"
    return test.local if test.prefix is None else f"{test.prefix}:{test.local}"


def _predicate_pieces(predicates: tuple[ast.Expr, ...]) -> _Pieces:
    pieces: _Pieces = []
    for predicate in predicates:
        pieces += ["[", (predicate, _Level.ENCLOSED), "]"]
    return pieces


def number_text(value: float) -> str:
    """A number literal; one too large for a double reads back as infinite."""
    if math.isinf(value):
        return "1e999"
    return repr(int(value)) if value.is_integer() and value < 1e15 else repr(value)


def string_text(value: str) -> str:
    """A string literal, in the quotes that need the least doubling."""
    quote = '"' if "'" in value and '"' not in value else "'"
    return f"{quote}{value.replace(quote, quote * 2)}{quote}"
