"""Constructs of XPath 2 to 3.1 and of XQuery that are not in the subset, so that their errors can name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Operators by their first word: (construct, what may be written instead).
OPERATORS: Mapping[str, tuple[str, str | None]] = {
    "eq": ("the value comparison 'eq'", "'='"),
    "ne": ("the value comparison 'ne'", "'!='"),
    "lt": ("the value comparison 'lt'", "'<'"),
    "le": ("the value comparison 'le'", "'<='"),
    "gt": ("the value comparison 'gt'", "'>'"),
    "ge": ("the value comparison 'ge'", "'>='"),
    "is": ("the node comparison 'is'", None),
    "<<": ("the node comparison '<<'", None),
    ">>": ("the node comparison '>>'", None),
    "to": ("the range operator 'to'", None),
    "idiv": ("the operator 'idiv'", "'floor(a div b)'"),
    "union": ("the operator 'union'", "'|'"),
    "intersect": ("the operator 'intersect'", None),
    "except": ("the operator 'except'", None),
    "instance": ("the type test 'instance of'", None),
    "treat": ("the type assertion 'treat as'", None),
    "castable": ("the type test 'castable as'", None),
    "cast": ("the conversion 'cast as'", "number(), string() or boolean()"),
    "||": ("the concatenation operator '||'", "concat()"),
    "!": ("the map operator '!'", None),
    "=>": ("the arrow operator '=>'", None),
    "?": ("the lookup operator '?'", None),
    "#": ("a named function reference", None),
    "(": ("a dynamic function call", None),
    "{": ("an enclosed expression", None),
    ":=": ("an assignment", None),
    ";": ("a prolog declaration", None),
    ",": ("a sequence of expressions", None),
}

# What stands where an operand should: by its symbol.
OPERAND_SYMBOLS: Mapping[str, str] = {
    "+": "unary plus",
    "[": "an array constructor",
    "{": "an enclosed expression",
    "?": "the lookup operator '?'",
    "%": "an annotation",
    "<": "an element constructor",
}

# What stands where an operand should: by its first word and the token after it ("name" is any name).
OPERAND_WORDS: Mapping[tuple[str, str], str] = {
    ("for", "$"): "a 'for' expression",
    ("let", "$"): "a 'let' expression",
    ("function", "("): "an inline function",
    ("switch", "("): "a 'switch' expression",
    ("typeswitch", "("): "a 'typeswitch' expression",
    ("map", "{"): "a map constructor",
    ("array", "{"): "an array constructor",
    ("try", "{"): "a 'try' expression",
    ("ordered", "{"): "an 'ordered' expression",
    ("unordered", "{"): "an 'unordered' expression",
    ("validate", "{"): "a 'validate' expression",
    ("element", "{"): "an element constructor",
    ("element", "name"): "an element constructor",
    ("attribute", "{"): "an attribute constructor",
    ("attribute", "name"): "an attribute constructor",
    ("document", "{"): "a document constructor",
    ("text", "{"): "a text constructor",
    ("comment", "{"): "a comment constructor",
    ("processing-instruction", "{"): "a processing-instruction constructor",
    ("namespace", "{"): "a namespace constructor",
    ("declare", "name"): "a prolog declaration",
    ("import", "name"): "an import",
    ("module", "name"): "a module declaration",
    ("xquery", "name"): "a version declaration",
}

# Tests that need types or are about sequences.
KIND_TESTS = frozenset(
    (
        "element",
        "attribute",
        "document-node",
        "schema-element",
        "schema-attribute",
        "namespace-node",
        "item",
        "empty-sequence",
        "array",
        "map",
    )
)

# The same where the language is XQuery.
_NEITHER = frozenset(("function", "switch", "typeswitch", "map", "array", "try", "namespace", "validate", "import"))
XQUERY_WORDS: Mapping[tuple[str, str], str] = {
    **{opening: construct for opening, construct in OPERAND_WORDS.items() if opening[0] in _NEITHER},
    ("namespace", "name"): "a namespace constructor",
    ("validate", "name"): "a 'validate' expression",
    ("insert", "name"): "an update",
    ("delete", "name"): "an update",
    ("replace", "name"): "an update",
    ("rename", "name"): "an update",
    ("copy", "$"): "an update",
}
