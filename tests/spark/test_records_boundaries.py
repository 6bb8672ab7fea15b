"""No record is lost, doubled or changed wherever a file is cut: as tasks of `xmlrecords` read it, without a session."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

import penstock
from penstock.kernel.records import Readable, split_columns
from penstock.spark.records import XmlRecords
from penstock.spark.records_files import list_files
from penstock.spark.records_options import RecordOptions
from penstock.spark.records_read import plan_partitions, read_partition

# What hides the ends and beginnings of records, in a start tag, in its content, and between records.
STARTS = ["<item>", "<item a='&lt;/item>'>", '<item\n\ta="/>" >']
CONTENTS = [
    "",
    "<![CDATA[</item><item>]]>",
    "<![CDATA[]]]]><![CDATA[></item>]]>",
    "<!-- </item> <![CDATA[ -->",
    "<?item </item> ? > ?>",
    "<item/><item><item>x</item></item>",
    "<p:item xmlns:p='urn:p'><item/></p:item>",
    "<items/><itemx/><xitem/><item.x/>",
    "&lt;/item> &#60;item&#62; ]] > \u00e9\u4e16\U0001f600",
    "\r\n<a b='&lt;item>'/>\r",
]
EMPTY = [
    "<item/>",
    "<item />",
    "<item\n\t/>",
    "<item a='>'/>",
    "<item a=\"it's\" b='\"'/>",
    "<p:item xmlns:p='urn:p'/>",
    "<p:item xmlns:p='urn:p'><item/></p:item>",
    "<p:item xmlns:p='urn:p' p:a='>'></p:item >",
    "<long.prefix:item xmlns:long.prefix='urn:l'>x</long.prefix:item>",
    "<\u00e9:item xmlns:\u00e9='urn:e'/>",
    "<item \u00e9='\U0001f600'/>",
    "<item xmlns='urn:own'><a/></item>",
    "<item xmlns:p='urn:own'><p:item/><p:item></p:item></item>",
    "<item xml:space='preserve'> <a xml:lang='de'/> </item>",
    "<item><Item/><ITEM/></item>",
    "<item></item\n>",
    "<item>item</item>",
    "<item>/item></item>",
    "<item>a > b</item>",
    "<item><a><b/></a></item>",
]
NASTY = [*(f"{start}{content}</item>" for start in STARTS for content in CONTENTS), *EMPTY]
BETWEEN = [
    "",
    "\n  ",
    "<!-- <item>no</item> -->",
    "<![CDATA[<item>no</item>]]>",
    "<?no <item>no</item>?>",
    "<items/><itemx></itemx>",
    "text &lt;item> \u4e16",
    "</group><group g='>'>",
]


def nasty_file() -> bytes:
    parts = [BETWEEN[place % len(BETWEEN)] + record for place, record in enumerate(NASTY)]
    return f"<?xml version='1.0'?><!-- <item/> --><r><group>{''.join(parts)}</group></r><!-- <item/> -->".encode()


class TwoPieces:
    """A file that comes in two pieces."""

    def __init__(self, data: bytes, cut: int) -> None:
        self._pieces = [piece for piece in (data[cut:], data[:cut]) if piece]

    def read(self, size: int) -> bytes:  # noqa: ARG002 - a piece is smaller
        return self._pieces.pop() if self._pieces else b""


def texts_of(source: Readable) -> list[str]:
    """Records as they come by column, taken apart again."""
    found = []
    for columns in split_columns(source, "item", 1 << 20):
        ends = memoryview(columns.ends).cast("i").tolist()
        found += [columns.texts[start:end].decode() for start, end in pairwise(ends)]
    return found


def test_fifty_nasty_records_cut_at_every_byte() -> None:
    data = nasty_file()
    assert len(NASTY) == 50
    assert texts_of(io.BytesIO(data)) == NASTY
    for cut in range(len(data) + 1):
        assert texts_of(TwoPieces(data, cut)) == NASTY, cut


def table(options: RecordOptions) -> pa.Table:
    """All that the source gives, task by task."""
    schema = XmlRecords({"path": "", "rowTag": "item"}).schema()
    partitions = plan_partitions(list_files(options), options)
    batches = [batch for partition in partitions for batch in read_partition(partition, options, schema)]
    return pa.Table.from_batches(batches).combine_chunks()


def test_fifty_nasty_records_in_parts_of_every_size(tmp_path: Path) -> None:
    data = nasty_file()
    (tmp_path / "nasty.xml").write_bytes(data)
    options = RecordOptions((str(tmp_path / "nasty.xml"),), "item")
    whole = table(options)
    assert whole.column("xml").to_pylist() == NASTY
    for size in range(1, len(data), 7):
        assert table(replace(options, max_partition_bytes=size)).equals(whole), size


def test_ten_thousand_records_at_two_hundred_sizes(tmp_path: Path) -> None:
    rng = random.Random(4)
    file = tmp_path / "many.xml"
    known = [record for record in NASTY if record.startswith("<item")]
    chosen = [rng.choice(known).replace("item", f"item n='{number}'", 1) for number in range(10_000)]
    between = [rng.choice(BETWEEN) for _ in chosen]
    inside = "".join(f"{gap}{record}" for gap, record in zip(between, chosen, strict=True))
    file.write_bytes(f"<r><group>{inside}</group></r>".encode())
    options = RecordOptions((str(file),), "item")
    whole = table(options)
    assert whole.column("xml").to_pylist() == chosen
    ids = [f"many.xml#{record.offset}" for record in penstock.split_records(file, "item")]
    assert whole.column("id").to_pylist() == ids
    for _ in range(200):
        size = int(2 ** rng.uniform(14, 20))
        assert table(replace(options, max_partition_bytes=size)).equals(whole), size
