"""Each result comes out at the first byte that makes it certain and complete, worked out by hand."""

from __future__ import annotations

import pytest

from streaming.marks import Moment, expected, moment, observed

PATHS = [
    # An element is complete at the '>' of its end tag, a start tag's attributes at the '>' of the start tag.
    moment("/a/b", "<a><b k='1'>x</b>¦<b/>¦<c/></a>", "<b k='1'>x</b>", "<b/>"),
    moment("//b/@k", "<a><b k='1'>¦x</b><b/><b k='2'/>¦</a>", "1", "2"),
    moment("//b", "<a><b>1<b>2</b>¦</b>¦</a>", "<b>2</b>", "<b>1<b>2</b></b>"),
    moment("//*", "<a><b/>¦</a>¦", "<b/>", "<a><b/></a>"),
    moment("/a/*/c", "<a><b><c>1</c>¦</b><c/></a>", "<c>1</c>"),
    moment("//b//c", "<a><b><x><c>é</c>¦</x></b><c/></a>", "<c>é</c>"),
    # Text ends where markup begins that cannot be a CDATA section.
    moment("//b/text()", "<a><b>x</¦b><b>y<i¦/>z</¦b></a>", "x", "y", "z"),
    moment("//b/text()", "<a><b>x<![CDATA[y]]>z<i¦/></b></a>", "xyz"),
    moment("//b/text()", "<a><b>x<!-¦-c-->y</¦b></a>", "x", "y"),
    moment("//text()", "<a>x<?¦p q?></a>", "x"),
    moment("//b/text()", "<a><b>x&amp;y</¦b></a>", "x&y"),
    moment("//comment()", "<a><!-- c -->¦<b/></a>", "<!-- c -->"),
    moment("//processing-instruction()", "<a><?p q?>¦<b/></a>", "<?p q?>"),
    # A union waits for no other branch.
    moment("//b | //c", "<a><b/>¦<c/>¦<b/>¦</a>", "<b/>", "<c/>", "<b/>"),
    moment("//b/@k | //b", "<a><b k='1'>¦x</b>¦</a>", "1", "<b k='1'>x</b>"),
    moment("/", "<a/>∎", "<a/>"),
    # What is above a node: at its own end; the document only if its one element makes it so.
    moment("//b/..", "<a><q><b/></q>¦<z/></a>", "<q><b/></q>"),
    moment("//b/../c", "<a><q><c>1</c><b>¦</b><c>2</c>¦</q></a>", "<c>1</c>", "<c>2</c>"),
    moment("//@k/..", "<a><q k=''><x/></q>¦</a>", "<q k=''><x/></q>"),
]

