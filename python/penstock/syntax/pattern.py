"""Checks regular expressions as XML Schema and XPath define them, before an engine sees them.

The grammar is that of XML Schema part 2, appendix F, with what XPath's functions add: `^`, `$`, `\\$`, reluctant
quantifiers and `(?:...)`. Back-references, which XPath also adds, are refused: matching them is not linear.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.errors import QueryError, UnsupportedError

if TYPE_CHECKING:
    from penstock.span import Span

_SINGLE_ESCAPES = frozenset("nrt\\|.?*+(){}-[]^$")
_CLASS_ESCAPES = frozenset("sSiIcCdDwW")
_CATEGORY_NAMES = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm Sc Sk So C Cc Cf Co Cn"
_CATEGORIES = frozenset(_CATEGORY_NAMES.split())
_PROPERTY = re.compile(r"\{(?:(?P<category>[A-Z][a-z]?)|Is[a-zA-Z0-9-]+)\}")
_QUANTITY = re.compile(r"\{([0-9]+)(?:,([0-9]+)?)?\}")
# XPath lets an implementation limit quantities; a counted repetition costs memory for each count.
MAX_QUANTITY = 1_000
MAX_GROUPS_WITHIN = 50


def check_flags(flags: str, query: str | None, span: Span) -> None:
    """Raise FORX0001 unless all flags are known."""
    for flag in flags:
        if flag not in "smixq":
            raise QueryError("FORX0001", f"there is no regular expression flag '{flag}'", query=query, span=span)


def check_pattern(pattern: str, query: str | None, span: Span, *, ignore_space: bool = False) -> None:
    """Raise FORX0002 unless the pattern is valid, PNST0005 if it has a back-reference.

    `ignore_space` is the flag x. Errors point at the whole literal, since escapes move places within it.
    """
    _Pattern(without_space(pattern) if ignore_space else pattern, query, span).check()


def without_space(pattern: str) -> str:
    """The pattern as the flag x reads it: white space is removed, but not within character classes.

    >>> without_space(r"a b [ ] \\[ c")
    'ab[ ]\\\\[c'
    """
    kept: list[str] = []
    classes = 0
    for character in pattern:
        escaped = bool(kept) and kept[-1] == "\\" and not _ends_escape(kept)
        if not classes and character in " \t\r\n":
            continue
        if not escaped:
            classes = max(0, classes + (character == "[") - (character == "]"))
        kept.append(character)
    return "".join(kept)


def _ends_escape(kept: list[str]) -> bool:
    """Whether the backslash at the end is itself escaped."""
    backslashes = 0
    while backslashes < len(kept) and kept[-1 - backslashes] == "\\":
        backslashes += 1
    return backslashes % 2 == 0


class _Pattern:
    def __init__(self, pattern: str, query: str | None, span: Span) -> None:
        self.pattern = pattern
        self.query = query
        self.span = span
        self.at = 0

    def check(self) -> None:
        self.branches(0)
        if self.at < len(self.pattern):
            raise self.error("')' closes nothing")

    def here(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def branches(self, depth: int) -> None:
        """Pieces and `|`, up to a closing parenthesis or the end."""
        if depth > MAX_GROUPS_WITHIN:
            raise self.error(f"groups are nested more than {MAX_GROUPS_WITHIN} deep")
        while (character := self.here()) not in ("", ")"):
            self.at += 1
            if character in "|^$":
                continue
            self.atom(character, depth)
            self.quantifier()

    def atom(self, character: str, depth: int) -> None:
        match character:
            case "(":
                self.group(depth)
            case "[":
                self.character_class(depth)
            case "\\":
                self.escape()
            case "?" | "*" | "+" | "{":
                raise self.error(f"'{character}' repeats nothing")
            case "]" | "}":
                raise self.error(f"'{character}' has to be escaped")

    def group(self, depth: int) -> None:
        if self.here() == "?":
            if not self.pattern.startswith("?:", self.at):
                raise self.error("'(?' may only start '(?:'")
            self.at += 2
        self.branches(depth + 1)
        if self.here() != ")":
            raise self.error("'(' is not closed")
        self.at += 1

    def quantifier(self) -> None:
        character = self.here()
        if character == "{":
            quantity = _QUANTITY.match(self.pattern, self.at)
            if quantity is None:
                raise self.error("'{' does not start a quantity")
            low, high = quantity[1], quantity[2] or quantity[1]
            # The number of digits first: int() of a very long text is slow, or refused.
            if max(len(low), len(high)) > 6 or max(int(low), int(high)) > MAX_QUANTITY:
                raise self.error(f"a quantity is more than {MAX_QUANTITY}")
            if int(low) > int(high):
                raise self.error("a quantity's minimum is more than its maximum")
            self.at = quantity.end()
        elif character and character in "?*+":
            self.at += 1
        else:
            return
        if self.here() == "?":
            self.at += 1

    def escape(self, *, in_class: bool = False) -> str | None:
        """What follows a backslash; the character if it stands for one, None if for a class."""
        character = self.here()
        self.at += 1
        if character in ("p", "P"):
            found = _PROPERTY.match(self.pattern, self.at)
            if found is None or (found["category"] and found["category"] not in _CATEGORIES):
                raise self.error(f"'\\{character}' is not followed by a known property in braces")
            self.at = found.end()
            return None
        if character in _CLASS_ESCAPES:
            return None
        if character in _SINGLE_ESCAPES:
            return {"n": "\n", "r": "\r", "t": "\t"}.get(character, character)
        if character and character in "123456789" and not in_class:
            raise UnsupportedError(
                "PNST0005",
                f"the back-reference '\\{character}' is not supported",
                construct="a back-reference in a regular expression",
                query=self.query,
                span=self.span,
            )
        raise self.error(f"there is no escape '\\{character}'" if character else "a backslash ends the pattern")

    def character_class(self, depth: int) -> None:
        """What follows `[`: characters, ranges, escapes, and a class to subtract at the end."""
        if depth > MAX_GROUPS_WITHIN:
            raise self.error(f"classes are nested more than {MAX_GROUPS_WITHIN} deep")
        if self.here() == "^":
            self.at += 1
        first = True
        while (character := self.here()) != "]" or first:
            if not character:
                raise self.error("'[' is not closed")
            self.at += 1
            if character == "-" and self.here() == "[" and not first:
                self.at += 1
                self.character_class(depth + 1)
                if self.here() != "]":
                    raise self.error("a subtracted class has to come last")
                break
            low = self.class_character(character)
            if self.here() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("[", "]", ""):
                self.range(low)
            first = False
        self.at += 1

    def class_character(self, character: str) -> str | None:
        if character == "\\":
            return self.escape(in_class=True)
        if character in "[]":
            raise self.error(f"'{character}' has to be escaped in a character class")
        return character

    def range(self, low: str | None) -> None:
        self.at += 1
        character = self.here()
        self.at += 1
        high = self.class_character(character)
        if low is None or high is None:
            raise self.error("a range runs between two characters")
        if low > high:
            raise self.error(f"the range '{low}-{high}' runs backwards")

    def error(self, reason: str) -> QueryError:
        message = f"the regular expression is not valid: {reason}"
        return QueryError("FORX0002", message, query=self.query, span=self.span)
