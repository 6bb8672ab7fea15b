"""The structure that a DTD describes, with constants from its enumerations, from documents, or made up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.generate.observe import observe
from penstock.generate.structure import Element, Structure, Values, make_field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

DEFAULT_MAX_VALUE = 20
"""The sample documents of YFilter have whole numbers up to this as values."""


def from_dtd(
    path: Path, documents: Iterable[bytes] = (), *, root: str | None = None, max_value: int = DEFAULT_MAX_VALUE
) -> Structure:
    """What the DTD allows below `root`: by default the elements that are in no other one, or else the first.

    Constants are those that occur in `documents`. Without documents they are the values that the DTD enumerates, and
    whole numbers up to `max_value` for everything else. Needs lxml.
    """
    from lxml import etree

    # The stubs of lxml do not know it.
    dtd: Any = etree.DTD(str(path))
    declared = list(dtd.iterelements())
    if not declared:
        raise ValueError(f"{path} declares no element")
    constants = _Constants(documents, max_value)
    elements = {_name(one): Element(_name(one)) for one in declared}
    inside: set[str] = set()
    for one in declared:
        names = list(dict.fromkeys(name for name in _content(one.content) if name in elements))
        here = elements[_name(one)]
        here.children = [elements[name] for name in names]
        inside.update(name for name in names if name != here.name)
    texts = {_name(one): constants.of_text(_name(one)) for one in declared if one.type == "mixed"}
    for one in declared:
        here = elements[_name(one)]
        fields = [
            make_field(f"@{_name(each)}", constants.of_attribute(here.name, each)) for each in one.iterattributes()
        ]
        fields += [make_field("", texts[here.name])] if here.name in texts else []
        fields += [make_field(child.name, texts[child.name]) for child in here.children if child.name in texts]
        here.fields = [field for field in fields if field is not None]
    return Structure(tuple(_roots(elements, inside, root)))


def _roots(elements: dict[str, Element], inside: set[str], root: str | None) -> list[Element]:
    if root is not None:
        if root not in elements:
            raise ValueError(f"the DTD declares no element {root!r}")
        return [elements[root]]
    return [one for name, one in elements.items() if name not in inside] or [next(iter(elements.values()))]


def _name(declaration: Any) -> str:
    prefix = getattr(declaration, "prefix", None)
    return f"{prefix}:{declaration.name}" if prefix else str(declaration.name)


def _content(content: Any) -> Iterator[str]:
    if content is None:
        return
    if content.type == "element":
        yield content.name
    yield from _content(content.left)
    yield from _content(content.right)


class _Constants:
    """Values by element and attribute name; what is inside what does not matter, since DTDs do not care either."""

    def __init__(self, documents: Iterable[bytes], max_value: int) -> None:
        self.texts: dict[str, Values] = {}
        self.attributes: dict[tuple[str, str], Values] = {}
        self.made_up = Values()
        seen = observe(documents).document.children
        for observed in (each for root in seen.values() for each in root.everything()):
            self.texts.setdefault(observed.name, Values()).merge(observed.text)
            for name, values in observed.attributes.items():
                self.attributes.setdefault((observed.name, name), Values()).merge(values)
        if not seen:
            for number in range(1, max_value + 1):
                self.made_up.add(str(number))

    def of_text(self, element: str) -> Values:
        return self.texts.get(element, self.made_up)

    def of_attribute(self, element: str, declaration: Any) -> Values:
        occurring = self.attributes.get((element, _name(declaration)))
        if occurring is not None:
            return occurring
        enumerated = Values()
        if self.made_up.whole:
            for value in declaration.itervalues():
                enumerated.add(value)
        return enumerated if enumerated.whole else self.made_up