CONDITIONS = [
    # On what the start tag says.
    moment("/a/b[@k]/x", "<a><b k='1'><x>1</x>¦</b><b><x/></b></a>", "<x>1</x>"),
    moment("//b[@k='1']", "<a><b k='1'/>¦<b k='2'/></a>", "<b k='1'/>"),
    # On a child: at its start tag if it need only exist, else at its end tag.
    moment("/a/b[c]", "<a><b><x/><c/><d/></b>¦</a>", "<b><x/><c/><d/></b>"),
    moment("/a/b[c]/x", "<a><b><x>1</x><x>2</x><c>¦</c><x/>¦</b></a>", ("<x>1</x>", "<x>2</x>"), "<x/>"),
    moment("/a[c]/b", "<a><b>1</b><b>2</b><c>¦no</c><b>3</b>¦</a>", ("<b>1</b>", "<b>2</b>"), "<b>3</b>"),
    moment("/a[c='v']/b", "<a><b>1</b><c>v<i/></c>¦<b>2</b>¦</a>", "<b>1</b>", "<b>2</b>"),
    moment("//r[b>2]/c", "<a><r><b>1</b><c>0</c><b>3</b>¦<c>1</c>¦</r></a>", "<c>0</c>", "<c>1</c>"),
    moment("//r[x/b]/c", "<a><r><c/><x><b>¦</b></x></r></a>", "<c/>"),
    moment("//r[.//b/@k]/c", "<a><r><c/><x><b/><b k=''>¦</b></x></r></a>", "<c/>"),
    # On the element's own text.
    moment("//b[.='x']", "<a><b>x</b>¦<b>y</b></a>", "<b>x</b>"),
    moment("//b[contains(.,'x')]", "<a><b>wx<i/>y</b>¦</a>", "<b>wx<i/>y</b>"),
    # A part of a text may tell.
    moment("//r[contains(b,'xy')]/c", "<a><r><c/><b>wx<i/>y¦z</b></r></a>", "<c/>"),
    moment("//r[contains(.,'xy')]/c", "<a><r><c/>w<b>x<i>y¦z</i></b></r></a>", "<c/>"),
    moment("//r[contains(b,'x&y')]/c", "<a><r><c/><b>x&amp;y¦z</b></r></a>", "<c/>"),
    moment("//r[starts-with(b,'wx')]/c", "<a><r><c/><b>wx¦y</b></r></a>", "<c/>"),
    moment("//r[b != 'wx']/c", "<a><r><c/><b>wy¦</b></r></a>", "<c/>"),
    moment("//r[b[not(. = 'wx')]]/c", "<a><r><c/><b>wx</b><b>wxy¦</b></r></a>", "<c/>"),
    moment("//r[b[not(starts-with(., 'wx'))]]/c", "<a><r><c/><b>wy¦z</b></r></a>", "<c/>"),
    moment("//r[b[. = 'w' or contains(., 'x')]]/c", "<a><r><c/><b>vx¦</b></r></a>", "<c/>"),
    moment("//r[ends-with(b,'x')]/c", "<a><r><c/><b>wx</b>¦</r></a>", "<c/>"),
    moment("/r[contains(.,'x')]/c", "<r><c/>wx¦<b/></r>", "<c/>"),
    # and, or, not: as soon as the parts allow, a negation at the end of the element that is without.
    moment("//r[b][c]/d", "<a><r><d>1</d><c/><d>2</d><b>¦</b><d>3</d>¦</r></a>", ("<d>1</d>", "<d>2</d>"), "<d>3</d>"),
    moment("//r[b or c]/d", "<a><r><d>1</d><c>¦</c><d>2</d>¦</r></a>", "<d>1</d>", "<d>2</d>"),
    moment("//r[b and not(c)]/d", "<a><r><d/><b/><x/></r>¦<r><d/><b/><c/></r></a>", "<d/>"),
    moment("/a/b[not(c)]", "<a><b><d/></b>¦<b><c/></b></a>", "<b><d/></b>"),
    moment("/a[not(c)]/b", "<a><b>1</b><b>2</b></a>¦", ("<b>1</b>", "<b>2</b>")),
    moment("//r[not(c)]/b", "<a><r><b>1</b></r>¦<r><b/><c/></r></a>", "<b>1</b>"),
    moment("//r[not(@k)]/b", "<a><r><b>1</b>¦</r><r k=''><b/></r></a>", "<b>1</b>"),
    # Of several ancestors that may satisfy it, the first decides.
    moment("//x[y]//z", "<x><x><z>1</z><y>¦</y></x><z>2</z></x>", "<z>1</z>"),
    moment("//x[y]//z", "<x><x><z>1</z></x><y>¦</y><z>2</z>¦</x>", "<z>1</z>", "<z>2</z>"),
    moment("//b[ancestor::r[c]]", "<a><r><x><b>1</b></x><c>¦</c><b>2</b>¦</r></a>", "<b>1</b>", "<b>2</b>"),
]

