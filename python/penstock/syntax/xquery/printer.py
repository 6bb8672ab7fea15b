"""XQuery trees as text. Parsing the text gives the same tree again."""

from __future__ import annotations

from penstock.syntax import ast
from penstock.syntax.printer import string_text, test_text
from penstock.syntax.xquery import ast as xq
from penstock.syntax.xquery.references import escaped


def to_text(module: xq.Module) -> str:
    """The query that a tree stands for.

    >>> from penstock.syntax.xquery.prolog import parse
    >>> to_text(parse("declare namespace p='urn:p'; (1,2)[. gt 1], <p:a b='{1}c'/>"))
    "declare namespace p = 'urn:p'; (1, 2)[. gt 1], <p:a b='{1}c'/>"
    """
    lines = []
    for one in module.declarations:
        value = _literal(one.value)
        if one.kind == "option":
            lines.append(f"declare option {one.name} {value}; ")
        elif one.name:
            lines.append(f"declare namespace {one.name} = {value}; ")
        else:
            lines.append(f"declare default element namespace {value}; ")
    lines += [f"declare variable ${one.variable} := {_single(one.value)}; " for one in module.variables]
    if module.preserve_space:
        lines.append("declare boundary-space preserve; ")
    if module.empty_greatest:
        lines.append("declare default order empty greatest; ")
    return "".join(lines) + expression_text(module.body, outermost=True)


def expression_text(expr: ast.Expr, *, outermost: bool = False) -> str:
    """One expression; `outermost` lets a sequence stand without parentheses."""
    if isinstance(expr, xq.Sequence) and outermost and len(expr.items) > 1:
        return ", ".join(_single(item) for item in expr.items)
    return _single(expr)


def _single(expr: ast.Expr) -> str:
    match expr:
        case xq.Flwor():
            return " ".join((*map(_clause, expr.clauses), f"return {_single(expr.returned)}"))
        case ast.If():
            condition = expression_text(expr.condition, outermost=True)
            return f"if ({condition}) then {_single(expr.then)} else {_single(expr.otherwise)}"
        case ast.Quantified():
            word = "every" if expr.every else "some"
            return f"{word} ${expr.variable} in {_single(expr.domain)} satisfies {_single(expr.satisfies)}"
        case ast.Or():
            return " or ".join(map(_operand, expr.args))
        case ast.And():
            return " and ".join(map(_operand, expr.args))
        case ast.Union():
            return " | ".join(map(_operand, expr.args))
        case ast.Compare() | ast.Arithmetic() | xq.Binary():
            return f"{_operand(expr.left)} {expr.operator} {_operand(expr.right)}"
        case ast.Negate():
            return f"-{_operand(expr.arg)}"
        case xq.Plus():
            return f"+{_operand(expr.arg)}"
        case xq.Cast():
            word = "castable" if expr.castable else "cast"
            return f"{_operand(expr.arg)} {word} as {_name(expr.type)}{'?' if expr.optional else ''}"
        case ast.Root():
            # A step could be read on from a bare one.
            return "(/)"
        case _:
            return _path_or_primary(expr)


_OPEN = (
    xq.Flwor, ast.If, ast.Quantified, ast.Or, ast.And, ast.Union, ast.Compare, ast.Arithmetic, xq.Binary, ast.Negate,
    xq.Plus, xq.Cast,
)  # fmt: skip

_PATHS = (ast.Path, ast.Filter, xq.ExpressionStep)


def _operand(expr: ast.Expr) -> str:
    """In parentheses unless it holds together by itself."""
    return f"({_single(expr)})" if isinstance(expr, _OPEN) else _single(expr)


def _primary(expr: ast.Expr) -> str:
    """In parentheses unless it is a primary expression."""
    return f"({_single(expr)})" if isinstance(expr, (*_OPEN, *_PATHS)) else _single(expr)


def _path_or_primary(expr: ast.Expr) -> str:
    match expr:
        case ast.Path():
            return _path(expr)
        case ast.Filter():
            return _primary(expr.base) + _predicates(expr.predicates)
        case xq.ExpressionStep():
            return f"{_start(expr.base)}/{_step_expression(expr.step)}"
        case ast.Number() | ast.String() | ast.Variable() | xq.Numeral() | xq.ContextItem():
            return _atom(expr)
        case ast.Call():
            return f"{expr.name}({', '.join(map(_single, expr.args))})"
        case xq.Sequence():
            return f"({', '.join(map(_single, expr.items))})"
        case _:
            return _constructor(expr)


def _atom(expr: ast.Number | ast.String | ast.Variable | xq.Numeral | xq.ContextItem) -> str:
    match expr:
        case ast.String():
            return _literal(expr.value)
        case ast.Variable():
            return f"${expr.name}"
        case xq.Numeral():
            return expr.text
        case xq.ContextItem():
            return "."
        case ast.Number():
            return repr(expr.value)


def _literal(value: str) -> str:
    return string_text(value.replace("&", "&amp;"))


def _step_expression(expr: ast.Expr) -> str:
    """A filter may be a step as it is."""
    return _single(expr) if isinstance(expr, ast.Filter) else _primary(expr)


