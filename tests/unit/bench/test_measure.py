from __future__ import annotations

import pytest

from penstock.bench.measure import interleaved, peak_memory_bytes, ratio


def test_every_action_takes_its_turn_in_every_round_and_the_order_rotates() -> None:
    calls: list[str] = []
    taken = interleaved({name: lambda name=name: calls.append(name) for name in "abc"}, rounds=3)  # type: ignore[misc]
    assert calls == list("abcbcacab")
    assert {name: len(seconds) for name, seconds in taken.items()} == {"a": 3, "b": 3, "c": 3}


def test_a_very_slow_action_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.bench.measure._timed", lambda action, _at_least: action())
    taken = interleaved({"slow": lambda: 100.0, "fast": lambda: 0.1}, rounds=4)
    assert taken == {"slow": [100.0], "fast": [0.1] * 4}
    asked = interleaved({"slow": lambda: 100.0, "fast": lambda: 0.1}, rounds=2, repeat_slow=True)
    assert asked == {"slow": [100.0] * 2, "fast": [0.1] * 2}


def test_preparations_come_before_each_turn_and_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr("penstock.bench.measure._timed", lambda action, _at_least: calls.append(action()) or 1.0)
    taken = interleaved({"a": lambda: "a", "b": lambda: "b"}, rounds=2, before={"b": lambda: calls.append("prepared")})
    assert taken == {"a": [1.0] * 2, "b": [1.0] * 2}
    assert calls == ["a", "prepared", "b", "prepared", "b", "a"]


def test_what_is_too_short_is_repeated_and_its_mean_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.4, 0.8, 1.2])
    monkeypatch.setattr("penstock.bench.measure.time.perf_counter", lambda: next(clock))
    calls: list[int] = []
    assert interleaved({"a": lambda: calls.append(1)}, rounds=1, at_least=1.0) == {"a": [pytest.approx(0.4)]}
    assert len(calls) == 3


def test_ratio_is_taken_within_rounds() -> None:
    # The machine became three times slower in the last round: the ratio does not care.
    assert ratio([1.0, 1.0, 3.0], [0.5, 0.5, 1.5]) == pytest.approx(2.0)


def test_peak_memory_sees_a_large_allocation() -> None:
    before = peak_memory_bytes()
    block = bytearray(80_000_000)
    block[::4096] = b"x" * len(block[::4096])
    assert peak_memory_bytes() >= before
    assert peak_memory_bytes() >= 80_000_000
