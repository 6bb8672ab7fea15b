"""The examples in docstrings are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import penstock

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(penstock.__path__, "penstock.")
    if not module.name.endswith(("__main__", "_native"))
)


@pytest.mark.parametrize("name", ["penstock", *MODULES])
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
