"""The conformance suite that lives outside the repository: every case, in every mode."""

from __future__ import annotations

import functools
from collections import defaultdict

import pytest

from conformance.cases import Case, folder, known_failures, shared_cases
from conformance.comparison import meets
from conformance.running import MODES, Outcome, query, run

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(folder() is None, reason="no conformance suite: set PENSTOCK_CONFORMANCE to its folder"),
]
BARS = {"cases.jsonl": 0.99, "cases_side.jsonl": 0.95}
LANGUAGES = ("xpath", "xquery")
XQUERY_MODES = ("whole", "linked", "indexed", "chunks of 7", "chunks of 4096")


@functools.cache
def outcomes(file: str, mode: str, language: str = "xpath") -> dict[str, Outcome]:
    by_document: dict[object, list[Case]] = defaultdict(list)
    for case in shared_cases(file, language):
        by_document[case.document].append(case)
    found = {}
    for cases in by_document.values():
        queries = [query(case.query, case.namespaces, language) for case in cases]
        found.update(zip((case.id for case in cases), run(mode, cases[0].document.read_bytes(), queries), strict=True))
    return found


def passes(case: Case, outcome: Outcome) -> bool:
    return not isinstance(outcome, str) and meets(case.expected, [text for _, text in outcome])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("file", BARS)
def test_all_pass_but_the_known_failures(file: str, mode: str) -> None:
    found = outcomes(file, mode)
    failures = {case.id: found[case.id] for case in shared_cases(file) if not passes(case, found[case.id])}
    listed = known_failures().keys() & {case.id for case in shared_cases(file)}
    assert {id: outcome for id, outcome in failures.items() if id not in listed} == {}
    assert listed - failures.keys() == set(), "these cases pass now: take them off the list"
    assert len(failures) <= (1 - BARS[file]) * len(shared_cases(file))


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("file", BARS)
def test_no_mode_differs(file: str, mode: str) -> None:
    first, second = outcomes(file, MODES[0]), outcomes(file, mode)
    assert {id: (first[id], second[id]) for id in first if first[id] != second[id]} == {}


@pytest.mark.parametrize("mode", XQUERY_MODES)
def test_every_core_case_of_xquery_passes_and_the_others_but_the_known_failures(mode: str) -> None:
    cases = shared_cases("cases.jsonl", "xquery")
    found = outcomes("cases.jsonl", mode, "xquery")
    failures = {case.id: (case.level, found[case.id]) for case in cases if not passes(case, found[case.id])}
    listed = known_failures().keys() & {case.id for case in cases}
    assert {id: outcome for id, outcome in failures.items() if id not in listed} == {}
    assert listed - failures.keys() == set(), "these cases pass now: take them off the list"
    assert [id for id, (level, _) in failures.items() if level == "core"] == []


def test_every_known_failure_is_a_case_and_has_a_reason() -> None:
    ids = {case.id for file in BARS for language in LANGUAGES for case in shared_cases(file, language)}
    assert known_failures().keys() <= ids
    assert all(reason.strip() for reason in known_failures().values())
