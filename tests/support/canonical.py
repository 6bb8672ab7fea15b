"""Fragments in canonical form, so that only differences of meaning are seen."""

from __future__ import annotations

import functools

from lxml import etree


@functools.lru_cache(maxsize=4096)
def canonical(kind: str, text: str) -> str:
    """Exclusive C14N of an element; of anything else the text itself.

    Exclusive, because an engine may declare namespaces in scope that the fragment does not use.
    """
    if kind != "element":
        return text
    return etree.tostring(etree.fromstring(text), method="c14n", exclusive=True).decode()
