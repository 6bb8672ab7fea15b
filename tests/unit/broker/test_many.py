"""Paths in a broker with so many of them that it has an index."""

from __future__ import annotations

import pytest
from lxml import etree

from penstock import Broker

VALUES = ("item17", "item18", "item27", "x", "", "17", "a longer value than all the others")
"""Some are alike in length and in how they begin or end."""

DOCUMENT = "<list>" + "".join(f"<a k='{value}'>{value}</a>" for value in VALUES) + "</list>"


@pytest.mark.parametrize("predicate", [". = '{}'", "text() = '{}'", "@k = '{}'", "starts-with(@k, '{}')"])
def test_values_that_concerned_no_one_are_found_once_someone_asks_for_them(predicate: str) -> None:
    broker = Broker()
    broker.subscribe_many([(f"no{n}", f"//a[{predicate.format(f'no{n}')}]") for n in range(100)])
    assert broker.matches(DOCUMENT) == []
    for value in VALUES:
        broker.subscribe(f"is {value}", f"//a[{predicate.format(value)}]")
        found = [one for one in broker.publish(DOCUMENT) if one.subscription == f"is {value}"]
        assert len(found) == len(etree.XML(DOCUMENT).xpath(f"//a[{predicate.format(value)}]")), value


def test_a_name_that_no_one_asked_for_is_found_once_someone_does() -> None:
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}[b = '1']/c") for n in range(100)])
    document = "<n1><b>1</b><c/><d><c/></d></n1>"
    assert broker.matches(document) == ["n1"]
    broker.subscribe("d", "//d[c]")
    broker.subscribe("any", "/*[d]/b")
    assert sorted(broker.matches(document)) == ["any", "d", "n1"]
    assert [one.fragment for one in broker.publish(document) if one.subscription == "any"] == ["<b>1</b>"]
