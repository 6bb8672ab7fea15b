"""Function calls and casts."""

from __future__ import annotations

from typing import cast

from penstock.errors import UnsupportedError
from penstock.plan.refusals import collation, unsupported_function
from penstock.plan.xquery import normal
from penstock.plan.xquery.builder import Builder
from penstock.syntax import ast
from penstock.syntax.cursor import closest
from penstock.syntax.functions import COLLATED, FUNCTION_NAMESPACE, FUNCTION_PREFIXES
from penstock.syntax.pattern import check_flags, check_pattern
from penstock.syntax.xquery.functions import FUNCTIONS, SCHEMA_NAMESPACE, STREAM_FUNCTIONS, TYPES, UNSUPPORTED

_PATTERNED = frozenset(("matches", "replace", "tokenize"))


class Calls(Builder):
    """Checks names, numbers of arguments and regular expressions that stand in the query."""

    def call(self, tree: ast.Call) -> normal.Expr:
        """A call with its default argument written out; a constructor function is a cast."""
        prefix, _, name = tree.name.rpartition(":")
        uri = self.names.function_uri(prefix, tree.name_span)
        if uri == SCHEMA_NAMESPACE:
            return self.constructor_function(tree, name)
        if uri in FUNCTION_PREFIXES.values():
            raise unsupported_function(f"the function {tree.name}()", tree, self.query)
        if uri != FUNCTION_NAMESPACE:
            raise self.error("XPST0017", f"there is no function {tree.name}()", tree.name_span)
        arity = FUNCTIONS.get(name)
        if name in UNSUPPORTED:
            what = f"the stream function {name}()" if name in STREAM_FUNCTIONS else f"the function {name}()"
            raise unsupported_function(what, tree, self.query)
        if arity is None:
            guess = closest(name, FUNCTIONS)
            message = f"there is no function {name}()"
            raise self.error("XPST0017", message, tree.name_span, suggestion=guess and f"{guess}()")
        if len(tree.args) == COLLATED.get(name):
            raise collation(tree, self.query)
        if not arity.accepts(len(tree.args)):
            message = f"{name}() takes {arity.text}, not {len(tree.args)}"
            raise self.error("XPST0017", message, tree.span)
        if name in _PATTERNED:
            self.check_regex(name, tree)
        args = tuple(map(self.expression, tree.args))
        if arity.takes_context and not args:
            args = (normal.Context(),)
        return normal.Call(name, args)

    def constructor_function(self, tree: ast.Call, name: str) -> normal.Expr:
        """`xs:integer(e)` is `e cast as xs:integer?`."""
        kind = self.atomic_type(ast.NameTest(name, uri=SCHEMA_NAMESPACE, span=tree.name_span))
        if len(tree.args) != 1:
            raise self.error("XPST0017", f"{tree.name}() takes 1 argument, not {len(tree.args)}", tree.span)
        return normal.Cast(kind, self.expression(tree.args[0]), optional=True)

    def atomic_type(self, name: ast.NameTest) -> normal.AtomicType:
        """The type of a cast."""
        uri = name.uri if name.prefix is None else self.names.uri(name.prefix, name.span)
        if uri != SCHEMA_NAMESPACE or name.local not in TYPES:
            raise UnsupportedError(
                "PNST0003",
                f"the type {name.local} is not supported",
                construct=f"the type {name.local}",
                query=self.query,
                span=name.span,
            )
        return cast("normal.AtomicType", name.local)

    def check_regex(self, name: str, tree: ast.Call) -> None:
        """A pattern or flags that stand in the query are checked now; those that come from documents cannot be."""
        if len(tree.args) < 2:
            return
        place = 3 if name == "replace" else 2
        flags = tree.args[place] if len(tree.args) > place else None
        written = flags.value if isinstance(flags, ast.String) else ""
        if flags is not None:
            check_flags(written, self.query, flags.span)
        pattern = tree.args[1]
        if isinstance(pattern, ast.String) and "q" not in written:
            check_pattern(pattern.value, self.query, pattern.span, ignore_space="x" in written)
