"""The documents of the workloads: real ones where the data folder has them, generated ones otherwise."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from penstock.generate import recursive, xmark
from penstock.generate.corpus import read_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEFAULT_FOLDER = Path("../shared/data")


def data_folder(given: Path | None = None) -> Path:
    """Where the real documents lie: as given, else PENSTOCK_DATA, else `../shared/data`."""
    return given or Path(os.environ.get("PENSTOCK_DATA", DEFAULT_FOLDER))


def load(dataset: str, folder: Path, *, quick: bool) -> tuple[bytes, str] | None:
    """The bytes of a data set and what they are; None if it is real data that is not there, or not for a quick run."""
    if dataset in _GENERATED:
        # Small: on nested data lxml's time grows faster than the document.
        return _GENERATED[dataset](1_000_000 if quick else 2_000_000).encode(), f"generated {dataset}"
    if dataset == "pubmed":
        return _articles(folder / "pubmed-articles.jsonl.gz")
    name = _FILES[dataset][quick]
    if name and (folder / name).exists():
        return gzip.decompress((folder / name).read_bytes()), name
    if dataset == "xmark":
        size = 1_200_000 if quick else 23_500_000
        return "".join(xmark(size=size)).encode(), "generated xmark"
    return None


def _articles(path: Path) -> tuple[bytes, str] | None:
    """Single articles put under one root, as the files that PubMed distributes have it."""
    if not path.exists():
        return None
    articles = b"\n".join(read_documents(path))
    return b"<PubmedArticleSet>\n" + articles + b"\n</PubmedArticleSet>\n", path.name


def data_order(size: int) -> str:
    """128 elements whose deciding child comes first, last, or is an attribute: section 4.4.5 of the thesis."""
    return "".join(_data_order(size))


def _data_order(size: int) -> Iterator[str]:
    foo = "<foo>a bc</foo>"
    rng = Random(0)
    average = size / 128 / len(foo)
    yield "<data>\n"
    for number in range(1, 129):
        children = int(average * 2 * rng.random())
        yield f'<A id="{number}"><prior>1</prior>{foo * children}<posterior>1</posterior></A>\n'
    yield "</data>\n"


def result_size(size: int) -> str:
    """One element in ten red, three green, six blue, each with one character: section 4.4.5 of the thesis."""
    rng = Random(0)
    elements = ("<red>x</red>\n", *("<green>x</green>\n",) * 3, *("<blue>x</blue>\n",) * 6)
    return "<a>\n" + "".join(rng.choice(elements) for _ in range(size // 15)) + "</a>\n"


# The file of a full run, and that of a quick one, if it is in that.
_FILES: dict[str, tuple[str, str | None]] = {
    "shakespeare": ("shakespeare-8mb.xml.gz", "shakespeare-8mb.xml.gz"),
    "acl": ("acl-45mb.xml.gz", None),
    "xmark": ("xmark-23mb.xml.gz", "xmark-1mb.xml.gz"),
}
_GENERATED: dict[str, Callable[[int], str]] = {
    "recursive": lambda size: "".join(recursive(size=size, depth=28)),
    "order": data_order,
    "colours": result_size,
}
