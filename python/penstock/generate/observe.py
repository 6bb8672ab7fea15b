"""The structure of sample documents: one element for every path of names that occurs in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from penstock.generate.structure import Element, Structure, Values, make_field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SEPARATOR = " "
_XML = "http://www.w3.org/XML/1998/namespace"


@dataclass(slots=True)
class Observed:
    """All elements with the same path of names. Text counts only where there are no elements beside it."""

    name: str
    children: dict[str, Observed] = field(default_factory=dict)
    attributes: dict[str, Values] = field(default_factory=dict)
    text: Values = field(default_factory=Values)

    def everything(self) -> Iterator[Observed]:
        """This and all inside it."""
        yield self
        for child in self.children.values():
            yield from child.everything()


def from_documents(documents: Iterable[bytes]) -> Structure:
    """What occurs in the documents, and with it the prefixes to write its names with.

    >>> structure = from_documents([b"<a><b id='1'/><b id='2'>x</b></a>"])
    >>> structure.roots[0].children[0].fields[0].whole
    ('1', '2')
    """
    observer = observe(documents)
    roots = [_element(root) for root in observer.document.children.values()]
    return Structure(tuple(roots), observer.used_namespaces())


def observe(documents: Iterable[bytes]) -> Observer:
    """Everything seen in the documents."""
    observer = Observer()
    for document in documents:
        observer.read(document)
    return observer


class Observer:
    """Reads documents into one tree of paths."""

    def __init__(self) -> None:
        self.document = Observed("")
        self._prefixes: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._open: list[Observed] = []
        self._text: list[str] | None = None

    def read(self, document: bytes) -> None:
        """Add one document; `expat.ExpatError` if it is not well-formed."""
        parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        parser.namespace_prefixes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        self._open = [self.document]
        parser.Parse(document, True)

    def used_namespaces(self) -> dict[str, str]:
        """Prefix to URI, for the names that occur."""
        return {prefix: uri for uri, prefix in self._prefixes.items()}

    def _start(self, expanded: str, attributes: dict[str, str]) -> None:
        name = self._name(expanded)
        parent = self._open[-1]
        here = parent.children.get(name)
        if here is None:
            here = parent.children[name] = Observed(name)
        for key, value in attributes.items():
            here.attributes.setdefault(self._name(key), Values()).add(value)
        self._open.append(here)
        self._text = []

    def _end(self, _expanded: str) -> None:
        here = self._open.pop()
        if self._text is not None:
            here.text.add("".join(self._text))
        self._text = None

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _name(self, expanded: str) -> str:
        """The name with a prefix of its own for each namespace: the document's, where that is free."""
        name = self._names.get(expanded)
        if name is None:
            uri, local, given = (*expanded.split(_SEPARATOR), "")[:3] if _SEPARATOR in expanded else ("", expanded, "")
            name = self._names[expanded] = f"{self._prefix(uri, given)}:{local}" if uri else local
        return name

    def _prefix(self, uri: str, given: str) -> str:
        if uri == _XML:
            return "xml"
        if uri not in self._prefixes:
            taken = set(self._prefixes.values())
            number = len(taken) + 1
            self._prefixes[uri] = given if given and given not in taken else f"ns{number}"
        return self._prefixes[uri]


def _element(observed: Observed) -> Element:
    fields = [make_field(f"@{name}", values) for name, values in observed.attributes.items()]
    fields.append(make_field("", observed.text))
    fields += [make_field(name, child.text) for name, child in observed.children.items()]
    children = [_element(child) for child in observed.children.values()]
    return Element(observed.name, children, [one for one in fields if one is not None])
