"""W3: the experiments of the paper on FLWOR subscriptions, by the number of the figure that shows them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from penstock.generate.flwors import FlworParameters

_BIB = FlworParameters(number=5_000, depth=2, predicates=1, returns=2, inner_depth=2, closure=0.2, max_value=10)
_BOOK = replace(_BIB, number=10_000, depth=3)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One figure: the documents, what is varied, and the parameters of each point."""

    figure: int
    dataset: str
    varied: str
    points: tuple[tuple[float, FlworParameters], ...]


def _by_number(base: FlworParameters, numbers: tuple[int, ...]) -> tuple[tuple[float, FlworParameters], ...]:
    return tuple((number, replace(base, number=number)) for number in numbers)


EXPERIMENTS = (
    Experiment(7, "bib", "subscriptions", _by_number(_BIB, (5_000,))),
    Experiment(8, "bib", "predicate paths", tuple((n, replace(_BIB, predicates=n)) for n in (1, 2, 3))),
    Experiment(9, "bib", "return paths", tuple((n, replace(_BIB, returns=n)) for n in (1, 2, 3, 4))),
    Experiment(10, "book", "subscriptions", _by_number(_BOOK, (10_000,))),
    Experiment(
        11, "bib", "subscriptions", _by_number(replace(_BIB, max_value=100), (5_000, 10_000, 20_000, 30_000, 40_000))
    ),
    Experiment(
        12,
        "book",
        "subscriptions",
        _by_number(replace(_BOOK, max_value=100), (10_000, 25_000, 50_000, 75_000, 100_000)),
    ),
)


def quickened(experiment: Experiment, most: int) -> Experiment:
    """The same with `most` subscriptions at most."""
    points: dict[float, FlworParameters] = {}
    for value, wanted in experiment.points:
        number = min(wanted.number, most)
        key = number if experiment.varied == "subscriptions" else value
        points[key] = replace(wanted, number=number)
    return replace(experiment, points=tuple(points.items()))
