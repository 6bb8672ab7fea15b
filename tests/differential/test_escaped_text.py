"""Text with references, line ends and brackets, which the reader's fast path takes in strides: the same as lxml's."""

from __future__ import annotations

from random import Random

import pytest
from lxml import etree

from penstock import Broker, DocumentError, evaluate

GOOD = (
    "&lt;",
    "&gt;",
    "&amp;",
    "&quot;",
    "&apos;",
    "&#233;",
    "]",
    "]]",
    "]]&gt;",
    "\r\n",
    "\r",
    "é",
    "x",
    "y" * 61,
    "<c/>",
)
BAD = ("&", "&lt", "&x;", "]]>", "&;", "&l<c/>t;", "\x01")
SIZES = (1, 7, 64)


def texts(document: bytes) -> list[str] | None:
    """The text nodes; None if the document is not well-formed."""
    try:
        return [str(text) for text in etree.fromstring(document).xpath("//text()")]
    except etree.XMLSyntaxError:
        return None


def chunked(document: bytes, size: int) -> list[str]:
    broker = Broker(mode="FAILFAST")
    broker.subscribe("texts", "//text()")
    with broker.open() as feed:
        found = [one for start in range(0, len(document), size) for one in feed.write(document[start : start + size])]
        found += feed.close()
    return [one.fragment for one in sorted(found, key=lambda one: one.sequence)]


@pytest.mark.parametrize("bad", [(), BAD])
def test_text_of_all_kinds(bad: tuple[str, ...]) -> None:
    random = Random(len(bad))
    refused = 0
    for _ in range(300):
        pieces = random.choices(GOOD, k=random.randint(0, 40))
        if bad:
            pieces.insert(random.randint(0, len(pieces)), random.choice(bad))
        document = f"<r><a>{''.join(pieces)}</a><b/></r>".encode()
        expected = texts(document)
        if expected is None:
            refused += 1
            for query in ("//text()", "//b"):  # who asks for text, and who does not
                with pytest.raises(DocumentError):
                    evaluate(query, document)
        else:
            assert evaluate("//text()", document) == expected
            assert evaluate("//b", document) == ["<b/>"]
            assert [chunked(document, size) for size in SIZES] == [expected] * len(SIZES)
    assert refused > 200 if bad else refused == 0


RARE = (*"\r é \ufffd \uffff".split(" "), "\r\n", "]", "]]", "]]>")
BROKEN = (b"\xff", b"\xc3(", b"\xc3")


@pytest.mark.parametrize("rare", [*(text.encode() for text in RARE), *BROKEN])
def test_what_comes_late_in_a_document(rare: bytes) -> None:
    """A document is surveyed in pieces of 64 KB, these in strides of 64 bytes: what is rare may begin or end either."""
    piece, stride = 1 << 16, 64
    for before in (*range(stride - 4, stride + 2), *range(2 * piece - 8, 2 * piece + 2), 2 * piece + 99):
        text = (b"<b>x &amp; y</b>" * (before // 16 + 1))[: before - 3].rpartition(b"<b>")[0]
        filled = text + b"z" * (before - 3 - len(text))
        for behind in (b"", b"&lt;", b"<c/>" * piece):
            document = b"<r>" + filled + rare + behind + b"</r>"
            assert document.index(rare) == before
            expected = texts(document)
            if expected is None:
                with pytest.raises(DocumentError):
                    evaluate("//c", document)
            else:
                assert evaluate("//text()", document) == expected
