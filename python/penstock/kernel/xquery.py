"""XQuery's normal form as the engine reads it: the serde form of `crates/engine/src/xquery/ir.rs`.

Both sides have the same nodes with the same fields, so there is nothing to say about any one of them.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any

from penstock.kernel.expressions import encode_test
from penstock.plan import normal as xpath


def encode_query(node: Any) -> Any:
    """Plain dictionaries, lists, strings and booleans, ready for JSON.

    >>> from penstock.plan.xquery import normal
    >>> encode_query(normal.UnlessBarren(normal.Variable("x")))
    {'op': 'unless-barren', 'constructor': {'op': 'variable', 'name': 'x'}}
    """
    if isinstance(node, tuple):
        return [encode_query(one) for one in node]
    if isinstance(node, xpath.NameTest | xpath.KindTest):
        return encode_test(node)
    if dataclasses.is_dataclass(node):
        fields = {field.name: encode_query(getattr(node, field.name)) for field in dataclasses.fields(node)}
        return {"op": _operation(type(node).__name__), **fields}
    return node


@functools.cache
def _operation(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
