"""W2: kinds of subscriptions, how many of them, and the bars."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from penstock.generate.queries import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES = (100, 1_000)
VARIED_SIZE, QUICK_VARIED_SIZE = 10_000, 300


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of subscription. `speeds`: the least multiple of expat's speed, with results by reference, by number."""

    name: str
    parameters: Parameters
    most: int = SIZES[-1]
    speeds: dict[int, float] = field(default_factory=dict)
    selective: bool = False
    changes: bool = False
    known_shapes: bool = False


WORKLOADS = (
    Workload("linear paths", Parameters(), most=200_000, speeds={1_000: 4.0, 10_000: 4.0, 100_000: 4.0, 200_000: 4.0}),
    Workload(
        "one predicate",
        Parameters(predicates=(1, 1)),
        speeds={1_000: 2.5, 10_000: 1.8, 100_000: 0.9, 1_000_000: 0.45},
        selective=True,
        changes=True,
    ),
    Workload(
        "twigs",
        Parameters(nested=(2, 3), predicates=(1, 1)),
        speeds={10_000: 1.0, 100_000: 0.3},
    ),
    Workload("known shapes", Parameters(predicates=(1, 2), shapes=1_000), known_shapes=True),
)


def sizes(workload: Workload, *, quick: bool) -> list[int]:
    """How many subscriptions to measure with."""
    if quick:
        return list(QUICK_SIZES)
    return sorted({*(size for size in SIZES if size <= workload.most), workload.most})


@dataclass(frozen=True, slots=True)
class Variation:
    """One parameter set to one value, the others as in the workload."""

    parameter: str
    value: float
    parameters: Parameters


def variations() -> Iterator[Variation]:
    """The parameters of YFilter's experiments, one at a time."""
    base = Parameters(predicates=(0, 0))
    for share in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5):
        yield Variation("P(*)", share, replace(base, wildcard=share))
    for share in (0.0, 0.1, 0.2, 0.3, 0.4):
        yield Variation("P(//)", share, replace(base, closure=share))
    for length in (4, 6, 8, 10):
        yield Variation("length", length, replace(base, length=(min(4, length), length)))
    for nested in (0, 1, 2, 3):
        yield Variation("nested paths", nested, replace(base, nested=(nested, nested)))
    for predicates in (0, 1, 2):
        yield Variation("value predicates", predicates, replace(base, predicates=(predicates, predicates)))
