from __future__ import annotations

import io

import pytest

from penstock.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show(monkeypatch: pytest.MonkeyPatch, *, stdout_is_terminal: bool, patience: float) -> str:
    errors = Terminal()
    monkeypatch.setattr("sys.stderr", errors)
    monkeypatch.setattr("sys.stdout", Terminal() if stdout_is_terminal else io.StringIO())
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", patience)
    with progress.Progress("feed.xml", 1_000) as bar:
        bar.update(100)
        bar.update(1_000)
    return errors.getvalue()


def test_shows_up_on_long_input(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "feed.xml" in show(monkeypatch, stdout_is_terminal=False, patience=0)


def test_silent_on_short_input(monkeypatch: pytest.MonkeyPatch) -> None:
    assert show(monkeypatch, stdout_is_terminal=False, patience=60) == ""


def test_silent_where_results_go_to_the_same_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert show(monkeypatch, stdout_is_terminal=True, patience=0) == ""