PLACES = [
    # A position is known at the start tag; that none follows, at the parent's end.
    moment("/a/b[2]", "<a><b>1</b><b>2</b>¦<b>3</b></a>", "<b>2</b>"),
    moment("/a/b[position()<3]", "<a><b>1</b>¦<b>2</b>¦<b>3</b></a>", "<b>1</b>", "<b>2</b>"),
    moment("//r/b[1]", "<a><r><b>1</b>¦<b>2</b></r><r><b>3</b>¦</r></a>", "<b>1</b>", "<b>3</b>"),
    moment("/a/b[last()]", "<a><b>1</b><b>2</b><c/></a>¦", "<b>2</b>"),
    moment("//r/b[last()]", "<a><r><b>1</b><b>2</b><c/></r>¦<r/></a>", "<b>2</b>"),
    # So is a place among all nodes of the document, if nothing about them is open at their start tags.
    moment("(//b)[1]", "<a><b>1</b>¦<b>2</b></a>", "<b>1</b>"),
    moment("(//b)[position() < 3]", "<a><b>1</b>¦<x><b>2</b>¦</x><b>3</b></a>", "<b>1</b>", "<b>2</b>"),
    moment("(//b)[2]", "<a><b>1<b>2</b>¦</b><b>3</b></a>", "<b>2</b>"),
    moment("(//b[@k])[2]/c", "<a><b k=''><c/></b><b/><b k=''><c>1</c>¦</b></a>", "<c>1</c>"),
    moment("(//r/b)[position() > 1][1]", "<a><r><b>1</b></r><b/><r><b>2</b>¦<b>3</b></r></a>", "<b>2</b>"),
    moment("/descendant::b[2]", "<a><b>1</b><x><b>2</b>¦</x></a>", "<b>2</b>"),
    moment("//c[/descendant::b[2]]", "<a><c>1</c><b/><b>¦</b></a>", "<c>1</c>"),
    # A count is reached at the start tag of the node that makes it up, and not exceeded at the end.
    moment("//r[count(b) > 1]/c", "<a><r><c>1</c><b/><b>¦</b><c>2</c>¦</r></a>", "<c>1</c>", "<c>2</c>"),
    moment("//r[count(b) = 1]/c", "<a><r><c>1</c><b/></r>¦<r><c>2</c><b/><b/></r></a>", "<c>1</c>"),
    moment("//r[count(b[@k]) >= 1.5]/c", "<a><r><c>1</c><b k=''/><b/><b k=''>¦</b></r></a>", "<c>1</c>"),
    moment("//r[count(b) < 2]", "<a><r><b/></r>¦<r><b/><b/></r></a>", "<r><b/></r>"),
    # What follows decides at its start tag, what went before is known.
    moment("/a/b[following-sibling::c]", "<a><b>1</b><b>2</b><c>¦</c><b/></a>", ("<b>1</b>", "<b>2</b>")),
    moment("/a/b/following-sibling::c", "<a><c/><b/><c>1</c>¦</a>", "<c>1</c>"),
    moment("//b[following::c]", "<a><b>1</b><x><c>¦</c></x><b>2</b></a>", "<b>1</b>"),
    moment("//b[preceding-sibling::c]", "<a><b/><c/><b>1</b>¦</a>", "<b>1</b>"),
    moment("//c[preceding::b]", "<a><c/><b/><c>1</c>¦</a>", "<c>1</c>"),
    # Reverse steps: the node that is reached waits for the one it is reached from.
    moment("//c/preceding::b", "<a><b>1</b><x><c>¦</c></x><b>2</b></a>", "<b>1</b>"),
    moment("//c/preceding-sibling::b", "<a><b>1</b><x/><c>¦</c><b>2</b></a>", "<b>1</b>"),
    moment("//b/ancestor::r", "<a><r><x><b>1</b></x><c/></r>¦</a>", "<r><x><b>1</b></x><c/></r>"),
    moment("//b/parent::r", "<a><r><b>1</b><c/></r>¦</a>", "<r><b>1</b><c/></r>"),
    # Absolute conditions are decided once for the whole document.
    moment("//b[//c]", "<a><b>1</b><x><c>¦</c></x><b>2</b>¦</a>", "<b>1</b>", "<b>2</b>"),
    moment("//b[/a/@k]", "<a k='1'><b>1</b>¦</a>", "<b>1</b>"),
    moment("//b[/a/c='v']", "<a><b>1</b><c>v</c>¦<b>2</b>¦</a>", "<b>1</b>", "<b>2</b>"),
    moment("//b[not(//c)]", "<a><b>1</b></a>∎", "<b>1</b>"),
]

