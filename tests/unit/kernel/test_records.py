"""Records of large files: exactly those that lxml finds, however the file is cut."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import pytest
from lxml import etree

import penstock
from penstock.kernel.records import WHOLE, find_parts, split_stream

MOST = 1 << 20


class Chunks:
    """Hands out bytes in pieces of random sizes."""

    def __init__(self, data: bytes, largest: int, seed: int) -> None:
        self._data = io.BytesIO(data)
        self._largest = largest
        self._random = random.Random(seed)

    def read(self, size: int) -> bytes:
        return self._data.read(min(size, self._random.randint(1, self._largest)))


def made_file(count: int, seed: int = 7) -> bytes:
    """Records among much that looks like records, in groups with namespaces of their own."""
    rng = random.Random(seed)
    inside = [
        "<![CDATA[</item><item>]]>",
        "<!-- <item> -->",
        "<item>inner<item/></item>",
        "<p:x a='>'/>",
        "<?pi </item>?>",
        "&lt;item/>",
        "plain \u00e9\u4e16\U0001f600 text",
        "<q:item xmlns:q='urn:q'>q</q:item>",
        "<x xmlns=''><item/></x>",
    ]
    between = ["", "\n", "<!--<item/>-->", "<![CDATA[<item>]]>", "<items/>", "text", "<other><deep p:a=''/></other>"]
    names = ["item", "p:item", "r:item"]
    parts = ["\ufeff<?xml version='1.0' encoding='UTF-8'?>\n<all xmlns='urn:d' xmlns:p='urn:p'><g xmlns:r='urn:r0'>"]
    for number in range(count):
        if rng.random() < 0.02:
            default = rng.choice(["", " xmlns=''", " xmlns='urn:e'"])
            parts.append(f"</g><g xmlns:r='urn:r{number % 5}'{default}>")
        name = rng.choice(names)
        content = "".join(rng.choices(inside, k=rng.randint(0, 3)))
        parts.append(rng.choice(between))
        parts.append(f"<{name} n='{number}'>{content}</{name}>" if content else f"<{name} n='{number}'/>")
    parts.append("</g></all>\n<!-- <item/> -->")
    return "".join(parts).encode()


def canonical(element: etree._Element) -> bytes:
    return etree.tostring(element, method="c14n", exclusive=True, with_tail=False)


def by_lxml(data: bytes) -> list[bytes]:
    root = etree.fromstring(data)
    found = root.xpath("//*[local-name()='item'][not(ancestor::*[local-name()='item'])]")
    return [canonical(element) for element in found]


def texts(data: bytes, row_tag: str = "item") -> list[str | None]:
    return [record.xml for record in penstock.split_records(io.BytesIO(data), row_tag)]


def test_ten_thousand_records_at_two_hundred_sizes() -> None:
    data = made_file(10_000)
    whole = list(split_stream(io.BytesIO(data), "item", MOST))
    assert len(whole) == 10_000
    assert [canonical(etree.fromstring(record.xml or "")) for record in whole] == by_lxml(data)
    rng = random.Random(1)
    for round_number in range(200):
        size = int(2 ** rng.uniform(6, 21))
        if round_number % 2:
            found = list(split_stream(Chunks(data, size, round_number), "item", MOST))
            assert found == whole
            continue
        parts = find_parts(io.BytesIO(data), "item", size)
        assert (parts[0].start, parts[-1].end) == (0, None)
        places = []
        for part in parts:
            source = io.BytesIO(data)
            source.seek(part.start)
            places += [(record.xml, record.offset) for record in split_stream(source, "item", MOST, part)]
        assert places == [(record.xml, record.offset) for record in whole]


def test_a_path_and_a_compressed_path(tmp_path: Path) -> None:
    data = made_file(50)
    plain, packed = tmp_path / "a.xml", tmp_path / "a.xml.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data[:1000]) + gzip.compress(data[1000:]))
    expected = list(penstock.split_records(io.BytesIO(data), "item"))
    assert list(penstock.split_records(plain, "item")) == expected
    assert list(penstock.split_records(str(packed), "item")) == expected


def test_compressed_data_that_breaks_off_gives_the_records_before_that(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    noise = random.Random(0)
    data = b"<r>" + b"".join(b"<i>" + noise.randbytes(500).hex().encode() + b"</i>\n" for _ in range(1000)) + b"</r>"
    packed = gzip.compress(data)
    path.write_bytes(packed[: len(packed) // 2])
    found: list[penstock.Record] = []
    with pytest.raises(penstock.DocumentError) as caught:
        found.extend(penstock.split_records(path, "i"))
    assert (caught.value.error_class, "compressed" in caught.value.message) == ("encoding", True)
    assert 450 < len(found) < 550
    before = data[: caught.value.offset]
    assert caught.value.line == before.count(b"\n") + 1
    assert caught.value.column == len(before) - before.rfind(b"\n")
    # All records that the good bytes hold.
    assert len(found) == before.count(b"</i>")


def test_a_broken_file_gives_what_comes_before() -> None:
    records = penstock.split_records(io.BytesIO(b"<r>\n<i>1</i>\n<i>2</i></x>"), "i")
    assert [next(records).xml, next(records).xml] == ["<i>1</i>", "<i>2</i>"]
    with pytest.raises(penstock.DocumentError) as caught:
        next(records)
    assert (caught.value.line, caught.value.column) == (3, 9)


def test_the_last_part_of_a_broken_file_has_the_error_with_its_place() -> None:
    data = b"<r>\n" + b"<i>1</i>\n" * 100 + b"<i></r>"
    parts = find_parts(io.BytesIO(data), "i", 100)
    assert len(parts) > 5
    assert [part.error is None for part in parts] == [True] * (len(parts) - 1) + [False]
    source = io.BytesIO(data)
    source.seek(parts[-1].start)
    with pytest.raises(penstock.DocumentError) as caught:
        list(split_stream(source, "i", MOST, parts[-1]))
    assert (caught.value.line, caught.value.column, caught.value.offset) == (102, 4, len(data) - 4)


def test_a_record_over_the_limit_is_named_and_passed_over() -> None:
    source = io.BytesIO(b"<r>\n<i>long long</i><i/></r>")
    first, second = penstock.split_records(source, "i", max_record_bytes=10)
    assert (first.xml, first.offset, first.line) == (None, 4, 2)
    assert first.error == "limit at line 2 (byte 4): a record of 16 bytes, more than 10"
    assert (second.xml, second.error) == ("<i/>", None)


def test_files_that_cannot_be_cut() -> None:
    entities = b"<!DOCTYPE r [<!ENTITY e '<i>x</i>'>]><r>&e;<i/></r>"
    assert find_parts(io.BytesIO(entities), "i", 1) == [WHOLE]
    assert texts(entities, "i") == ["<i>x</i>", "<i/>"]
    utf16 = "<r><i>\u00e9</i></r>".encode("utf-16")
    assert find_parts(io.BytesIO(utf16), "i", 1) == [WHOLE]
    assert texts(utf16, "i") == ["<i>\u00e9</i>"]


@pytest.mark.parametrize("row_tag", ["", " item", "<item>", "a/b", "a b", "{urn:x}item"])
def test_row_tags_that_are_no_names(row_tag: str) -> None:
    with pytest.raises(ValueError, match="row tag"):
        penstock.split_records(io.BytesIO(b"<r/>"), row_tag)
