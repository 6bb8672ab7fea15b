"""XQuery's trees, and the text they are printed as."""

from __future__ import annotations

import pytest

from penstock.syntax.xquery import ast as xq
from penstock.syntax.xquery.printer import to_text
from penstock.syntax.xquery.prolog import parse

# What is read, and what is written; None where that is the same.
TEXTS = {
    "for $b in //book return $b": None,
    "for $a in 1 to 3, $b at $i in $a return ($a, $b, $i)": "for $a in 1 to 3 for $b at $i in $a return ($a, $b, $i)",
    "let $x := (1, 2) where $x = 2 order by $x descending empty greatest return $x": None,
    "for $x in //a stable order by $x ascending, $x/b return $x": "for $x in //a order by $x, $x/b return $x",
    "for $x in //a group by $k := $x/@k, $x count $n return $n": None,
    "for $x allowing empty in //a return $x": None,
    "some $x in (1), $y in (2) satisfies $x=$y": "some $x in 1 satisfies some $y in 2 satisfies $x = $y",
    "if (1, 2) then () else (3)": "if (1, 2) then () else 3",
    "1 + 2 * 3 - -4": "(1 + (2 * 3)) - (-4)",
    "-1 | 2": "(-1) | 2",
    "a union b | c": "a | b | c",
    "a intersect b except c": "(a intersect b) except c",
    "1 eq 2 or 3 is 4 and 5 << 6": "(1 eq 2) or ((3 is 4) and (5 << 6))",
    "'a' || 'b' || 'c'": "('a' || 'b') || 'c'",
    "1 idiv 2 mod 3": "(1 idiv 2) mod 3",
    "//a ! (. * 2)": "//a ! (. * 2)",
    "a/b/string()": None,
    "a//string()": None,
    "a/(b | c)/d": None,
    "$x[1][2]/a[3]": None,
    "(//a)[1]": None,
    "(//a)/b/(c)": None,
    "..[1]/.": "..[1]/.",
    "'1' cast as xs:integer?": None,
    "-'1' castable as xs:double": "(-'1') castable as xs:double",
    "/": "(/)",
    "'it''s &lt; \"x\" &amp; y'": "'it''s < \"x\" &amp; y'",
    "1.50 + 1e3": None,
    "<a/>": None,
    "<a b = \"x{1}y\" c='&#65;'> x {2} </a>": "<a b='x{1}y' c='A'> x {2}</a>",
    "<a>  <b/>  {1}  </a>": "<a><b/>{1}</a>",
    "<a>&#32;</a>": None,
    "<a>{{}}<![CDATA[<&]]></a>": "<a>{{}}&#60;&#38;</a>",
    "<p:a xmlns:p='urn:p' xmlns=''><!--c--><?t d?></p:a>": None,
    "<?p\n a\n b ?>": "<?p a\n b ?>",
    "<?p?>": None,
    "element a {1}": None,
    "element {'a'} {attribute b {1}, text {2}}": None,
    "document {comment {'c'}, processing-instruction p {'d'}}": None,
    "//element()/element(a)/attribute(b) | attribute() | self::element(*)": "//*/a/@b | @* | self::*",
    "//processing-instruction(p)/processing-instruction()": "//processing-instruction('p')/processing-instruction()",
    "ordered {unordered {//a}}": "//a",
    "declare namespace p = 'u'; declare default element namespace 'v'; declare option p:o 'x'; 1, 2": None,
    "declare variable $x := 1; declare variable $y := ($x, 2); $y": None,
    'xquery version "3.1"; //a': "//a",
    "xquery version '1.0' encoding 'utf-8'; declare namespace p = 'u'; //p:a": "declare namespace p = 'u'; //p:a",
    "xquery encoding 'latin-1'; xquery": "xquery",
    "xquery (: the newest :) version '3.0' ; version": "version",
    "declare boundary-space preserve; <a> </a>": "declare boundary-space preserve; <a>&#32;</a>",
    "declare default order empty greatest; declare ordering unordered; 1": "declare default order empty greatest; 1",
    "for (: a (: nested :) comment :) $x in 1 return $x": "for $x in 1 return $x",
    "for/return": "for/return",
    "element": None,
}


@pytest.mark.parametrize("query", TEXTS)
def test_printed_text_means_the_same(query: str) -> None:
    tree = parse(query)
    text = to_text(tree)
    assert text == (TEXTS[query] or query)
    assert parse(text) == tree


def test_spans() -> None:
    query = "for $b in //book\nreturn <t>{$b/title}</t>"
    flwor = parse(query).body
    assert isinstance(flwor, xq.Flwor)
    (binding,) = flwor.clauses
    assert query[slice(*binding.span)] == "$b in //book"
    assert query[slice(*flwor.returned.span)] == "<t>{$b/title}</t>"
    assert isinstance(flwor.returned, xq.Element)
    (hole,) = flwor.returned.content
    assert not isinstance(hole, str)
    assert query[slice(*hole.span)] == "$b/title"
