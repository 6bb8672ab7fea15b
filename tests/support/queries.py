"""Random queries over the words of `vocabulary`: all axes, nested predicates, every function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.vocabulary import ATTRIBUTES, ELEMENTS, TARGETS, WORDS

if TYPE_CHECKING:
    from random import Random

_REVERSE = ("parent", "ancestor", "ancestor-or-self", "preceding-sibling", "preceding")
_FORWARD = ("child", "descendant", "descendant-or-self", "self", "following-sibling", "following", "attribute")
_AXES = ("child",) * 8 + ("descendant",) * 3 + ("attribute",) * 3 + _FORWARD + _REVERSE * 2
_COMPARISONS = ("=", "=", "=", "!=", "<", "<=", ">", ">=")
_NUMBERS = ("0", "1", "1", "2", "2", "3", "10", "-1", "2.5")
_AGGREGATES = ("count", "count", "sum")
_LATER_AGGREGATES = ("avg", "min", "max")


def make_query(
    random: Random, *, extensions: bool = False, namespace_axis: bool = False, absolute: bool = False
) -> str:
    """A query of XPath 1.0; with `extensions` also of what the language takes from later versions.

    With `absolute` no path outside predicates is relative: lxml's context node is not the document.
    """
    return _Query(random, extensions, namespace_axis, absolute).query()


def make_path(random: Random) -> str:
    """A path from the document, with predicates."""
    return _Query(random, extensions=True, namespace_axis=False, absolute=True).path(2, top=True)


class _Query:
    def __init__(self, random: Random, extensions: bool, namespace_axis: bool, absolute: bool) -> None:
        self.random = random
        self.extensions = extensions
        self.axes = (*_AXES, "namespace") if namespace_axis else _AXES
        self.absolute = absolute
        self.predicates = 0
        self.variables: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def query(self) -> str:
        depth = self.random.choice((0, 0, 1, 1, 2, 3))
        chance = self.random.random()
        if chance < 0.62:
            return self.path(depth, top=True)
        if chance < 0.7:
            return " | ".join(self.path(depth, top=True) for _ in range(self.random.choice((2, 2, 3))))
        if chance < 0.76:
            return self.filter(depth)
        if chance < 0.88:
            return self.aggregate(depth, top=True)
        if chance < 0.94:
            return self.condition(depth)
        if self.extensions and chance < 0.97:
            return f"if ({self.condition(depth)}) then {self.path(1)} else {self.path(1)}"
        return self.number(depth) if self.chance(0.5) else self.string(depth)

    # Paths

    def path(self, depth: int, *, top: bool = False) -> str:
        """An absolute or relative path of one to four steps."""
        chance = self.random.random()
        if self.variables and chance < 0.5:
            start = f"${self.random.choice(self.variables)}{self.random.choice(('/', '//'))}"
        elif top:
            start = self.random.choice(("//", "//", "//", "/", "/*/", "/*/", "/descendant::"))
            if self.chance(0.1):
                start = ""
        else:
            start = self.random.choice(("", "", "", "", "", ".//", ".//", "../", "//", "/", "./"))
        if self.absolute and not self.predicates and start[:1] not in ("/", "$"):
            start = "//"
        steps = []
        for index in range(self.random.choice((1, 1, 2, 2, 3, 4) if top else (1, 1, 1, 2, 2, 3))):
            glue = "" if index == 0 else "//" if self.chance(0.2) else "/"
            bare = index == 0 and start.endswith("::")
            steps.append(glue + self.step(depth, axis="descendant" if bare else None, bare=bare))
        return start + "".join(steps)

    def step(self, depth: int, *, axis: str | None = None, bare: bool = False) -> str:
        if not bare and self.chance(0.06):
            return self.random.choice((".", "..", ".."))
        axis = axis or self.random.choice(self.axes)
        prefix = "" if bare or (axis == "child" and self.chance(0.9)) else f"{axis}::"
        if axis == "attribute" and self.chance(0.9):
            prefix = "@"
        text = prefix + self.test(axis)
        while depth > 0 and self.chance(0.35):
            text += f"[{self.predicate(depth - 1)}]"
        return text

    def test(self, axis: str) -> str:
        chance = self.random.random()
        if axis == "namespace":
            return self.random.choice(("*", "p", "xml", "node()"))
        if axis == "attribute":
            return self.random.choice((*ATTRIBUTES, "*")) if chance < 0.93 else self.random.choice(("node()", "p:x"))
        if chance < 0.62:
            return self.random.choice(ELEMENTS)
        if chance < 0.76:
            return "*"
        if chance < 0.83:
            return self.random.choice(("p:a", "p:b", "q:a", "p:*"))
        if chance < 0.9:
            return "text()"
        if chance < 0.95:
            return "node()"
        if self.extensions and chance < 0.97:
            return self.random.choice(("*:a", "*:b", "Q{urn:p}a", "Q{}a"))
        return self.random.choice(
            ("comment()", "processing-instruction()", f"processing-instruction('{self.random.choice(TARGETS)}')")
        )

    def filter(self, depth: int) -> str:
        """Positions over a whole node-set, perhaps with a path that goes on."""
        inner = self.path(depth - 1, top=True)
        if self.chance(0.3):
            inner += " | " + self.path(depth - 1, top=True)
        text = f"({inner})[{self.predicate(depth)}]"
        if self.chance(0.4):
            text += self.random.choice(("/", "//")) + self.step(depth - 1)
        return text

    def nodes(self, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.08 and (self.predicates or not self.absolute):
            return "."
        if chance < 0.16 and depth > 0:
            return f"({self.path(depth - 1)} | {self.path(depth - 1)})"
        if chance < 0.2 and depth > 0:
            return f"({self.path(depth - 1)})[{self.predicate(depth - 1)}]"
        return self.path(depth)

    # Values

    def predicate(self, depth: int) -> str:
        self.predicates += 1
        text = self.inner_predicate(depth)
        self.predicates -= 1
        return text

    def inner_predicate(self, depth: int) -> str:
        if self.chance(0.25):
            number = self.random.choice(("1", "1", "2", "2", "3", "0", "1.5"))
            return self.random.choice(
                (
                    number,
                    number,
                    "last()",
                    "last()",
                    "last() - 1",
                    f"position() {self.random.choice(_COMPARISONS)} {number}",
                    "position() = last()",
                    "position() != last()",
                    "position() mod 2 = 1",
                    f"{number} < position()",
                    f"last() > {number}",
                    f"position() = count({self.path(0)})",
                    f"position() = 1 or {self.condition(depth)}",
                    self.number(0),
                )
            )
        return self.condition(depth)

    def condition(self, depth: int) -> str:
        chance = self.random.random()
        if depth > 0 and chance < 0.16:
            word = self.random.choice((" and ", " or "))
            return word.join(self.operand(depth - 1) for _ in range(self.random.choice((2, 2, 3))))
        if depth > 0 and chance < 0.26:
            return f"not({self.condition(depth - 1)})"
        if self.extensions and depth > 0 and chance < 0.34:
            return self.later_condition(depth - 1)
        if chance < 0.55:
            return self.nodes(depth)
        if chance < 0.85:
            return self.comparison(depth)
        return self.text_condition(depth)

    def operand(self, depth: int) -> str:
        """Part of `and` or `or`: in brackets where it might be one of the two itself."""
        return f"({self.condition(depth)})"

    def comparison(self, depth: int) -> str:
        operator = self.random.choice(_COMPARISONS)
        chance = self.random.random()
        if chance < 0.6:
            left, right = self.nodes(depth), self.literal()
        elif chance < 0.7:
            left, right = self.literal(), self.nodes(depth)
        elif chance < 0.82:
            left, right = self.nodes(0), self.nodes(0)
        elif chance < 0.92:
            left, right = self.number(depth), self.random.choice(_NUMBERS)
        else:
            left, right = self.string(depth), self.literal()
        return f"{left} {operator} {right}"

    def literal(self) -> str:
        return self.random.choice(_NUMBERS) if self.chance(0.5) else self.word()

    def word(self) -> str:
        return f"'{self.random.choice(WORDS)}'"

    def text_condition(self, depth: int) -> str:
        functions = ("contains", "contains", "starts-with", "boolean", "lang" if self.predicates else "boolean")
        function = self.random.choice(functions)
        if function == "boolean":
            return f"boolean({self.nodes(depth)})"
        if function == "lang":
            return f"lang('{self.random.choice(('en', 'de'))}')"
        of = self.nodes(depth) if self.chance(0.7) else self.string(depth)
        return f"{function}({of}, {self.random.choice(('1', 'o', 'foo', 'x', ''))!r})"

    def later_condition(self, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.3:
            return f"{self.random.choice(('exists', 'empty'))}({self.nodes(depth)})"
        if chance < 0.45:
            pattern = self.random.choice(("^f", "o+", "[0-9]", "x|b"))
            return f"matches(string({self.nodes(depth)}), '{pattern}')"
        if chance < 0.55:
            return f"ends-with(string({self.nodes(depth)}), {self.random.choice(('1', 'o', 'bar'))!r})"
        if chance < 0.7:
            return f"(if ({self.condition(depth)}) then {self.condition(0)} else {self.condition(0)})"
        domain = self.path(depth)
        variable = f"v{len(self.variables)}"
        self.variables.append(variable)
        satisfies = f"${variable} = {self.literal()}" if self.chance(0.4) else self.condition(depth)
        self.variables.pop()
        return f"({self.random.choice(('some', 'every'))} ${variable} in {domain} satisfies {satisfies})"

    def aggregate(self, depth: int, *, top: bool = False) -> str:
        functions = _AGGREGATES + _LATER_AGGREGATES if self.extensions else _AGGREGATES
        inner = self.path(depth, top=top)
        if self.chance(0.2):
            inner += " | " + self.path(depth, top=top)
        return f"{self.random.choice(functions)}({inner})"

    def number(self, depth: int) -> str:
        chance = self.random.random()
        if depth <= 0 or chance < 0.3:
            return f"count({self.path(0)})" if self.chance(0.5) else f"number({self.path(0)})"
        if chance < 0.5:
            return self.aggregate(depth - 1)
        if chance < 0.7:
            function = self.random.choice(("floor", "ceiling", "round", "number"))
            return f"{function}({self.nodes(depth - 1) if self.chance(0.5) else self.number(depth - 1)})"
        if chance < 0.85:
            operator = self.random.choice(("+", "-", "*", "div", "mod"))
            return f"({self.number(depth - 1)} {operator} {self.random.choice(_NUMBERS)})"
        return f"string-length({self.string(depth - 1)})"

    def string(self, depth: int) -> str:
        if depth <= 0:
            return f"string({self.path(0)})"
        inner = self.nodes(depth - 1) if self.chance(0.6) else self.string(depth - 1)
        function = self.random.choice(
            ("string", "concat", "substring", "normalize-space", "translate", "before", "after", "name", "later")
        )
        match function:
            case "concat":
                return f"concat({inner}, '-', {self.string(depth - 1)})"
            case "substring":
                return f"substring({inner}, {self.random.choice(_NUMBERS)}, {self.random.choice(_NUMBERS)})"
            case "translate":
                return f"translate({inner}, 'fo1', 'FO')"
            case "before" | "after":
                return f"substring-{function}({inner}, {self.word()})"
            case "name":
                return f"{self.random.choice(('name', 'local-name', 'namespace-uri'))}({self.path(depth - 1)})"
            case "later" if self.extensions:
                return f"{self.random.choice(('upper', 'lower'))}-case(string({inner}))"
            case "string" | "normalize-space":
                return f"{function}({inner})"
        return f"string({inner})"
