"""This repository's own conformance suite; lxml and Saxon agree with what it expects."""

from __future__ import annotations

import pytest

import penstock
from conformance.cases import OwnSuite, own_suites
from conformance.running import MODES, query, run

pytestmark = pytest.mark.conformance
SUITES = own_suites()
every_suite = pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)


@pytest.mark.parametrize("mode", MODES)
@every_suite
def test_results(suite: OwnSuite, mode: str) -> None:
    outcomes = run(mode, suite.document, [query(case.query, suite.namespaces, suite.language) for case in suite.cases])
    wrong = {}
    for case, outcome in zip(suite.cases, outcomes, strict=True):
        if isinstance(outcome, str) or [text for _, text in outcome] != case.results:
            wrong[case.query] = (outcome, case.results)
        elif case.kind is not None and {kind for kind, _ in outcome} != {case.kind}:
            wrong[case.query] = (outcome, case.kind)
    assert wrong == {}


@every_suite
def test_evaluate_gives_the_same(suite: OwnSuite) -> None:
    wrong = {}
    for case in suite.cases:
        options = {"namespaces": suite.namespaces, "language": suite.language}
        results = penstock.evaluate(case.query, suite.document, **options)
        if results != case.results:
            wrong[case.query] = (results, case.results)
    assert wrong == {}
