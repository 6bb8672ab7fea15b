"""Syntax trees of what only XQuery has; the rest are those of `penstock.syntax.ast`."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from penstock.node import node

if TYPE_CHECKING:
    from penstock.span import Span
    from penstock.syntax.ast import Expr, NameTest

NumberKind: TypeAlias = Literal["integer", "decimal", "double"]
BinaryOperator: TypeAlias = Literal[
    "eq", "ne", "lt", "le", "gt", "ge", "is", "<<", ">>", "to", "idiv", "||", "intersect", "except", "!"
]
ComputedKind: TypeAlias = Literal["element", "attribute", "text", "comment", "document", "processing-instruction"]


@node(frozen=True, slots=True)
class Numeral:
    """A number literal as written; its kind follows from its form: `1`, `1.0`, `1e0`."""

    kind: NumberKind
    text: str
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class ContextItem:
    """`.`, which need not be a node."""

    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Sequence:
    """`()` or `a, b, c`."""

    items: tuple[Expr, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Binary:
    """Operators that XPath 1.0 does not have."""

    operator: BinaryOperator
    left: Expr
    right: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Plus:
    """`+a`."""

    arg: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class ExpressionStep:
    """`base/step` where the step is no axis step: `$x/string()`, `a/(b | c)`."""

    base: Expr
    step: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Cast:
    """`arg cast as type` or `arg castable as type`; `optional` allows an empty sequence."""

    castable: bool
    arg: Expr
    type: NameTest
    optional: bool
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class For:
    """`for $variable at $position in domain`."""

    variable: str
    position: str | None
    domain: Expr
    allowing_empty: bool
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Let:
    """`let $variable := value`."""

    variable: str
    value: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Where:
    condition: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class OrderKey:
    """One key of `order by`; `empty_greatest` is None when the query does not say."""

    key: Expr
    descending: bool
    empty_greatest: bool | None
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class OrderBy:
    keys: tuple[OrderKey, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class GroupKey:
    """`$variable := value`, or a variable that is bound already."""

    variable: str
    value: Expr | None
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class GroupBy:
    keys: tuple[GroupKey, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Count:
    """`count $variable`: the number of the tuple."""

    variable: str
    span: Span = field(compare=False, kw_only=True)


Clause: TypeAlias = For | Let | Where | OrderBy | GroupBy | Count


@node(frozen=True, slots=True)
class Flwor:
    clauses: tuple[Clause, ...]
    returned: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Attribute:
    """An attribute of a direct constructor: literal text, and expressions in braces."""

    name: NameTest
    parts: tuple[str | Expr, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Element:
    """A direct constructor. `namespaces` are its declarations; boundary white space is gone from `content`."""

    name: NameTest
    namespaces: tuple[tuple[str, str], ...]
    attributes: tuple[Attribute, ...]
    content: tuple[str | Expr, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class DirectComment:
    text: str
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class DirectInstruction:
    target: str
    text: str
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Computed:
    """`element name {..}`, `element {name} {..}`, `text {..}` and so on; only some kinds have a name."""

    kind: ComputedKind
    name: NameTest | Expr | None
    content: Expr
    span: Span = field(compare=False, kw_only=True)


XQueryExpr: TypeAlias = (
    Numeral
    | ContextItem
    | Sequence
    | Binary
    | Plus
    | ExpressionStep
    | Cast
    | Flwor
    | Element
    | DirectComment
    | DirectInstruction
    | Computed
)


@node(frozen=True, slots=True)
class Declaration:
    """`declare namespace prefix = "uri"`, with an empty prefix for the default of elements; or an option's value."""

    kind: Literal["namespace", "option"]
    name: str
    value: str
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Module:
    """A whole query; `variables` are those of its prolog."""

    declarations: tuple[Declaration, ...]
    variables: tuple[Let, ...]
    preserve_space: bool
    empty_greatest: bool
    body: Expr
    span: Span = field(compare=False, kw_only=True)