def _start(expr: ast.Expr) -> str:
    """What a step follows; another path goes on as it is."""
    if isinstance(expr, ast.Root):
        return ""
    if isinstance(expr, ast.Path) and expr.steps[-1].axis == "descendant-or-self" and _is_any(expr.steps[-1]):
        # The step's own slash would make `//` of it.
        return _path(expr, ends_in_step=True)
    return _single(expr) if isinstance(expr, _PATHS) else _primary(expr)


def _path(path: ast.Path, *, ends_in_step: bool = False) -> str:
    pieces = []
    if path.start is not None:
        # Written bare, the steps of a path would be read as steps of this one.
        pieces = [f"({_path(path.start)})" if isinstance(path.start, ast.Path) else _start(path.start)]
    separator = "" if path.start is None else "/"
    last = len(path.steps) - 1
    for index, step in enumerate(path.steps):
        if separator == "/" and (index < last or ends_in_step) and _is_any(step) and step.axis == "descendant-or-self":
            separator = "/" if index == last else "//"
            if index == last:
                pieces.append("/")
        else:
            pieces += [separator, _step(step)]
            separator = "/"
    return "".join(pieces)


def _is_any(step: ast.Step) -> bool:
    return isinstance(step.test, ast.KindTest) and step.test.kind == "node" and not step.predicates


def _step(step: ast.Step) -> str:
    if step.axis == "parent" and isinstance(step.test, ast.KindTest) and step.test.kind == "node":
        return ".." + _predicates(step.predicates)
    axis = {"child": "", "attribute": "@"}.get(step.axis, f"{step.axis}::")
    return axis + test_text(step.test) + _predicates(step.predicates)


def _predicates(predicates: tuple[ast.Expr, ...]) -> str:
    return "".join(f"[{expression_text(one, outermost=True)}]" for one in predicates)


def _clause(clause: xq.Clause) -> str:
    match clause:
        case xq.For():
            empty = " allowing empty" if clause.allowing_empty else ""
            at = f" at ${clause.position}" if clause.position else ""
            return f"for ${clause.variable}{empty}{at} in {_single(clause.domain)}"
        case xq.Let():
            return f"let ${clause.variable} := {_single(clause.value)}"
        case xq.Where():
            return f"where {_single(clause.condition)}"
        case xq.Count():
            return f"count ${clause.variable}"
        case xq.GroupBy():
            keys = (f"${key.variable}" + (f" := {_single(key.value)}" if key.value else "") for key in clause.keys)
            return f"group by {', '.join(keys)}"
        case xq.OrderBy():
            return f"order by {', '.join(map(_order_key, clause.keys))}"


def _order_key(key: xq.OrderKey) -> str:
    empty = "" if key.empty_greatest is None else f" empty {'greatest' if key.empty_greatest else 'least'}"
    return f"{_single(key.key)}{' descending' if key.descending else ''}{empty}"


def _constructor(expr: ast.Expr) -> str:
    match expr:
        case xq.Element():
            return _element(expr)
        case xq.DirectComment():
            return f"<!--{expr.text}-->"
        case xq.DirectInstruction():
            return f"<?{expr.target}{' ' if expr.text else ''}{expr.text}?>"
        case xq.Computed():
            if expr.name is None:
                name = ""
            elif isinstance(expr.name, ast.NameTest):
                name = f" {_name(expr.name)}"
            else:
                name = f" {_braced(expr.name)}"
            return f"{expr.kind}{name} {_braced(expr.content)}"
        case _:
            raise TypeError(f"no expression of XQuery: {type(expr).__name__}")


def _braced(expr: ast.Expr) -> str:
    if isinstance(expr, xq.Sequence) and not expr.items:
        return "{}"
    return f"{{{expression_text(expr, outermost=True)}}}"


def _name(name: ast.NameTest) -> str:
    return test_text(name)


def _element(element: xq.Element) -> str:
    name = _name(element.name)
    declared = [f" xmlns{':' if prefix else ''}{prefix}='{_quoted(uri)}'" for prefix, uri in element.namespaces]
    attributes = [f" {_name(one.name)}='{''.join(map(_attribute_part, one.parts))}'" for one in element.attributes]
    opening = f"<{name}{''.join(declared)}{''.join(attributes)}"
    if not element.content:
        return f"{opening}/>"
    return f"{opening}>{''.join(map(_part, element.content))}</{name}>"


def _part(part: str | ast.Expr) -> str:
    if isinstance(part, xq.Element | xq.DirectComment | xq.DirectInstruction):
        return _constructor(part)
    if not isinstance(part, str):
        return _braced(part)
    # White space alone would be taken for boundary space.
    return escaped(part, "" if part.strip(" \t\r\n") else " \t\n", _double_braces)


def _attribute_part(part: str | ast.Expr) -> str:
    return _quoted(part) if isinstance(part, str) else _braced(part)


def _quoted(text: str) -> str:
    return escaped(text, "'\t\n", _double_braces)


def _double_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
