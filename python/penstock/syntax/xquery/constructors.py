"""Constructors: direct ones, which are XML with holes, and computed ones.

Direct constructors have lexical rules of their own: they are read from the text, and the scanner is moved past them.
"""

from __future__ import annotations

import re

from penstock.errors import QueryError
from penstock.span import Span
from penstock.syntax import ast
from penstock.syntax.lexer import Token
from penstock.syntax.xquery import ast as xq
from penstock.syntax.xquery.flwor import FlworParser
from penstock.syntax.xquery.references import expanded

_SPACE = re.compile(r"[ \t\r\n]*")
_EQUALS = re.compile(r"[ \t\r\n]*=[ \t\r\n]*")
_PLAIN_CONTENT = re.compile(r"[^<{}&]+")
_REFERENCE = re.compile(r"&[^;&<{}]*;?")
_INSTRUCTION = re.compile(r"([^ \t\r\n]*)[ \t\r\n]*(.*)", re.DOTALL)
_OPENING = re.compile(r"<(?=[^\W\d]|[!?])")


class ConstructorParser(FlworParser):
    """Reads constructors where an operand may stand."""

    preserve_space = False

    def primary(self) -> ast.Expr:
        """Also constructors."""
        if self.token.text == "<" and _OPENING.match(self.text, self.token.start):
            return self.direct()
        if self.at_constructor():
            return self.computed()
        if self.token.text in ("ordered", "unordered") and self.peek_is("{"):
            # Everything is in order here, which `unordered` allows.
            self.advance()
            return self.braced()
        return super().primary()

    def seek(self, offset: int) -> None:
        """Go on with the tokens after `offset`."""
        self.previous = Token("symbol", "", offset, offset)
        self.token = self.lexer.scan(offset)
        self._next = None

    def direct(self) -> ast.Expr:
        """The constructor at the current `<`."""
        made, end = self.markup(self.token.start)
        self.seek(end)
        return made

    def markup(self, start: int) -> tuple[ast.Expr, int]:
        """An element, comment or instruction, and where it ends."""
        text = self.text
        if text.startswith("<!--", start):
            end = self.find("-->", start + 4, start, "comment")
            body = text[start + 4 : end]
            if "--" in body or body.endswith("-"):
                raise self.wrong("a comment cannot hold '--' or end in '-'", start, end + 3)
            return xq.DirectComment(body, span=Span(start, end + 3)), end + 3
        if text.startswith("<?", start):
            end = self.find("?>", start + 2, start, "processing instruction")
            target, body = _INSTRUCTION.fullmatch(text, start + 2, end).groups()  # type: ignore[union-attr]
            if target.lower() == "xml" or not target:
                raise self.wrong("a processing instruction needs a target other than 'xml'", start, end + 2)
            return xq.DirectInstruction(target, body, span=Span(start, end + 2)), end + 2
        return self.element(start)

    def element(self, start: int) -> tuple[ast.Expr, int]:
        """An element with its attributes and content."""
        self.depth += 1
        if self.depth > self.limits.max_depth:
            raise self.too_deep(Span(start, start + 1))
        name, at = self.markup_name(start + 1)
        namespaces: list[tuple[str, str]] = []
        attributes: list[xq.Attribute] = []
        while True:
            space = _SPACE.match(self.text, at)
            after = space.end() if space else at
            if self.text.startswith(("/>", ">"), after):
                at = after
                break
            if after == at:
                raise self.wrong("expected white space, '>' or '/>' in a start tag", at, at + 1)
            at = self.attribute(after, namespaces, attributes)
        content: tuple[str | ast.Expr, ...] = ()
        if self.text[at] == "/":
            at += 2
        else:
            content, at = self.content(at + 1, start)
            closing, after = self.markup_name(at + 2)
            if closing != name:
                raise self.wrong(f"the end tag does not match <{_written(name)}>", at, after)
            space = _SPACE.match(self.text, after)
            after = space.end() if space else after
            if not self.text.startswith(">", after):
                raise self.wrong("expected '>' at the end of a tag", after, after + 1)
            at = after + 1
        self.depth -= 1
        made = xq.Element(name, tuple(namespaces), tuple(attributes), content, span=Span(start, at))
        return made, at

    def markup_name(self, at: int) -> tuple[ast.NameTest, int]:
        """A qualified name in markup, where no space may come before it."""
        token = self.lexer.scan(at) if self.text[at : at + 1] not in ("", " ", "\t", "\r", "\n", "(") else None
        if token is None or token.kind not in ("name", "qname") or token.start != at:
            raise self.wrong("expected a name", at, at + 1)
        prefix, _, local = token.text.rpartition(":")
        return ast.NameTest(local, prefix or None, span=token.span), token.end

    def attribute(self, start: int, namespaces: list[tuple[str, str]], attributes: list[xq.Attribute]) -> int:
        """An attribute or a namespace declaration; returns where it ends."""
        name, at = self.markup_name(start)
        equals = _EQUALS.match(self.text, at)
        at = equals.end() if equals else at
        if equals is None or self.text[at : at + 1] not in ('"', "'"):
            raise self.wrong("expected '=' and a value in quotes after an attribute's name", at, at + 1)
        parts, end = self.attribute_parts(at)
        is_default = name.prefix is None and name.local == "xmlns"
        if not is_default and name.prefix != "xmlns":
            attributes.append(xq.Attribute(name, parts, span=Span(start, end)))
            return end
        if not all(isinstance(part, str) for part in parts):
            raise self.wrong("a namespace declaration cannot hold an expression", start, end, "XQST0022")
        prefix = "" if is_default else name.local
        if any(prefix == known for known, _ in namespaces):
            raise self.wrong("a prefix is declared twice on one element", start, end, "XQST0071")
        uri = "".join(part for part in parts if isinstance(part, str))
        if prefix and not uri:
            raise self.wrong("a prefix cannot be bound to no namespace", start, end, "XQST0085")
        namespaces.append((prefix, uri))
        return end

    def attribute_parts(self, opening: int) -> tuple[tuple[str | ast.Expr, ...], int]:
        """The value in the quotes that open at `opening`: text with white space normalised, and expressions."""
        quote = self.text[opening]
        parts: list[str | ast.Expr] = []
        run: list[str] = []
        at = opening + 1
        while True:
            character = self.text[at : at + 1]
            if self.text.startswith((quote * 2, "{{", "}}"), at):
                run.append(character)
                at += 2
            elif character == quote:
                break
            elif character == "{":
                at = self.hole(at, parts, run)
            elif character == "&":
                at = self.reference(at, run)
            elif character in ("", "<", "}"):
                raise self.wrong("expected the end of an attribute's value" + _HINTS.get(character, ""), at, at + 1)
            else:
                # A line end counts as one white space character.
                width = 2 if self.text.startswith("\r\n", at) else 1
                run.append(" " if character in "\t\r\n" else character)
                at += width
        _flush(run, parts)
        return tuple(parts), at + 1

    def content(self, at: int, opened: int) -> tuple[tuple[str | ast.Expr, ...], int]:
        """What lies between the tags; returns where the end tag begins."""
        parts: list[str | ast.Expr] = []
        run: list[str] = []
        only_space = True
        while True:
            character = self.text[at : at + 1]
            plain = _PLAIN_CONTENT.match(self.text, at)
            if plain:
                text = plain[0].replace("\r\n", "\n").replace("\r", "\n")
                run.append(text)
                only_space = only_space and not text.strip(" \t\r\n")
                at = plain.end()
            elif self.text.startswith(("{{", "}}"), at):
                run.append(character)
                only_space = False
                at += 2
            elif character == "&":
                at = self.reference(at, run)
                only_space = False
            elif self.text.startswith("<![CDATA[", at):
                end = self.find("]]>", at, at, "CDATA section")
                run.append(self.text[at + 9 : end])
                only_space = False
                at = end + 3
            else:
                if only_space and not self.preserve_space:
                    run.clear()
                only_space = True
                if self.text.startswith("</", at):
                    _flush(run, parts)
                    return tuple(parts), at
                if character == "{":
                    at = self.hole(at, parts, run)
                elif character == "<":
                    _flush(run, parts)
                    made, at = self.markup(at)
                    parts.append(made)
                elif character == "}":
                    raise self.wrong("'}' is written '}}' in the content of an element", at, at + 1)
                else:
                    raise self.wrong("the element that starts here has no end", opened, opened + 1)

    def hole(self, at: int, parts: list[str | ast.Expr], run: list[str]) -> int:
        """An expression in braces; returns where the text goes on."""
        _flush(run, parts)
        self.seek(at + 1)
        if self.at("}"):
            parts.append(xq.Sequence((), span=Span(at, self.token.end)))
        else:
            parts.append(self.sequence())
            if not self.at("}"):
                raise self.refused_after_operand("'}'", "','")
        return self.token.end

    def reference(self, at: int, run: list[str]) -> int:
        """An entity or character reference; returns where the text goes on."""
        match = _REFERENCE.match(self.text, at)
        written = match[0] if match else "&"
        run.append(expanded(written, self.text, at))
        return at + len(written)

    def computed(self) -> xq.Computed:
        """`element name {..}` and its like."""
        start = self.token.start
        kind: xq.ComputedKind = self.advance().text  # type: ignore[assignment]
        name: ast.NameTest | ast.Expr | None = None
        if kind in ("element", "attribute", "processing-instruction"):
            if self.at("{"):
                name = self.braced()
            else:
                test = self.node_test()
                name = test if isinstance(test, ast.NameTest) else None
        return xq.Computed(kind, name, self.braced(), span=self.span_from(start))

    def braced(self) -> ast.Expr:
        """An expression in braces, which may be empty."""
        start = self.expect("{").start
        if self.accept("}"):
            return xq.Sequence((), span=self.span_from(start))
        inner = self.sequence()
        self.close("}", "','")
        return inner

    def find(self, mark: str, at: int, start: int, what: str) -> int:
        """Where `mark` is."""
        found = self.text.find(mark, at)
        if found < 0:
            raise self.wrong(f"the {what} that starts here has no end", start, start + 2)
        return found

    def wrong(self, message: str, start: int, end: int, code: str = "XPST0003") -> QueryError:
        """An error in a direct constructor."""
        return QueryError(code, message, query=self.text, span=Span(start, min(end, max(len(self.text), start))))


_HINTS = {"<": "; '<' is written '&lt;'", "}": "; '}' is written '}}'"}


def _flush(run: list[str], parts: list[str | ast.Expr]) -> None:
    if text := "".join(run):
        parts.append(text)
    run.clear()


def _written(name: ast.NameTest) -> str:
    return name.local if name.prefix is None else f"{name.prefix}:{name.local}"