VALUES = [
    # A boolean is true as soon as something makes it so; other values are those of the whole document.
    moment("boolean(//b)", "<a><b>¦x</b><b/></a>", "true"),
    moment("//b", "<a><b/>¦</a>", "<b/>"),
    moment("//b = 'y'", "<a><b>x</b><b>y</b>¦<c/></a>", "true"),
    moment("/a = 'x'", "<a>x</a>¦", "true"),
    moment("//b and //c", "<a><c/><b>¦x</b></a>", "true"),
    moment("//r[b]/c or //d", "<a><r><c/><b>¦</b></r><d/></a>", "true"),
    moment("not(//b)", "<a><c/></a>∎", "true"),
    moment("count(//b) > 1", "<a><b/><c><b>¦</b></c><b/></a>", "true"),
    moment("2 <= count(/a/b)", "<a><b/><c><b/></c><b>¦</b></a>", "true"),
    moment("count(//b) = 1", "<a><b/></a>∎", "true"),
    moment("count(//b)", "<a><b/><b/></a>∎", "2"),
    moment("sum(//b)", "<a><b>1</b><b>2</b></a>∎", "3"),
]


def by_query(row: Moment) -> str:
    return row.query


@pytest.mark.parametrize("row", [*PATHS, *CONDITIONS, *PLACES, *VALUES], ids=by_query)
def test_comes_out_at_the_mark(row: Moment) -> None:
    # Results that one byte makes certain come in no order of their own.
    out = [(offset, sorted(results)) for offset, results in observed(row)]
    assert out == [(offset, sorted(results)) for offset, results in expected(row)]


RUNNING = [
    moment("count(//b)", "<a><b>¦x</b><c/><b/>¦</a>", "1", "2"),
    moment("count(//b[c])", "<a><b><x/><c>¦</c><x/></b><b/></a>", "1"),
    moment("count(//r[c]/b)", "<a><r><b/><b/><c>¦</c><b>¦</b></r></a>", ("1", "2"), "3"),
    moment("sum(//b)", "<a><b>1</b>¦<b>0</b><b>2</b>¦</a>", "1", "3"),
    moment("max(//b)", "<a><b>1</b>¦<b>2</b>¦<b>0</b></a>", "1", "2"),
    moment("min(//b)", "<a><b>3</b>¦<b>4</b><b>1</b>¦</a>", "3", "1"),
    moment("avg(//b)", "<a><b>1</b>¦<b>2</b>¦</a>", "1", "1.5"),
]


@pytest.mark.parametrize("row", RUNNING, ids=by_query)
def test_running_values_come_when_they_change(row: Moment) -> None:
    assert observed(row, running=True) == expected(row)


ORDERED = [
    moment("//b", "<a><b>1<b>2</b></b>¦</a>", ("<b>1<b>2</b></b>", "<b>2</b>")),
    moment("/a[c]/b | //d", "<a><b>1</b><d/><c>¦</c><d/>¦</a>", ("<b>1</b>", "<d/>"), "<d/>"),
    moment("//r[c]/b | //d", "<a><r><b/><d>1</d></r>¦<r><d>2</d>¦</r></a>", "<d>1</d>", "<d>2</d>"),
    moment("/a[c]/b", "<a><b>1</b><b>2</b><c>¦</c><b>3</b>¦</a>", ("<b>1</b>", "<b>2</b>"), "<b>3</b>"),
    moment("//b/@k | //b", "<a><b k='1'>x</b>¦</a>", ("<b k='1'>x</b>", "1")),
]


@pytest.mark.parametrize("row", ORDERED, ids=by_query)
def test_in_order_each_waits_only_for_those_before_it(row: Moment) -> None:
    assert observed(row, ordered=True) == expected(row)
