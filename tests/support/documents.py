"""Random documents: recursive, mixed, with every kind of node, over the words of `vocabulary`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from support.vocabulary import (
    ATTRIBUTES,
    ELEMENTS,
    NAMESPACES,
    PREFIXED_ATTRIBUTES,
    PREFIXED_ELEMENTS,
    SPACE,
    TARGETS,
    WORDS,
)

if TYPE_CHECKING:
    from random import Random

_DOCTYPE = """<!DOCTYPE a [<!ENTITY e "foo"><!ENTITY f "<b x='1'>2</b>&e;">
<!ATTLIST a y CDATA "3"><!ATTLIST b x CDATA "&e;" z CDATA "1">]>"""


def make_document(random: Random, *, nodes: int = 40) -> bytes:
    """A well-formed document of at most about so many nodes, in UTF-8."""
    return _Document(random, nodes).text().encode()


class _Document:
    def __init__(self, random: Random, nodes: int) -> None:
        self.random = random
        self.nodes_left = random.randint(1, nodes)
        self.namespaces = random.random() < 0.3
        self.doctype = random.random() < 0.1

    def text(self) -> str:
        before = self.aside() if self.random.random() < 0.2 else ""
        after = self.aside() if self.random.random() < 0.2 else ""
        declarations = "".join(f' {name}="{uri}"' for name, uri in self.root_declarations())
        return (_DOCTYPE if self.doctype else "") + before + self.element(declarations, 0) + after

    def root_declarations(self) -> list[tuple[str, str]]:
        return [(f"xmlns:{prefix}", uri) for prefix, uri in NAMESPACES.items()] if self.namespaces else []

    def element(self, declarations: str, depth: int) -> str:
        name, more = self.name_and_namespace()
        start = f"<{name}{declarations}{more}{self.attributes()}"
        content = self.content(depth + 1)
        if not content:
            return start + ("/>" if self.random.random() < 0.5 else f"></{name}>")
        return f"{start}>{content}</{name}>"

    def name_and_namespace(self) -> tuple[str, str]:
        """A name, and now and then a default namespace, which may hide an outer one."""
        if not self.namespaces:
            return self.random.choice(ELEMENTS), ""
        chance = self.random.random()
        if chance < 0.1:
            uri = self.random.choice(("", *NAMESPACES.values()))
            return self.random.choice(ELEMENTS), f' xmlns="{uri}"'
        return self.random.choice(PREFIXED_ELEMENTS if chance < 0.4 else ELEMENTS), ""

    def attributes(self) -> str:
        names = {self.random.choice(ATTRIBUTES) for _ in range(self.random.choice((0, 0, 0, 1, 1, 2)))}
        if self.namespaces and self.random.random() < 0.2:
            names.add(self.random.choice(PREFIXED_ATTRIBUTES))
        if self.random.random() < 0.03:
            names.add("xml:lang")
        return "".join(f' {name}="{self.attribute_value(name)}"' for name in sorted(names))

    def attribute_value(self, name: str) -> str:
        if name == "xml:lang":
            return self.random.choice(("en", "en-GB", "de"))
        return escape(self.random.choice(WORDS), {'"': "&quot;"})

    def content(self, depth: int) -> str:
        """Deep rather than wide, so that elements of one name lie within each other."""
        parts = []
        while self.nodes_left > 0 and self.random.random() < (0.85 if depth < 4 else 0.6):
            self.nodes_left -= 1
            chance = self.random.random()
            if chance < 0.6 and depth < 12:
                parts.append(self.element("", depth))
            elif chance < 0.92:
                parts.append(self.characters())
            else:
                parts.append(self.aside())
        return "".join(parts)

    def characters(self) -> str:
        word = self.random.choice(WORDS)
        chance = self.random.random()
        if self.doctype and chance > 0.7:
            return "&e;" if chance > 0.8 else "&f;"
        if chance < 0.1:
            return f"<![CDATA[{word}]]>"
        if chance < 0.15:
            return self.random.choice(SPACE)
        if chance < 0.2:
            return f"{escape(word)}&#x31;"
        return escape(word)

    def aside(self) -> str:
        word = self.random.choice(WORDS)
        if self.random.random() < 0.5:
            return f"<!--{'' if word.startswith('-') else word}-->"
        # A space after the target would be needed for data, and is dropped with it.
        return f"<?{self.random.choice(TARGETS)} {word.strip()}?>"
