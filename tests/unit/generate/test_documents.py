"""Generated documents: the same bytes from the same seed, the size asked for, the structure promised."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree

from penstock.bench.data import data_folder
from penstock.generate import recursive, rss, xmark

GENERATORS = {"xmark": xmark, "rss": rss, "recursive": recursive}


def text(name: str, **arguments: int) -> str:
    return "".join(GENERATORS[name](**arguments))


@pytest.mark.parametrize("name", GENERATORS)
def test_same_seed_gives_same_bytes(name: str) -> None:
    assert text(name, size=60_000, seed=3) == text(name, size=60_000, seed=3)
    assert text(name, size=60_000, seed=3) != text(name, size=60_000, seed=4)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_size_is_about_what_was_asked_for(name: str, size: int) -> None:
    assert len(text(name, size=size).encode()) == pytest.approx(size, rel=0.12)


@pytest.mark.parametrize("name", GENERATORS)
def test_comes_in_small_pieces(name: str) -> None:
    assert max(len(piece) for piece in GENERATORS[name](size=1_000_000)) < 50_000


def test_bytes_do_not_change_between_versions() -> None:
    """Two people who compare figures must have measured the same document."""
    digests = {name: hashlib.sha256(text(name, size=20_000).encode()).hexdigest()[:16] for name in GENERATORS}
    assert digests == {"xmark": "3ed5215aae777ced", "rss": "ae75f00590f9ea94", "recursive": "008b56fdf84bfb4d"}


def test_xmark_size_grows_with_factor() -> None:
    small, large = (sum(map(len, xmark(factor=factor))) for factor in (0.02, 0.06))
    assert large / small == pytest.approx(3, rel=0.1)


def test_xmark_obeys_its_dtd() -> None:
    dtd_file = data_folder() / "dtd" / "auction.dtd"
    if not dtd_file.exists():
        pytest.skip("needs auction.dtd (PENSTOCK_DATA)")
    dtd = etree.DTD(str(dtd_file))
    assert dtd.validate(etree.fromstring(text("xmark", size=500_000).encode())), dtd.error_log


def test_xmark_references_resolve() -> None:
    tree = etree.fromstring(text("xmark", size=500_000).encode())
    ids = set(tree.xpath("//@id"))
    references = set(tree.xpath("//@person | //@item | //@category | //@open_auction | //@from | //@to"))
    assert references <= ids


def test_rss_mixes_namespaces_and_cdata() -> None:
    source = text("rss", size=50_000)
    tree = etree.fromstring(source.encode())
    used = {etree.QName(element).namespace for element in tree.iter("{*}*")}
    assert len(used) >= 5
    assert source.count("<![CDATA[") == len(tree.findall(".//item"))


@pytest.mark.parametrize("depth", [3, 10, 26, 30])
def test_recursive_reaches_its_depth_and_not_more(depth: int) -> None:
    tree = etree.fromstring(text("recursive", size=50_000, depth=depth).encode())
    depths = [1 + sum(1 for _ in element.iterancestors()) for element in tree.iter()]
    assert max(depths) == depth


def test_recursive_refuses_a_depth_without_room() -> None:
    with pytest.raises(ValueError, match="depth"):
        text("recursive", depth=2)


def test_samples_are_in_the_order_they_would_arrive() -> None:
    from penstock.samples import STREAMS, documents

    samples = documents()
    numbers = [int(sample.id.rsplit("-", 1)[1]) for sample in samples]
    assert all(before <= after for before, after in pairwise(numbers))
    assert {sample.stream for sample in samples} == set(STREAMS)
    folder = Path(__file__).parents[3] / "python" / "penstock" / "samples"
    assert len(samples) == len(list(folder.rglob("*.xml")))
