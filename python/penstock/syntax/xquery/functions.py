"""The functions of XQuery: how many arguments each takes. What they do is for the engine to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.syntax.functions import UNSUPPORTED_FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA_NAMESPACE = "http://www.w3.org/2001/XMLSchema"
# Other types are beyond the subset.
TYPES = frozenset(("string", "boolean", "integer", "decimal", "double", "untypedAtomic"))
STREAM_FUNCTIONS = frozenset(("stream", "docType", "doc", "document", "collection"))


@dataclass(frozen=True, slots=True)
class Arity:
    """The least and the greatest number of arguments; without the last a `takes_context` function takes `.`."""

    least: int
    most: int | None
    takes_context: bool = False

    def accepts(self, count: int) -> bool:
        """Whether the function can be called with so many arguments."""
        return count >= self.least and (self.most is None or count <= self.most)

    @property
    def text(self) -> str:
        """In words."""
        if self.most is None:
            return f"{self.least} arguments or more"
        if self.least == self.most:
            return {0: "no arguments", 1: "1 argument"}.get(self.least, f"{self.least} arguments")
        return f"{self.least} {'or' if self.most == self.least + 1 else 'to'} {self.most} arguments"


_FIXED = {
    0: "last position true false",
    1: """count boolean not floor ceiling abs lower-case upper-case exists empty distinct-values exactly-one
        zero-or-one one-or-more reverse head tail codepoints-to-string string-to-codepoints unordered
        innermost outermost""",
    2: "starts-with ends-with contains substring-before substring-after index-of deep-equal compare remove",
    3: "translate insert-before",
}
FUNCTIONS: Mapping[str, Arity] = {
    **{name: Arity(count, count) for count, names in _FIXED.items() for name in names.split()},
    **{
        name: Arity(0, 1, takes_context=True)
        for name in "local-name namespace-uri name string string-length normalize-space number data root".split()
    },
    **{name: Arity(1, 1) for name in "avg min max".split()},
    "sum": Arity(1, 2),
    "id": Arity(1, 1),
    "lang": Arity(1, 2),
    "concat": Arity(2, None),
    "substring": Arity(2, 3),
    "matches": Arity(2, 3),
    "replace": Arity(3, 4),
    "tokenize": Arity(1, 3),
    "string-join": Arity(1, 2),
    "subsequence": Arity(2, 3),
    "round": Arity(1, 2),
    "round-half-to-even": Arity(1, 2),
}
UNSUPPORTED = (UNSUPPORTED_FUNCTIONS | STREAM_FUNCTIONS) - FUNCTIONS.keys()
