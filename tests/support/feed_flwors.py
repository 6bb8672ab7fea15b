"""Queries of XQuery made for one document: with its names and its values, on paths that lead somewhere in it."""

from __future__ import annotations

from random import Random

from lxml import etree

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_LONGEST_VALUE = 60


class FeedDocument:
    """A document, and the FLWORs that it suggests."""

    def __init__(self, xml: bytes) -> None:
        self.xml = xml
        root = etree.fromstring(xml, etree.XMLParser(load_dtd=False, no_network=True))
        self.elements = [one for one in root.iter() if isinstance(one.tag, str)]
        self.parents = [one for one in self.elements if len(one)] or self.elements
        self.prefixes = {XML_NAMESPACE: "xml"}
        for one in self.elements:
            for name in (one.tag, *one.attrib):
                if uri := etree.QName(name).namespace:
                    self.prefixes.setdefault(uri, f"n{len(self.prefixes)}")

    def make_flwor(self, random: Random) -> str:
        """A query with its prolog; most of them give something."""
        declared = (f"declare namespace {prefix} = '{uri}'; " for uri, prefix in self.prefixes.items())
        prolog = "".join(one for one in declared if XML_NAMESPACE not in one)
        return prolog + _Maker(self, random).query()

    def name(self, name: str) -> str:
        """As a query writes it."""
        parts = etree.QName(name)
        return f"{self.prefixes[parts.namespace]}:{parts.localname}" if parts.namespace else parts.localname


class _Maker:
    """One query about one element, bound to `$b`; every choice is one of `random`'s."""

    def __init__(self, document: FeedDocument, random: Random) -> None:
        self.document = document
        self.random = random
        self.element = random.choice(document.parents)
        self.below = [one for one in self.element.iterdescendants() if isinstance(one.tag, str)]
        texts = [(one.text or "").strip() for one in (self.element, *self.below)]
        self.values = [text for text in texts if 0 < len(text) < _LONGEST_VALUE] or ["x"]

    def query(self) -> str:
        clauses = [f"for $b in {self.binding()}"]
        if self.maybe(0.3):
            clauses.append(f"let $l := {self.path()}")
        if self.maybe(0.7):
            clauses.append(f"where {self.conditions()}")
        if self.maybe(0.3):
            clauses.append(f"order by {self.first()}{self.random.choice(('', ' descending'))}")
        text = " ".join((*clauses, f"return {self.returned()}"))
        return f"<out>{{{text}}}</out>" if self.maybe(0.2) else text

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def binding(self) -> str:
        parent = self.element.getparent()
        path = f"//{self.document.name(self.element.tag)}"
        if parent is None or self.maybe(0.7):
            return path
        return f"//{self.document.name(parent.tag)}{self.random.choice(('', '/'))}{path[1:]}"

    def path(self) -> str:
        """A path from `$b` to one of the element's descendants, with steps left out or forgotten."""
        if not self.below:
            return self.random.choice(("$b", "$b/text()", "$b/@*"))
        target = self.random.choice(self.below)
        between = [one for one in target.iterancestors() if one in self.below]
        path, separator = "$b", "/"
        for one in (*reversed(between), target):
            if one is not target and self.maybe(0.3):
                separator = "//"
                continue
            path += separator + (self.document.name(one.tag) if self.maybe(0.92) else "*")
            separator = "/"
        if target.attrib and self.maybe(0.3):
            path += f"/@{self.document.name(self.random.choice(list(target.attrib)))}"
        return path

    def first(self) -> str:
        return f"string(({self.path()})[1])"

    def value(self) -> str:
        text = self.random.choice(self.values)
        return "'" + text.replace("&", "&amp;").replace("'", "''") + "'"

    def conditions(self) -> str:
        text = self.condition()
        while self.maybe(0.4):
            text += f" {self.random.choice(('and', 'or'))} {self.condition()}"
        return text

    def condition(self) -> str:
        path, value = self.path(), self.value()
        return self.random.choice(
            (
                path,
                f"{path} = {value}",
                f"{path} != {value}",
                f"{path} = {self.path()}",
                f"exists({path})",
                f"not({path})",
                f"count({path}) > {self.random.randint(0, 2)}",
                f"(some $q in {path} satisfies contains($q, {value}))",
                f"contains(string-join({path}), {value})",
                f"starts-with({self.first()}, {value})",
            )
        )

    def returned(self) -> str:
        path, value = self.path(), self.value()
        return self.random.choice(
            (
                path,
                f"<r>{{{path}}}</r>",
                f"<r xmlns='urn:r'>{{{path}}}</r>",
                f"<r a='{{data({path})}}'>{{{self.path()}}}{{count({self.path()})}}</r>",
                f"<r>{{for $c in {path} where $c = {value} return <s>{{$c}}</s>}}</r>",
                f"string-join({path}, '|')",
                f"distinct-values({path})",
                f"if ({self.conditions()}) then $b else <none/>",
            )
        )
