"""Queries of XQuery over the documents of `library`: FLWORs within each other, constructors, and what is in them."""

from __future__ import annotations

from random import Random


def make_flwor(random: Random) -> str:
    """A query; most of them give something on most documents."""
    return _Maker(random).query()


class _Maker:
    """Every choice is one of `random`'s, so that hypothesis can make a query smaller."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.books: list[str] = []
        self.sections: list[str] = []
        self.values: list[str] = []
        self.count = 0

    def query(self) -> str:
        shape = self.random.random()
        if shape < 0.5:
            return self.flwor(2)
        if shape < 0.8:
            return f"<out n='{{{self.number()}}}'>{{{self.flwor(2)}}}</out>"
        return f"({self.flwor(1)}, {self.single(1)})"

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"${stem}{self.count}"

    def choice(self, *options: str) -> str:
        return self.random.choice(options)

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def flwor(self, depth: int) -> str:
        known = (len(self.books), len(self.sections), len(self.values))
        clauses = [self.binding() for _ in range(1 + self.maybe(0.4))]
        if self.maybe(0.5):
            clauses.append(self.let())
        if self.maybe(0.5):
            clauses.append(f"where {self.condition()}")
        if self.maybe(0.15):
            key = self.fresh("g")
            # In which order groups come is not for XQuery to say.
            clauses.append(f"group by {key} := string(({self.node()})[1]) order by {key}")
            self.values.append(key)
        elif self.maybe(0.4):
            direction = self.choice("", " descending", " empty greatest", " descending empty least")
            clauses.append(f"order by {self.key()}{direction}")
        text = " ".join((*clauses, f"return {self.single(depth - 1)}"))
        del self.books[known[0] :], self.sections[known[1] :], self.values[known[2] :]
        return text

    def binding(self) -> str:
        if self.maybe(0.15):
            name = self.fresh("v")
            domain = self.choice("1 to 3", "distinct-values(//last)", "('x', 2, 1.5)", "distinct-values(//book/@year)")
            self.values.append(name)
            return f"for {name} in {domain}"
        if self.maybe(0.6):
            name, domain = self.fresh("b"), self.choice("//book", "/bib/book", "/bib/book[price]", "//book[author]")
            target = self.books
        else:
            name = self.fresh("s")
            inner = [f"{one}//section" for one in self.books] + [f"{one}/section" for one in self.sections]
            domain = self.random.choice(["//section", "//book/section", "//section[section]", *inner])
            target = self.sections
        position = ""
        if self.maybe(0.2):
            place = self.fresh("i")
            position = f" at {place}"
            self.values.append(place)
        target.append(name)
        return f"for {name}{position} in {domain}"

    def let(self) -> str:
        name = self.fresh("l")
        value = self.choice(f"count({self.node()})", f"string-join({self.node()}, '|')", f"({self.node()})[1]/string()")
        self.values.append(name)
        return f"let {name} := {value}"

    def node(self) -> str:
        """Nodes, of the document or copied into a new tree."""
        if self.maybe(0.75):
            return self.path()
        one, other = self.path(), self.path()
        if "@" in one + other:
            # Not after other content of an element.
            return f"({one} | {other})"
        return self.choice(
            f"({one} | {other})",
            f"({one} except {other})",
            f"({one} intersect {other})",
            f"{one}[position() mod 2 = 1]",
            f"({one})[last()]",
            f"tail({one})",
            f"<w>{{{one}}}{{{other}}}</w>/*",
            f"<w k='x'>{{{one}}}</w>//*[2]",
            f"<w><v>{{({one})[1]}}</v>{{{other}}}</w>/v/(., .//text())",
            f"<w>{{{one}}}</w>/node()/..",
            f"<w><a/>{{{one}}}<b/></w>/b/preceding-sibling::*",
            f"({one} ! ..)",
        )

    def path(self) -> str:
        options = ["//author", "//section/title", "//book/@year", "//p/text()"]
        for book in self.books:
            options += [f"{book}/title", f"{book}/author", f"{book}/@year", f"{book}//title", f"{book}/author/last"]
            options += [f"{book}//section[1]", f"{book}/(title | price)", f"{book}/author[last()]", book]
        for section in self.sections:
            options += [f"{section}/title", f"{section}/section", f"{section}//p", f"{section}/p/text()", section]
            options += [f"{section}/@k", f"{section}/ancestor::section", f"{section}/..", f"{section}//title[2]"]
        return self.random.choice(options)

    def number(self) -> str:
        return self.choice(
            f"count({self.node()})",
            "sum(//price)",
            "avg(//price)",
            f"string-length(({self.node()})[1])",
            "max(//price) - min(//price)",
            "count(//book) * 2 + 1",
            "7 idiv 2",
            "10 div 4",
            "-(3 mod 2)",
            "round(sum(//price) div 3)",
            f"string-length(string-join({self.node()} ! name()))",
            f"count(distinct-values({self.node()}))",
            f"sum(for $n in {self.node()} return string-length($n))",
            f"count(tokenize(string-join({self.node()}, ' ')))",
            "round-half-to-even(avg(//price), 1)",
            f"(//price/number(), {self.random.randint(0, 3)})[1]",
        )

    def key(self) -> str:
        values = [f"string({value})" for value in self.values]
        return self.random.choice([f"string(({self.node()})[1])", f"({self.node()})[1]", self.number(), *values])

    def condition(self) -> str:
        node = self.node()
        return self.choice(
            node,
            f"not({node})",
            f"exists({node})",
            f"{node} = 'data'",
            f"{node} != {self.node()}",
            f"count({node}) > 1",
            f"contains(string(({node})[1]), 'a')",
            f"some $q in {node} satisfies $q = {self.node()}",
            f"every $q in {node} satisfies string-length($q) > 2",
            f"//price > {self.choice('10', '39.95', '65')}",
            f"{self.number()} ge {self.number()}",
            f"({node})[1] is ({self.node()})[1]",
            f"deep-equal({node}, {self.node()})",
            f"({node})[1] << ({self.node()})[1]",
            f"string(({node})[1]) castable as xs:double",
            f"matches(string-join({node}), '[a-z]+\\s')",
        )

    def single(self, depth: int) -> str:
        """An ExprSingle."""
        shapes = ["node", "number", "value", "string"]
        if depth > 0:
            shapes += ["element", "element", "if", "sequence", "computed", "flwor"]
        match self.random.choice(shapes):
            case "node":
                return self.node()
            case "number":
                return self.number()
            case "string":
                return self.choice(
                    f"string-join({self.node()}, ',')", f"data({self.node()})", f"name(({self.node()})[1])"
                )
            case "element":
                return self.element(depth - 1)
            case "if":
                return f"if ({self.condition()}) then {self.single(depth - 1)} else {self.single(depth - 1)}"
            case "sequence":
                return f"({self.single(depth - 1)}, {self.single(depth - 1)})"
            case "computed":
                return f"element {self.choice('e', 'f')} {{attribute a {{{self.number()}}}, {self.single(depth - 1)}}}"
            case "flwor":
                return self.flwor(depth)
            case _:
                return self.random.choice(self.values or ["()"])

    def element(self, depth: int) -> str:
        parts = [f"{{{self.single(depth)}}}" for _ in range(self.random.randint(0, 2))]
        text = self.choice("", "text &amp; more", " ", "{{}}")
        attribute = self.choice("", f" a='{{{self.number()}}}'", f' a="{{{self.node()}/string()}}!"', " b='&lt;'")
        return f"<r{attribute}>{text}{''.join(parts)}</r>"
