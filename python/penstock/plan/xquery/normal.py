"""The normal form of XQuery: names resolved, abbreviations gone, paths relative to the variables they start from.

Mirrors `crates/engine/src/xquery/ir.rs`; `penstock.kernel.xquery` writes one as the other. The class of a node is its
operation there, so a name that changes here changes there.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from penstock.node import node
from penstock.plan.normal import ArithmeticOperator, Axis, ComparisonOperator, KindTest, NameTest, Test

ValueOperator: TypeAlias = Literal["eq", "ne", "lt", "le", "gt", "ge"]
NodeOperator: TypeAlias = Literal["is", "<<", ">>"]
AtomicType: TypeAlias = Literal["string", "boolean", "integer", "decimal", "double", "untypedAtomic"]

__all__ = ["KindTest", "NameTest", "Test"]


@node(frozen=True, slots=True)
class Step:
    axis: Axis
    test: Test
    predicates: tuple[Expr, ...] = ()


@node(frozen=True, slots=True)
class Name:
    """A qualified name; the prefix is what the query would like it written with."""

    prefix: str
    local: str
    uri: str


# Values and variables


@node(frozen=True, slots=True)
class Constant:
    """A literal; as text, so that no digit is lost."""

    type: AtomicType
    value: str


@node(frozen=True, slots=True)
class Variable:
    name: str


@node(frozen=True, slots=True)
class Context:
    """The context item."""


@node(frozen=True, slots=True)
class Root:
    """The document node of the context item's tree."""


@node(frozen=True, slots=True)
class Sequence:
    items: tuple[Expr, ...]


# Paths


@node(frozen=True, slots=True)
class Path:
    """Axis steps from every node of `start`, in document order, each node once."""

    start: Expr
    steps: tuple[Step, ...]


@node(frozen=True, slots=True)
class Each:
    """`base/step` where the step is any expression; nodes come in document order, each once."""

    base: Expr
    step: Expr


@node(frozen=True, slots=True)
class Mapped:
    """`base ! step`."""

    base: Expr
    step: Expr


@node(frozen=True, slots=True)
class Filter:
    base: Expr
    predicates: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Union:
    args: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Intersect:
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class Except:
    left: Expr
    right: Expr


# Operators


@node(frozen=True, slots=True)
class Or:
    args: tuple[Expr, ...]


@node(frozen=True, slots=True)
class And:
    args: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Compare:
    """A general comparison: some pair of items passes."""

    comparison: ComparisonOperator
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class CompareValues:
    comparison: ComparisonOperator
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class CompareNodes:
    comparison: NodeOperator
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class Arithmetic:
    operator: ArithmeticOperator | Literal["idiv"]
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class Negate:
    """`-arg`, or `+arg`, which only asks for a number."""

    arg: Expr
    positive: bool = False


@node(frozen=True, slots=True)
class Range:
    first: Expr
    last: Expr


@node(frozen=True, slots=True)
class Cast:
    type: AtomicType
    arg: Expr
    optional: bool


@node(frozen=True, slots=True)
class Castable:
    type: AtomicType
    arg: Expr
    optional: bool


@node(frozen=True, slots=True)
class Call:
    """A function call; the context item as a default argument is written out."""

    name: str
    args: tuple[Expr, ...]


@node(frozen=True, slots=True)
class If:
    condition: Expr
    then: Expr
    otherwise: Expr


@node(frozen=True, slots=True)
class Quantified:
    every: bool
    variable: str
    domain: Expr
    satisfies: Expr


# FLWOR


@node(frozen=True, slots=True)
class For:
    variable: str
    position: str | None
    domain: Expr
    allowing_empty: bool


@node(frozen=True, slots=True)
class Let:
    variable: str
    value: Expr


@node(frozen=True, slots=True)
class Where:
    condition: Expr


@node(frozen=True, slots=True)
class OrderKey:
    key: Expr
    descending: bool
    empty_greatest: bool


@node(frozen=True, slots=True)
class OrderBy:
    keys: tuple[OrderKey, ...]


@node(frozen=True, slots=True)
class GroupBy:
    """Variables whose values make a group; a `let` before it binds those that are new."""

    variables: tuple[str, ...]


@node(frozen=True, slots=True)
class Count:
    variable: str


Clause: TypeAlias = For | Let | Where | OrderBy | GroupBy | Count


@node(frozen=True, slots=True)
class Flwor:
    clauses: tuple[Clause, ...]
    returned: Expr


# Constructors: templates whose holes are expressions


@node(frozen=True, slots=True)
class Attribute:
    """Each part is made one string, and the strings are put together."""

    name: Name
    parts: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Element:
    """`namespaces` are declared on it beyond what its names need. Each part of `content` stands for itself."""

    name: Name
    namespaces: tuple[tuple[str, str], ...]
    attributes: tuple[Attribute, ...]
    content: tuple[Expr, ...]


@node(frozen=True, slots=True)
class NamedElement:
    """An element whose name is computed; `scope` are the prefixes that the name may have."""

    name: Expr
    scope: tuple[tuple[str, str], ...]
    content: Expr


@node(frozen=True, slots=True)
class NamedAttribute:
    name: Expr
    scope: tuple[tuple[str, str], ...]
    content: Expr


@node(frozen=True, slots=True)
class Text:
    content: Expr


@node(frozen=True, slots=True)
class Comment:
    content: Expr


@node(frozen=True, slots=True)
class Instruction:
    target: Expr
    content: Expr


@node(frozen=True, slots=True)
class Document:
    content: Expr


# What is delivered


@node(frozen=True, slots=True)
class Yielding:
    """The value of `flwor`; whether it has an item is noted for the constructor around it."""

    flwor: Expr


@node(frozen=True, slots=True)
class UnlessBarren:
    """The value of `constructor`, or nothing when none of the FLWORs noted in it yields an item."""

    constructor: Expr


Expr: TypeAlias = (
    Constant
    | Variable
    | Context
    | Root
    | Sequence
    | Path
    | Each
    | Mapped
    | Filter
    | Union
    | Intersect
    | Except
    | Or
    | And
    | Compare
    | CompareValues
    | CompareNodes
    | Arithmetic
    | Negate
    | Range
    | Cast
    | Castable
    | Call
    | If
    | Quantified
    | Flwor
    | Attribute
    | Element
    | NamedElement
    | NamedAttribute
    | Text
    | Comment
    | Instruction
    | Document
    | Yielding
    | UnlessBarren
)
