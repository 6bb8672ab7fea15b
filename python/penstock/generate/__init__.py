"""Seeded documents for tests and measurements: the same arguments give the same bytes, everywhere.

Each generator yields text in pieces, so that a document of any size needs no more memory than one piece.

>>> from penstock.generate import recursive
>>> "".join(recursive(size=2_000, seed=1, depth=4)).startswith("<book>")
True
"""

from penstock.generate.recursive import recursive
from penstock.generate.rss import rss
from penstock.generate.sizes import parse_size
from penstock.generate.use_cases import bib, book
from penstock.generate.xmark import xmark

__all__ = ["bib", "book", "parse_size", "recursive", "rss", "xmark"]
