"""Whether results are what a conformance suite expects."""

from __future__ import annotations

import functools
import math
import xml.etree.ElementTree as ET
from typing import Any


def meets(expected: dict[str, Any], results: list[str]) -> bool:
    """Elements as canonical XML, numbers as numbers, all else letter by letter; in order unless the suite says so."""
    if expected["kind"] == "atomic":
        return len(results) == 1 and _same(expected["type"], expected["value"], results[0])
    items, kinds = expected["items"], expected["node_kinds"]
    if len(items) != len(results):
        return False
    if not expected.get("unordered"):
        return all(map(_same, kinds, items, results))
    left = list(results)
    for kind, item in zip(kinds, items, strict=True):
        found = next((result for result in left if _same(kind, item, result)), None)
        if found is None:
            return False
        left.remove(found)
    return True


@functools.cache
def canonical(xml: str) -> str:
    """Canonical XML with prefixes renamed, so that only the names that prefixes stand for count."""
    try:
        return ET.canonicalize(xml, with_comments=True, rewrite_prefixes=True)
    except ET.ParseError:
        # A constructed document may have several elements, or none.
        return ET.canonicalize(f"<document>{xml}</document>", with_comments=True, rewrite_prefixes=True)


def _same(kind: str, expected: str, result: str) -> bool:
    if kind in ("element", "document"):
        return expected == result or canonical(expected) == canonical(result)
    if kind == "number":
        return _same_number(_number(expected), _number(result))
    if kind == "pi":
        return expected.split() == result.split()
    return expected == result


def _number(text: str) -> float:
    return float(text.replace("INF", "inf").replace("Infinity", "inf"))


def _same_number(left: float, right: float) -> bool:
    return (math.isnan(left) and math.isnan(right)) or math.isclose(left, right, rel_tol=1e-9)
