"""The functions of the language: what they take, what they give, and which others exist elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

ArgumentType: TypeAlias = Literal["nodes", "string", "number", "boolean", "any"]
ResultType: TypeAlias = Literal["nodes", "string", "number", "boolean"]

FUNCTION_NAMESPACE = "http://www.w3.org/2005/xpath-functions"
# Those of XPath 3.1 that lie below it, by the prefixes that the standard gives them; we have none of their functions.
FUNCTION_PREFIXES: Mapping[str, str] = {prefix: f"{FUNCTION_NAMESPACE}/{prefix}" for prefix in ("array", "map", "math")}


@dataclass(frozen=True, slots=True)
class Signature:
    """`arguments` are the types of the leading arguments; a further one has the type of the last.

    Only "nodes" is demanded of an argument; other types are converted to. `max_arity` None means any number.
    """

    name: str
    arguments: tuple[ArgumentType, ...]
    result: ResultType
    min_arity: int
    max_arity: int | None
    defaults_to_context: bool = False

    def accepts(self, count: int) -> bool:
        """Whether the function can be called with so many arguments."""
        return count >= self.min_arity and (self.max_arity is None or count <= self.max_arity)

    def argument(self, index: int) -> ArgumentType:
        """The type of one argument, counted from 0."""
        return self.arguments[min(index, len(self.arguments) - 1)]

    @property
    def arity_text(self) -> str:
        """The number of arguments in words."""
        low, high = self.min_arity, self.max_arity
        if high is None:
            return f"{low} arguments or more"
        if low == high:
            return "no arguments" if low == 0 else "1 argument" if low == 1 else f"{low} arguments"
        return f"{low} {'or' if high == low + 1 else 'to'} {high} arguments"


def _exactly(name: str, arguments: tuple[ArgumentType, ...], result: ResultType) -> Signature:
    return Signature(name, arguments, result, len(arguments), len(arguments))


def _optional_last(name: str, arguments: tuple[ArgumentType, ...], result: ResultType) -> Signature:
    return Signature(name, arguments, result, len(arguments) - 1, len(arguments))


def _context_by_default(name: str, argument: ArgumentType, result: ResultType) -> Signature:
    return Signature(name, (argument,), result, 0, 1, defaults_to_context=True)


FUNCTIONS: Mapping[str, Signature] = {
    signature.name: signature
    for signature in (
        # XPath 1.0, section 4.1
        _exactly("last", (), "number"),
        _exactly("position", (), "number"),
        _exactly("count", ("nodes",), "number"),
        _exactly("id", ("any",), "nodes"),
        _context_by_default("local-name", "nodes", "string"),
        _context_by_default("namespace-uri", "nodes", "string"),
        _context_by_default("name", "nodes", "string"),
        # 4.2
        _context_by_default("string", "any", "string"),
        Signature("concat", ("string",), "string", 2, None),
        _exactly("starts-with", ("string", "string"), "boolean"),
        _exactly("contains", ("string", "string"), "boolean"),
        _exactly("substring-before", ("string", "string"), "string"),
        _exactly("substring-after", ("string", "string"), "string"),
        _optional_last("substring", ("string", "number", "number"), "string"),
        _context_by_default("string-length", "string", "number"),
        _context_by_default("normalize-space", "string", "string"),
        _exactly("translate", ("string", "string", "string"), "string"),
        # 4.3
        _exactly("boolean", ("any",), "boolean"),
        _exactly("not", ("boolean",), "boolean"),
        _exactly("true", (), "boolean"),
        _exactly("false", (), "boolean"),
        _exactly("lang", ("string",), "boolean"),
        # 4.4
        _context_by_default("number", "any", "number"),
        _exactly("sum", ("nodes",), "number"),
        _exactly("floor", ("number",), "number"),
        _exactly("ceiling", ("number",), "number"),
        _exactly("round", ("number",), "number"),
        # from later versions
        _exactly("avg", ("nodes",), "number"),
        _exactly("min", ("nodes",), "number"),
        _exactly("max", ("nodes",), "number"),
        _exactly("exists", ("nodes",), "boolean"),
        _exactly("empty", ("nodes",), "boolean"),
        _optional_last("matches", ("string", "string", "string"), "boolean"),
        _exactly("ends-with", ("string", "string"), "boolean"),
        _exactly("lower-case", ("string",), "string"),
        _exactly("upper-case", ("string",), "string"),
    )
}

# With so many arguments, the last of them is a collation in XPath 2.0 to 3.1.
_COLLATED = {
    2: "distinct-values max min",
    3: "compare contains deep-equal ends-with index-of starts-with substring-after substring-before",
}
COLLATED: Mapping[str, int] = {name: count for count, names in _COLLATED.items() for name in names.split()}

# Functions of XPath 2.0 to 3.1, and of this package's other languages, that XPath here does not have.
_ELSEWHERE = """
    abs adjust-date-to-timezone adjust-dateTime-to-timezone adjust-time-to-timezone analyze-string apply
    available-environment-variables base-uri codepoint-equal codepoints-to-string collation-key collection compare
    contains-token current-date current-dateTime current-time data dateTime day-from-date day-from-dateTime
    days-from-duration deep-equal default-collation default-language distinct-values doc doc-available docType document
    document-uri element-with-id encode-for-uri environment-variable error escape-html-uri exactly-one filter
    fold-left fold-right for-each for-each-pair format-date format-dateTime format-integer format-number format-time
    function-arity function-lookup function-name generate-id has-children head hours-from-dateTime
    hours-from-duration hours-from-time idref implicit-timezone in-scope-prefixes index-of innermost insert-before
    iri-to-uri json-doc json-to-xml load-xquery-module local-name-from-QName minutes-from-dateTime
    minutes-from-duration minutes-from-time month-from-date month-from-dateTime months-from-duration
    namespace-uri-for-prefix namespace-uri-from-QName nilled node-name normalize-unicode one-or-more outermost
    parse-ietf-date parse-json parse-xml parse-xml-fragment path prefix-from-QName QName random-number-generator
    remove replace resolve-QName resolve-uri reverse root round-half-to-even seconds-from-dateTime
    seconds-from-duration seconds-from-time serialize sort static-base-uri stream string-join string-to-codepoints
    subsequence tail timezone-from-date timezone-from-dateTime timezone-from-time tokenize trace transform unordered
    unparsed-text unparsed-text-available unparsed-text-lines uri-collection xml-to-json year-from-date
    year-from-dateTime years-from-duration zero-or-one
"""
UNSUPPORTED_FUNCTIONS = frozenset(_ELSEWHERE.split())
