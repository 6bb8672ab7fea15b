"""Hypothesis strategies over the generators: what fails is made smaller, since every choice is one of hypothesis's."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from support.documents import make_document
from support.queries import make_path, make_query

# PENSTOCK_PROPERTY_FACTOR makes a run longer; then examples are drawn anew each time.
FACTOR = int(os.environ.get("PENSTOCK_PROPERTY_FACTOR", "1"))


def examples(count: int) -> settings:
    """Settings for so many examples, the same in every run."""
    return settings(
        max_examples=count * FACTOR,
        derandomize=FACTOR == 1,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )


def documents(nodes: int = 15) -> st.SearchStrategy[bytes]:
    """Well-formed documents."""
    return st.randoms(use_true_random=False).map(lambda random: make_document(random, nodes=nodes))


def queries(*, extensions: bool = False, absolute: bool = False) -> st.SearchStrategy[str]:
    """Queries that match many of the documents."""
    return st.randoms(use_true_random=False).map(
        lambda random: make_query(random, extensions=extensions, absolute=absolute)
    )


def paths() -> st.SearchStrategy[str]:
    """Paths from the document."""
    return st.randoms(use_true_random=False).map(make_path)
