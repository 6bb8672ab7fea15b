"""Errors for calls of what the standard has and we have not, the same in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import UnsupportedError

if TYPE_CHECKING:
    from penstock.syntax import ast


def unsupported_function(construct: str, tree: ast.Call, query: str | None) -> UnsupportedError:
    """A function that exists elsewhere."""
    message = f"{construct} is not supported"
    return UnsupportedError("PNST0004", message, construct=construct, query=query, span=tree.name_span)


def collation(tree: ast.Call, query: str | None) -> UnsupportedError:
    """A last argument that names a collation."""
    message, place = f"a collation of {tree.name}() is not supported", tree.args[-1].span
    return UnsupportedError("PNST0003", message, construct="a collation", query=query, span=place)
