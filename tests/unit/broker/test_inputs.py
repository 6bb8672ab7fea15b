"""Documents in every form in which bytes and characters come."""

from __future__ import annotations

import codecs
import mmap
from pathlib import Path

import pytest

import penstock
from penstock import Broker

TEXT = "<r><a>žluťoučký 𝄞</a></r>"


def found(document: object) -> list[str]:
    return penstock.evaluate("//a/text()", document)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", [str, bytes, bytearray, memoryview], ids=lambda form: form.__name__)
def test_forms(form: type) -> None:
    document = TEXT if form is str else form(TEXT.encode())
    assert found(document) == ["žluťoučký 𝄞"]
    broker = Broker()
    broker.subscribe("one", "//a/text()")
    assert [one.fragment for one in broker.publish(document)] == ["žluťoučký 𝄞"]
    assert broker.matches(document) == ["one"]


def test_a_memory_mapped_file(tmp_path: Path) -> None:
    file = tmp_path / "document.xml"
    file.write_bytes(TEXT.encode())
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert found(mapped) == ["žluťoučký 𝄞"]


def test_a_part_of_a_buffer() -> None:
    data = b"garbage" + TEXT.encode() + b"garbage"
    assert found(memoryview(data)[7:-7]) == ["žluťoučký 𝄞"]


def test_what_is_no_document_is_a_type_error() -> None:
    for nothing in (None, 3, ["<a/>"]):
        with pytest.raises(TypeError):
            found(nothing)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "žluť"),
        ("utf-16", "žluť𝄞"),
        ("iso-8859-1", "Größe"),
        ("iso-8859-2", "žluť"),
        ("windows-1252", "“naïve” €"),
        ("windows-1251", "вода"),
        ("koi8-r", "вода"),
        ("us-ascii", "plain"),
    ],
)
def test_encodings_that_the_declaration_names(encoding: str, text: str) -> None:
    document = f'<?xml version="1.0" encoding="{encoding}"?><r><a>{text}</a></r>'.encode(encoding)
    assert found(document) == [text]
    feed_of = Broker()
    feed_of.subscribe("one", "//a/text()")
    feed = feed_of.open()
    assert [one.fragment for byte in document for one in feed.write(bytes([byte]))] == [text]
    assert feed.close() == []
    assert feed_of.dead_letters.count == 0


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_byte_order_marks(mark: bytes, encoding: str) -> None:
    assert found(mark + TEXT.encode(encoding)) == ["žluťoučký 𝄞"]


def test_characters_need_no_encoding_whatever_the_declaration_says() -> None:
    assert found('<?xml version="1.0" encoding="iso-8859-1"?>' + TEXT) == ["žluťoučký 𝄞"]


@pytest.mark.parametrize("document", [b"<a>\xff</a>", b'<?xml version="1.0" encoding="nonsense"?><a/>', b"<a>\xc3</a>"])
def test_bytes_that_are_not_of_the_encoding(document: bytes) -> None:
    with pytest.raises(penstock.DocumentError) as caught:
        found(document)
    assert caught.value.error_class == "encoding"
