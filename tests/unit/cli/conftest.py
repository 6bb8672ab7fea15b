from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from penstock.cli import main

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Runs the command line in this process; keyword `input` is its standard input."""

    def run(*arguments: str, **details: object) -> Result:
        result = CliRunner().invoke(main, list(arguments), prog_name="penstock", **details)  # type: ignore[arg-type]
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run
