"""W2: streams of documents to filter, and the structure that queries are made of."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING

from penstock.generate import rss, xmark
from penstock.generate.corpus import read_documents
from penstock.generate.dtd import from_dtd
from penstock.generate.observe import from_documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.generate.queries import Parameters
    from penstock.generate.structure import Structure

DATASETS = ("nitf", "rss", "xmark")
_XMARK_SIZES = (100_000, 300_000, 1_000_000)
_XMARK_QUICK_SIZES = (100_000, 100_000)
_FILES = {"nitf": "nitf-500.jsonl.gz", "rss": "rss-items.jsonl.gz"}
_SITE, _QUICK_SITE, _SITE_SEED = 20_000_000, 10_000_000, 1_000
_SITE_VALUES = 1_500
"""More than there are different dates: a document of 1 MB has a good part of them."""

_FEEDS, _FEED_SIZE = 100, 4_000
_QUICK = 200


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents, where they are from, and the structure to make queries of.

    Queries with predicates have `min_length` steps and ask for what has `min_values` different values, so that few of
    them match a document.
    """

    dataset: str
    source: str
    documents: list[bytes]
    structure: Structure
    min_length: int = 1
    min_values: int = 20

    def selective(self, parameters: Parameters) -> Parameters:
        """The parameters, changed so that predicates select little."""
        if not parameters.predicates[0]:
            return parameters
        least, most = parameters.length
        return replace(parameters, length=(max(least, self.min_length), most), min_values=self.min_values)

    def write(self, path: Path) -> None:
        """All documents as JSON lines, for a process of its own."""
        with path.open("w", encoding="utf-8") as output:
            output.writelines(json.dumps({"xml": document.decode()}) + "\n" for document in self.documents)


def load_corpus(dataset: str, folder: Path, *, quick: bool) -> Corpus | None:
    """The documents of a data set; None if they are real ones that are not there."""
    source = f"generated {dataset}"
    if dataset == "xmark":
        # Constants from a larger site: nearly all values of these few documents would occur in one of them.
        site = "".join(xmark(size=_QUICK_SITE if quick else _SITE, seed=_SITE_SEED)).encode()
        return Corpus(dataset, source, list(_auctions(quick=quick)), from_documents([site]), min_values=_SITE_VALUES)
    file = folder / _FILES[dataset]
    if file.exists():
        documents, source = list(islice(read_documents(file), _QUICK if quick else None)), file.name
    elif dataset == "rss":
        documents = list(_feeds())
    else:
        return None
    # News nests deeply and has few values; feeds are flat and nearly all their values differ.
    structure = _structure(documents, folder / "dtd" / f"{dataset}-2-5.dtd")
    return Corpus(dataset, source, documents, structure, min_length=4 if dataset == "nitf" else 1)


def _structure(documents: list[bytes], dtd: Path) -> Structure:
    """That of the DTD, where there is one and what it takes to read it."""
    return from_dtd(dtd, documents) if dtd.exists() and find_spec("lxml") else from_documents(documents)


def _auctions(*, quick: bool) -> Iterator[bytes]:
    for seed, size in enumerate(_XMARK_QUICK_SIZES if quick else _XMARK_SIZES):
        yield "".join(xmark(size=size, seed=seed)).encode()


def _feeds() -> Iterator[bytes]:
    for seed in range(_FEEDS):
        yield "".join(rss(size=_FEED_SIZE, seed=seed)).encode()
