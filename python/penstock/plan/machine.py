"""A query as the streaming machine runs it: a tree of steps with conditions.

Mirrors `crates/engine/src/machine/program.rs`; `penstock.kernel.program` writes one as the other.
Step 0 is the document node, the steps of a program are numbered from 1.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from penstock.node import node
from penstock.plan import normal
from penstock.plan.xquery import normal as xquery

DOCUMENT = 0

Keep: TypeAlias = Literal["nothing", "tape", "source"]
StepAxis: TypeAlias = Literal[
    "self", "child", "descendant", "descendant-or-self", "attribute", "following-sibling", "following"
]
Role: TypeAlias = Literal["trunk", "branch", "side"]
UpAxis: TypeAlias = Literal["parent", "ancestor"]
BeforeAxis: TypeAlias = Literal["preceding-sibling", "preceding"]
When: TypeAlias = Literal["start", "end", "parent", "document"]
Function: TypeAlias = Literal["count", "sum", "avg", "min", "max"]


@node(frozen=True, slots=True)
class Known:
    value: bool


@node(frozen=True, slots=True)
class All:
    """Conjunction, read from left to right."""

    args: tuple[Condition, ...]


@node(frozen=True, slots=True)
class Any:
    """Disjunction."""

    args: tuple[Condition, ...]


@node(frozen=True, slots=True)
class Not:
    arg: Condition


@node(frozen=True, slots=True)
class Exists:
    """Some node is matched by the branch; a branch of the document node is asked of the document."""

    step: int


@node(frozen=True, slots=True)
class Is:
    """The node itself passes the test."""

    test: normal.Test


@node(frozen=True, slots=True)
class TextTest:
    comparison: normal.ComparisonOperator
    value: str


@node(frozen=True, slots=True)
class NumberTest:
    comparison: normal.ComparisonOperator
    value: float


@node(frozen=True, slots=True)
class PartTest:
    """`contains`, `starts-with` or `ends-with` a constant."""

    function: Literal["contains", "starts-with", "ends-with"]
    value: str


ValueTest: TypeAlias = TextTest | NumberTest | PartTest


@node(frozen=True, slots=True)
class Value:
    """The node's string value passes the test."""

    test: ValueTest


@node(frozen=True, slots=True)
class Up:
    """A node above is matched by the side step."""

    axis: UpAxis
    step: int


@node(frozen=True, slots=True)
class Before:
    """A node already closed is matched by the side step."""

    axis: BeforeAxis
    step: int


@node(frozen=True, slots=True)
class Position:
    """The node's place among its siblings that came as far as this condition."""

    comparison: normal.ComparisonOperator
    value: float


@node(frozen=True, slots=True)
class Place:
    """The node's place among all nodes of the document that came as far as this condition."""

    comparison: normal.ComparisonOperator
    value: float


@node(frozen=True, slots=True)
class Eval:
    """The truth of an expression, found by the evaluator when all it can reach is known.

    Here and below `reason` tells people why the machine does not decide it by itself.
    """

    expr: normal.Expr
    when: When
    counted: bool = False
    reason: str = field(default="", compare=False)


Condition: TypeAlias = Known | All | Any | Not | Exists | Is | Value | Up | Before | Position | Place | Eval


@node(frozen=True, slots=True)
class Step:
    start: int
    axis: StepAxis
    test: normal.Test
    role: Role
    condition: Condition | None = None
    keep: Keep = "nothing"


@node(frozen=True, slots=True)
class Selected:
    """The nodes that a step matches."""

    step: int


@node(frozen=True, slots=True)
class Tail:
    """What the expression gives for each node that the step matches."""

    step: int
    expr: normal.Expr
    when: When
    reason: str = field(default="", compare=False)


Origin: TypeAlias = Selected | Tail


@node(frozen=True, slots=True)
class Nodes:
    origins: tuple[Origin, ...]


@node(frozen=True, slots=True)
class Aggregate:
    function: Function
    origins: tuple[Origin, ...]
    running: bool = False


@node(frozen=True, slots=True)
class Truth:
    """A condition on the document node."""

    condition: Condition


@node(frozen=True, slots=True)
class Final:
    """The value of an expression at the document's end."""

    expr: normal.Expr
    reason: str = field(default="", compare=False)


@node(frozen=True, slots=True)
class Query:
    """The items of an XQuery query at the document's end; `text` is the query as people read it."""

    query: xquery.Expr
    text: str = field(default="", compare=False)
    reason: str = field(default="", compare=False)


Sink: TypeAlias = Nodes | Aggregate | Truth | Final | Query


TestOperator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "contains", "starts-with", "ends-with"]


@node(frozen=True, slots=True)
class Test:
    """A comparison with a literal; `value` gives atomic values for a node, the value of `GIVEN`."""

    value: xquery.Expr
    operator: TestOperator
    literal: xquery.Constant


@node(frozen=True, slots=True)
class Bindings:
    """A query of the nodes that a pattern has selected, which are the value of the variable `GIVEN`.

    The pattern compared the values of `doubts`, paths from such a node, as numbers. Where one is no plain numeral, the
    `residual` is evaluated instead, which has all conditions of the query. What a query that `is_prompt` gives for one
    node needs nothing else and cannot fail. A node that does not pass the `tests` is no binding.
    """

    query: xquery.Expr
    doubts: tuple[xquery.Expr, ...] = ()
    residual: xquery.Expr | None = None
    is_prompt: bool = False
    tests: tuple[Test, ...] = ()


@node(frozen=True, slots=True)
class OwnQuery:
    """The whole query of XQuery, as its sink has it."""


@node(frozen=True, slots=True)
class Verified:
    """The nodes, or the truth, of a whole query of XPath."""

    expr: normal.Expr
    gives: Literal["nodes", "truth"]


Work: TypeAlias = Bindings | OwnQuery | Verified

GIVEN = "#"


@node(frozen=True, slots=True)
class Shared:
    """How an index helps with what it cannot hold: the work is done when the pattern has selected something."""

    pattern: Program
    work: Work
    says: tuple[str, ...] = field(default=(), compare=False)


@node(frozen=True, slots=True)
class Program:
    steps: tuple[Step, ...]
    sink: Sink
    keep: Keep = "nothing"
    deliver_empty: bool = False
    shared: Shared | None = None
