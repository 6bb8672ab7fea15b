"""Constructors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.plan.xquery import normal
from penstock.plan.xquery.builder import Builder
from penstock.syntax import ast
from penstock.syntax.xquery import ast as xq

if TYPE_CHECKING:
    from penstock.plan.xquery.names import QueryNames


class Constructing(Builder):
    """Makes templates of constructors: fixed names where the query spells them, expressions in the holes."""

    def constructor(self, tree: xq.Element | xq.DirectComment | xq.DirectInstruction | xq.Computed) -> normal.Expr:
        """Any constructor."""
        match tree:
            case xq.Element():
                return self.direct_element(tree)
            case xq.DirectComment():
                return normal.Comment(_text(tree.text))
            case xq.DirectInstruction():
                return normal.Instruction(_text(tree.target), _text(tree.text))
            case xq.Computed():
                return self.computed(tree)

    def direct_element(self, tree: xq.Element) -> normal.Expr:
        """An element of XML with holes; its declarations hold for its own names and in its holes."""
        outer: QueryNames = self.names
        for prefix, uri in tree.namespaces:
            outer.check_declared(prefix, uri, tree.span)
        inner = outer.within(tree.namespaces)
        self.names = inner
        name = inner.constructed(tree.name, attribute=False)
        attributes = tuple(map(self.direct_attribute, tree.attributes))
        seen: set[tuple[str, str]] = set()
        for attribute, written in zip(attributes, tree.attributes, strict=True):
            key = (attribute.name.uri, attribute.name.local)
            if key in seen:
                raise self.error("XQST0040", f"the attribute {written.name.local} is there twice", written.span)
            seen.add(key)
        content = tuple(map(self.part, tree.content))
        self.names = outer
        return normal.Element(name, tree.namespaces, attributes, content)

    def direct_attribute(self, tree: xq.Attribute) -> normal.Attribute:
        """Text and holes."""
        return normal.Attribute(self.names.constructed(tree.name, attribute=True), tuple(map(self.part, tree.parts)))

    def part(self, part: str | ast.Expr) -> normal.Expr:
        """Literal text or a hole."""
        return _text(part) if isinstance(part, str) else self.expression(part)

    def computed(self, tree: xq.Computed) -> normal.Expr:
        """A constructor in words."""
        content = self.expression(tree.content)
        match tree.kind, tree.name:
            case "element", ast.NameTest() as name:
                return normal.Element(self.names.constructed(name, attribute=False), (), (), (content,))
            case "attribute", ast.NameTest() as name:
                if name.local == "xmlns" and name.prefix is None:
                    raise self.error("XQDY0044", "an attribute cannot be called xmlns", name.span)
                return normal.Attribute(self.names.constructed(name, attribute=True), (content,))
            case "processing-instruction", ast.NameTest() as name:
                return normal.Instruction(_text(name.local), content)
            case "element", _:
                return normal.NamedElement(self.computed_name(tree), self.names.scope, content)
            case "attribute", _:
                return normal.NamedAttribute(self.computed_name(tree), self.names.scope, content)
            case "processing-instruction", _:
                return normal.Instruction(self.computed_name(tree), content)
            case "text", _:
                return normal.Text(content)
            case "comment", _:
                return normal.Comment(content)
            case _:
                return normal.Document(content)

    def computed_name(self, tree: xq.Computed) -> normal.Expr:
        """The expression in the braces of the name."""
        if tree.name is None or isinstance(tree.name, ast.NameTest):
            raise self.error("XPST0003", f"the {tree.kind} needs a name", tree.span)
        return self.expression(tree.name)


def _text(text: str) -> normal.Constant:
    return normal.Constant("string", text)
