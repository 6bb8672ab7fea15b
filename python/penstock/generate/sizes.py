"""Sizes as people write them: `64KB`, `1.5 GB`, `100`."""

from __future__ import annotations

import re

_UNITS = {"": 1, "B": 1, "K": 10**3, "KB": 10**3, "M": 10**6, "MB": 10**6, "G": 10**9, "GB": 10**9}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def parse_size(text: str) -> int:
    """The number of bytes that `text` means.

    >>> parse_size("64KB"), parse_size("1.5 GB"), parse_size("2MiB")
    (64000, 1500000000, 2097152)
    """
    found = _SIZE.fullmatch(text)
    if not found or found[2].upper() not in _UNITS:
        raise ValueError(f"not a size: {text!r} (examples: 500KB, 1GB, 64MiB)")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def format_size(count: float) -> str:
    """`count` bytes in the largest unit that leaves a whole part.

    >>> format_size(23_500_000), format_size(512)
    ('23.5 MB', '512 B')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} B"
