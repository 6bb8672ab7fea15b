"""The few words that generated documents and queries are made of: few, so that they match often."""

from __future__ import annotations

NAMESPACES = {"p": "urn:p", "q": "urn:q"}

ELEMENTS = ("a", "a", "a", "b", "b", "c", "d")
PREFIXED_ELEMENTS = ("p:a", "p:b", "q:a")
ATTRIBUTES = ("x", "x", "y", "z")
PREFIXED_ATTRIBUTES = ("p:x", "q:y")
TARGETS = ("t", "u")
WORDS = ("1", "2", "3", "10", "-1", "2.5", "x", "foo", "foo bar", "bar", "", " 2 ", "é", "NaN", "a<b")
SPACE = ("\n", " ", "\n  ")
