"""Messages that are made when someone looks: the same as those that are made at once, whatever happens in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock import Broker
from penstock.generate.flwors import FlworParameters, flwors
from penstock.generate.use_cases import book

if TYPE_CHECKING:
    from penstock import Matches

DOCUMENTS = {
    "entities": '<!DOCTYPE l [<!ENTITY e "<b>&#65;</b>&amp;"><!ATTLIST i k CDATA "d">]>'
    '<l><i>&e;<c/></i><i k="2"><b/></i></l>',
    "CDATA": "<l><i><b><![CDATA[<&>]]>x</b><c/></i><!-- c --><?p q?><i><b>y</b></i></l>",
    "namespaces": '<p:l xmlns:p="urn:p" xmlns="urn:d"><i xmlns="" xmlns:q="urn:q"><b q:k="1">x</b></i></p:l>',
    "line ends": "<l>\r\n<i>\r\n<b>1\r2</b>\r\n</i></l>\r\n",
}


def taken(matches: Matches) -> list[tuple[str, str, int]]:
    return sorted((id, one.fragment, one.sequence) for one in matches.fragments for id in one.subscriptions)


def exploded(broker: Broker, document: str | bytes) -> list[tuple[str, str, int]]:
    return sorted((one.subscription, one.fragment, one.sequence) for one in broker.publish(document))


def crowd() -> Broker:
    broker = Broker()
    broker.subscribe_many([(f"n{n}", f"//n{n}") for n in range(40)])
    return broker


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_read_again_as_they_were(name: str) -> None:
    broker = crowd()
    broker.subscribe("content", "for $i in //i return <r k='{$i/@k}'>{$i/b}{$i//text()}</r>")
    broker.subscribe("inner", "for $b in //i/b return <r xmlns='urn:r'>{$b/text()}</r>")
    broker.subscribe("nodes", "//i")
    document = DOCUMENTS[name]
    matches = broker.publish(document, grouped=True)
    assert matches.deliveries == len(broker.publish(document))
    assert taken(matches) == exploded(broker, document)
    assert any(id == "content" for id, _, _ in taken(matches))


def test_other_encodings() -> None:
    broker = crowd()
    broker.subscribe("content", "for $i in //i return <r>{$i/b}</r>")
    for encoding in ("utf-16", "iso-8859-1"):
        document = f"<?xml version='1.0' encoding='{encoding}'?><l><i><b>é</b></i></l>".encode(encoding)
        assert taken(broker.publish(document, grouped=True)) == [("content", "<r><b>é</b></r>", 1)]


def test_subscriptions_that_change_meanwhile() -> None:
    broker = crowd()
    queries = list(flwors(parameters=FlworParameters(number=60, max_value=3)))
    broker.subscribe_many((str(number), query) for number, query in enumerate(queries))
    document = "".join(book(max_value=3))
    wanted = exploded(broker, document)
    assert wanted
    matches = broker.publish(document, grouped=True)
    for number in range(0, 60, 2):
        broker.unsubscribe(str(number))
    broker.subscribe("0", "for $x in //section return <other>{$x/title}</other>")
    assert matches.deliveries == len(wanted)
    assert taken(matches) == wanted
    del matches
    broker.unsubscribe("0")
    left = {str(number) for number in range(1, 60, 2)}
    assert exploded(broker, document) == [one for one in wanted if one[0] in left]
    assert broker.stats()["templated"] == 30


def test_matches_make_no_messages() -> None:
    broker = crowd()
    broker.subscribe("one", "for $i in //i where $i/b = 'x' return <r>{$i/b}</r>")
    broker.subscribe("fails", "for $i in //i where $i/b = 'x' return <r>{$i/b + 1}</r>")
    assert broker.matches("<l><i><b>x</b></i></l>") == ["one"]
    assert broker.publish("<l><i><b>x</b></i></l>", grouped=True).deliveries == 1
    assert [letter.subscription for letter in broker.dead_letters][-1] == "fails"
