"""The normal form of a query: frozen nodes, names resolved to namespaces, abbreviations and sugar gone.

Mirrors `crates/engine/src/ir.rs`; `penstock.kernel.program` writes one as the other.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from penstock.node import node

Axis: TypeAlias = Literal[
    "child",
    "descendant",
    "descendant-or-self",
    "self",
    "attribute",
    "parent",
    "ancestor",
    "ancestor-or-self",
    "following-sibling",
    "preceding-sibling",
    "following",
    "preceding",
    "namespace",
]
ComparisonOperator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]
ArithmeticOperator: TypeAlias = Literal["+", "-", "*", "div", "mod"]


@node(frozen=True, slots=True)
class NameTest:
    """A test of the axis's principal kind; None is a wildcard, an empty `uri` means no namespace."""

    uri: str | None
    local: str | None


@node(frozen=True, slots=True)
class KindTest:
    """`node()`, `text()`, `comment()` or `processing-instruction(target)`."""

    kind: Literal["node", "text", "comment", "instruction"]
    target: str | None = None


Test: TypeAlias = NameTest | KindTest


@node(frozen=True, slots=True)
class Step:
    axis: Axis
    test: Test
    predicates: tuple[Expr, ...] = ()


@node(frozen=True, slots=True)
class Number:
    value: float


@node(frozen=True, slots=True)
class String:
    value: str


@node(frozen=True, slots=True)
class Variable:
    name: str


@node(frozen=True, slots=True)
class Context:
    """The context node."""


@node(frozen=True, slots=True)
class Root:
    """The document node."""


@node(frozen=True, slots=True)
class Path:
    """Steps taken from every node of `start`, in document order, each node once. Never empty of steps."""

    start: Expr
    steps: tuple[Step, ...]


@node(frozen=True, slots=True)
class Filter:
    """Predicates counted over the whole of `base` in document order: `(//a)[1]`."""

    base: Expr
    predicates: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Union:
    args: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Or:
    args: tuple[Expr, ...]


@node(frozen=True, slots=True)
class And:
    args: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Compare:
    comparison: ComparisonOperator
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class Arithmetic:
    operator: ArithmeticOperator
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class Negate:
    arg: Expr


@node(frozen=True, slots=True)
class Call:
    """A function call. Context-dependent defaults are written out: `string()` is `string(.)`."""

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


Expr: TypeAlias = (
    Number
    | String
    | Variable
    | Context
    | Root
    | Path
    | Filter
    | Union
    | Or
    | And
    | Compare
    | Arithmetic
    | Negate
    | Call
    | If
    | Quantified
)
ExprType: TypeAlias = Literal["nodes", "boolean", "number", "string", "any"]
