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
