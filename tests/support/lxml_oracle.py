"""What lxml says, in a form to compare, and where libxml2 is known to differ from XPath 1.0 (`is_fair`)."""

from __future__ import annotations

import math
import re

from lxml import etree

from support.canonical import canonical
from support.vocabulary import NAMESPACES
from support.ways import Delivered

_PARSER = etree.XMLParser(resolve_entities=True, huge_tree=True, no_network=True, attribute_defaults=True)


_FOLLOWING_OF_ATTRIBUTE = re.compile(r"(@|attribute::).*(following|preceding)::")
_ENTITY_WITH_ELEMENT = re.compile(rb"<!ENTITY \w+ (?:\"[^\"]*<|'[^']*<)")
_OUTSIDE_ROOT = re.compile(rb"^<[!?]|[?-]>$")


def is_fair(query: str, document: bytes) -> bool:
    """Whether libxml2 keeps to the letter of XPath 1.0 on this query and document, as far as is known.

    - The following and preceding nodes of an attribute are those of its element, less or more the element's content:
      libxml2 takes them from the attribute's place among its siblings.
    - The first child of the document is never found on the `preceding` axis.
    - An empty CDATA section is a text node.
    - A document type declaration is a child of the document node, and has a string value.
    - Elements that come from an entity are in no namespace, whatever default namespace is in scope where it is used.
    """
    if _ENTITY_WITH_ELEMENT.search(document) and b'xmlns="' in document:
        return False
    if b"<!DOCTYPE" in document and ("." in query or "node()" in query):
        return False
    if b"<![CDATA[]]>" in document or _FOLLOWING_OF_ATTRIBUTE.search(query):
        return False
    return "preceding::" not in query or not _OUTSIDE_ROOT.search(document)


def parse(document: bytes) -> etree._ElementTree:
    """The document as a tree, to be asked several queries."""
    return etree.ElementTree(etree.fromstring(document, _PARSER))


def ask(tree: etree._ElementTree, query: str) -> list[tuple[str, object]]:
    """Kinds and values in document order; the document node is left out, as lxml does."""
    answer = tree.xpath(query, namespaces=NAMESPACES)
    if isinstance(answer, bool | float):
        return [("number" if isinstance(answer, float) else "boolean", _number(answer))]
    if isinstance(answer, str):
        return [("string", str(answer))]
    return [_node(item) for item in answer]


def comparable(delivered: Delivered, answer: list[tuple[str, object]]) -> list[tuple[str, object]] | str:
    """Our own results in the form of `ask`. Types of values are not told, so they are taken from the answer."""
    if isinstance(delivered, str):
        return delivered
    if answer and answer[0][0] in ("number", "boolean", "string"):
        kind = answer[0][0]
        return [(kind, _value(kind, text)) for _, text, _ in delivered]
    return [(kind, canonical(kind, text)) for kind, text, _ in delivered if kind != "document"]


def _node(item: object) -> tuple[str, object]:
    if isinstance(item, etree._ElementUnicodeResult):
        return ("attribute" if item.is_attribute else "text", str(item))
    if isinstance(item, etree._Comment):
        return ("comment", canonical("comment", f"<!--{item.text}-->"))
    if isinstance(item, etree._ProcessingInstruction):
        data = f" {item.text}" if item.text else ""
        return ("pi", canonical("pi", f"<?{item.target}{data}?>"))
    if isinstance(item, etree._Element):
        return ("element", canonical("element", etree.tostring(item, encoding="unicode", with_tail=False)))
    return ("namespace", item)


def _value(kind: str, text: str) -> object:
    if kind == "boolean":
        return text == "true"
    if kind == "string":
        return text
    return _number(float(text.replace("Infinity", "inf")))


def _number(value: float) -> object:
    """To twelve digits: sums may be taken in another order. NaN is made equal to itself."""
    if isinstance(value, bool):
        return value
    return "NaN" if math.isnan(value) else float(f"{value:.12g}")
