"""One delivery as a line of output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.parsers import expat

from penstock.cli import colour

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock import Delivery


def string_value(delivery: Delivery) -> str:
    """The XPath string value of what was delivered.

    Comments and processing instructions give their XML form, as they are delivered; for an element or a document it
    is the text inside.
    """
    if delivery.kind not in ("element", "document"):
        return delivery.fragment
    texts: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = texts.append
    parser.Parse(delivery.fragment, True)
    return "".join(texts)


def as_lines(*, text: bool, coloured: bool, with_name: bool) -> Callable[[str, Delivery], str]:
    """Fragments or string values, each after its file's name if `with_name`."""

    def render(name: str, delivery: Delivery) -> str:
        shown = string_value(delivery) if text else delivery.fragment
        if coloured and not text and delivery.kind in ("element", "document"):
            shown = colour.xml(shown)
        return prefix(name, coloured=coloured) + shown if with_name else shown

    return render


def as_json(*, text: bool) -> Callable[[str, Delivery], str]:
    """JSON objects: file, sequence, kind, and the fragment or its text."""

    def render(name: str, delivery: Delivery) -> str:
        content = {"text": string_value(delivery)} if text else {"fragment": delivery.fragment}
        row = {"file": name, "sequence": delivery.sequence, "kind": delivery.kind, **content}
        return json.dumps(row, ensure_ascii=False)

    return render


def prefix(name: str, *, coloured: bool) -> str:
    """The file's name before a result, as grep writes it."""
    return f"{colour.file_name(name) if coloured else name}:"
