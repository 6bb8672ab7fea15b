"""The stream that a query names: `stream("news")//item` is about the documents of that stream, and no others."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from penstock.errors import QueryError, UnsupportedError
from penstock.syntax import ast
from penstock.syntax.xquery import ast as xq
from penstock.syntax.xquery.functions import STREAM_FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.span import Span

Tree = TypeVar("Tree")

# A collection is many documents at once.
_NAMES = STREAM_FUNCTIONS - {"collection"}
_MENTIONED = re.compile(rf"\b(?:{'|'.join(sorted(_NAMES))})\b")


def named_stream(tree: Tree, query: str) -> tuple[Tree, str | None]:
    """The tree with '/' in place of the stream, and the stream's name; None if the query names no stream.

    One document is looked at at a time: a query of several streams is refused, and so is one that names a stream
    where it would not be the query's only source.
    """
    # Few queries do, and their texts are faster looked through than their trees.
    if not any(map(query.__contains__, _NAMES)) or not _MENTIONED.search(query):
        return tree, None
    places = [*_places(tree)]
    calls = [(one.node, one.within) for one in places if isinstance(one.node, ast.Call)]
    if not calls:
        return tree, None
    (call, within), *more = calls
    if more:
        raise _unsupported("a join of streams", query, more[0][0].span)
    if within is not None:
        raise _unsupported(f"a stream in a {within}", query, call.span)
    for one in places:
        if one.node is not call and one.within != _FOCUSED:
            raise _unsupported("a path of no stream beside one of a stream", query, one.node.span)
    if len(call.args) != 1 or not isinstance(call.args[0], ast.String):
        raise _unsupported("a stream whose name is not a string", query, call.span)
    try:
        return _replaced(tree, call), call.args[0].value
    except RecursionError:
        # Only where the limit on nesting was set high, or the caller has used up the stack before.
        raise QueryError("PNST0002", "the query is nested too deeply", query=query, span=call.span) from None


class _Place(NamedTuple):
    """What a query starts from: a stream, or the document; `within` is what keeps a stream from being there."""

    node: Any
    within: str | None


_FOCUSED = "predicate or step"


def _places(tree: Any) -> Iterator[_Place]:
    """All of them in the order of the text. Within predicates and steps, paths start from what these are about."""
    waiting: list[_Place] = [_Place(tree, None)]
    while waiting:
        node, within = waiting.pop()
        match node:
            case ast.Call() if node.name in _NAMES:
                yield _Place(node, within)
            case ast.Root() | xq.ContextItem() | ast.Path(start=None):
                yield _Place(node, within)
        waiting += reversed([_Place(inner, _within(node, name, within)) for name, inner in _parts(node)])


def _parts(node: Any) -> list[tuple[str, Any]]:
    if type(node) is tuple:
        return [("", one) for one in node]
    if dataclasses.is_dataclass(node):
        return [(field.name, getattr(node, field.name)) for field in dataclasses.fields(node)]
    return []


def _within(node: Any, part: str, outside: str | None) -> str | None:
    if outside == _FOCUSED:
        return outside
    match node, part:
        case (ast.Step() | ast.Filter(), "predicates") | (xq.ExpressionStep(), "step"):
            return _FOCUSED
        case xq.Binary(operator="!"), "right":
            return _FOCUSED
        case xq.Let(), "value":
            return "'let'"
        case _:
            return outside


def _replaced(node: Any, call: ast.Call) -> Any:
    """The tree with '/' for the call; only what is around the call is made anew."""
    if node is call:
        return ast.Root(span=call.span)
    if type(node) is tuple:
        return tuple([_replaced(one, call) for one in node])
    if not dataclasses.is_dataclass(node) or isinstance(node, type) or not _is_around(node, call):
        return node
    return dataclasses.replace(node, **{name: _replaced(inner, call) for name, inner in _parts(node)})


def _is_around(node: Any, call: ast.Call) -> bool:
    return bool(node.span.start <= call.span.start and call.span.end <= node.span.end)


def _unsupported(construct: str, query: str, span: Span) -> UnsupportedError:
    return UnsupportedError("PNST0003", f"{construct} is not supported", construct=construct, query=query, span=span)
