from __future__ import annotations

import pytest

from penstock.generate.sizes import format_size, parse_size


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("100", 100),
        ("64KB", 64_000),
        ("64 kb", 64_000),
        ("1.5GB", 1_500_000_000),
        ("2MiB", 2_097_152),
        ("3M", 3_000_000),
    ],
)
def test_parse_size(text: str, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("text", ["", "MB", "-1KB", "1TBX", "1 2"])
def test_parse_size_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


def test_format_size() -> None:
    assert [format_size(count) for count in (0, 999, 1_000, 23_456_789, 2e9)] == [
        "0 B",
        "999 B",
        "1.0 KB",
        "23.5 MB",
        "2.0 GB",
    ]
