"""What is known of an XQuery expression before it is evaluated."""

from __future__ import annotations

from penstock.plan.xquery import normal

_BOOLEAN_CALLS = frozenset(
    "boolean not true false exists empty starts-with ends-with contains matches lang deep-equal".split()
)
_STRING_CALLS = frozenset(
    """string concat substring substring-before substring-after normalize-space translate lower-case upper-case
    string-join replace local-name namespace-uri name codepoints-to-string""".split()
)
_NUMBER_CALLS = frozenset("count position last string-length number compare".split())
_ATOMIC_CALLS = _BOOLEAN_CALLS | _STRING_CALLS | _NUMBER_CALLS | frozenset(("sum", "data", "distinct-values", "avg"))


def gives_nodes_only(expr: normal.Expr) -> bool:
    """Whether every item of the value is certainly a node."""
    match expr:
        case normal.Path() | normal.Union() | normal.Intersect() | normal.Except() | normal.Root():
            return True
        case normal.Filter():
            return gives_nodes_only(expr.base)
        case normal.Element() | normal.NamedElement() | normal.Text() | normal.Document():
            return True
        case _:
            return False


def gives_atomics_only(expr: normal.Expr) -> bool:
    """Whether no item of the value can be a node."""
    match expr:
        case normal.Constant() | normal.Arithmetic() | normal.Negate() | normal.Range():
            return True
        case normal.Cast() | normal.Castable() | normal.Quantified() | normal.Or() | normal.And():
            return True
        case normal.Compare() | normal.CompareValues() | normal.CompareNodes():
            return True
        case normal.Call():
            return expr.name in _ATOMIC_CALLS
        case normal.Sequence():
            return all(map(gives_atomics_only, expr.items))
        case normal.If():
            return gives_atomics_only(expr.then) and gives_atomics_only(expr.otherwise)
        case normal.Flwor():
            return gives_atomics_only(expr.returned)
        case _:
            return False


def may_be_position(predicate: normal.Expr) -> bool:
    """Whether a predicate may select by position: its value may be a number, or it asks for position or size."""
    match predicate:
        case normal.Or() | normal.And():
            return any(map(asks_position, predicate.args))
        case normal.Compare() | normal.CompareValues() | normal.CompareNodes() | normal.Quantified():
            return asks_position(predicate)
        case normal.Call(name=name) if name in _BOOLEAN_CALLS or name in _STRING_CALLS:
            return asks_position(predicate)
        case _:
            return not gives_nodes_only(predicate) or asks_position(predicate)


def asks_position(expr: normal.Expr) -> bool:
    """Whether `position()` or `last()` of the surrounding focus may be asked for; errs on the side of yes."""
    match expr:
        case normal.Call(name="position" | "last"):
            return True
        case normal.Path():
            return asks_position(expr.start)
        case normal.Filter():
            return asks_position(expr.base)
        case normal.Constant() | normal.Variable() | normal.Context() | normal.Root():
            return False
        case normal.Call() | normal.Or() | normal.And() | normal.Union():
            return any(map(asks_position, expr.args))
        case (
            normal.Compare()
            | normal.CompareValues()
            | normal.CompareNodes()
            | normal.Arithmetic()
            | normal.Intersect()
            | normal.Except()
        ):
            return asks_position(expr.left) or asks_position(expr.right)
        case _:
            return True
