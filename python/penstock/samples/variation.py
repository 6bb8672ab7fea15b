"""More of the bundled feeds: the same documents with other amounts, places, lines and words, by a seed."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, TypeAlias

from penstock.samples import Sample, documents

if TYPE_CHECKING:
    from collections.abc import Callable

Choice: TypeAlias = "Callable[[random.Random], str]"


def _one_of(words: str) -> Choice:
    choices = words.split()
    return lambda chance: chance.choice(choices)


def _uuid(chance: random.Random) -> str:
    digits = f"{chance.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _amount(chance: random.Random) -> str:
    # As many small ones as large ones, from a coffee to a ship.
    return f"{10 ** chance.uniform(0.5, 6):.2f}"


_RULES: dict[str, tuple[tuple[str, Choice], ...]] = {
    "news": (
        (r"(?<=<urgency>)\d", _one_of("1 2 3 4 5")),
        (r"(?<=qcode=\"medtop:)\d\d", _one_of("03 04 15 17 20")),
        (r"(?<=agency\.example:)\d+:\d+", lambda chance: f"20240305:{chance.randrange(100, 10_000)}"),
        (r"\b(?:bridge|inflation|outage|maintenance|storm)\b", _one_of("bridge inflation outage storm election")),
    ),
    "payments": (
        (r"(?<=Ccy=\")[A-Z]{3}", _one_of("USD EUR GBP JPY CHF SEK")),
        (r"(?<=>)[\d.]+(?=</IntrBkSttlmAmt>)", _amount),
        (r"(?<=UETR>)[0-9a-f-]{36}", _uuid),
        (r"(?<=<Purp><Cd>)[A-Z]+", _one_of("SUPP GDDS SALA OTHR")),
        (r"(?<=<TxSts>)[A-Z]+", _one_of("RJCT RJCT ACSC")),
    ),
    "alerts": (
        (r"(?<=<identifier>)[\w-]+", lambda chance: f"ALERT-{chance.randrange(10, 10_000)}"),
        (r"(?<=<severity>)\w+", _one_of("Extreme Severe Moderate Minor")),
        (r"(?<=<value>)\d+", _one_of("006037 006059 006111 006029 006073 006065")),
    ),
    "transit": (
        (r"(?<=<LineRef>)\w+", _one_of("LZ123 LZ7 LZ9 LZ11 LZ42")),
        (r"(?<=<StopPointRef>)\d+", _one_of("8201 8207 8209 8220")),
        (r"(?<=<ArrivalDelay>)\w+", _one_of("PT0M PT1M PT4M PT12M")),
    ),
}


def rounds(count: int, seed: int = 1) -> list[list[Sample]]:
    """The bundled documents, and variations of the well-formed ones, as many times as asked for.

    >>> first, second = rounds(2)
    >>> first == documents(), second[0].id, len(second) == len(first) - 1
    (True, 'newsml-1.2', True)
    """
    originals = documents()
    chance = random.Random(seed)
    good = [sample for sample in originals if not sample.id.startswith("broken")]
    return [originals, *([_varied(sample, number, chance) for sample in good] for number in range(2, count + 1))]


def _varied(sample: Sample, number: int, chance: random.Random) -> Sample:
    xml = sample.xml.decode()
    for pattern, choice in _RULES[sample.stream]:
        xml = _replaced(xml, pattern, choice, chance)
    return Sample(sample.stream, f"{sample.id}.{number}", xml.encode())


def _replaced(xml: str, pattern: str, choice: Choice, chance: random.Random) -> str:
    return re.sub(pattern, lambda _: choice(chance), xml)
