"""Subscriptions: registering, replacing and removing them, and what their parameters do."""

from __future__ import annotations

import pytest

import penstock
from penstock import Broker, QueryError, SchemaError, UnsupportedError

DOCUMENT = "<list><item k='1'>pen</item><item>ink</item></list>"


def fragments(broker: Broker, xml: str = DOCUMENT, **parameters: object) -> list[tuple[str, str]]:
    return [(found.subscription, found.fragment) for found in broker.publish(xml, **parameters)]


def test_a_subscription_knows_what_it_was_made_of() -> None:
    broker = Broker(namespaces={"p": "urn:p"})
    made = broker.subscribe(
        "one", "//p:a", stream="news", namespaces={"q": "urn:q"}, subscriber="ann", deliver="document"
    )
    assert (made.id, made.query, made.language, made.stream) == ("one", "//p:a", "xpath", "news")
    assert (made.subscriber, made.deliver, made.running, made.deliver_empty) == ("ann", "document", False, False)
    assert made.namespaces == {"p": "urn:p", "q": "urn:q"}
    assert broker.get("one") == made
    assert broker.subscriptions() == [made]


def test_subscriptions_are_listed_oldest_first() -> None:
    broker = Broker()
    for id in ("z", "a", "m"):
        broker.subscribe(id, "//x")
    assert [one.id for one in broker.subscriptions()] == ["z", "a", "m"]


def test_a_second_subscription_of_an_id_is_an_error_that_changes_nothing() -> None:
    broker = Broker()
    broker.subscribe("one", "//item[1]")
    with pytest.raises(QueryError, match="exists already") as caught:
        broker.subscribe("one", "//item[2]")
    assert caught.value.code == "PNST0011"
    assert fragments(broker) == [("one", "<item k='1'>pen</item>")]


def test_replace_takes_the_new_query() -> None:
    broker = Broker()
    broker.subscribe("one", "//item[1]")
    broker.subscribe("one", "//item[2]", replace=True)
    assert fragments(broker) == [("one", "<item>ink</item>")]
    assert len(broker.subscriptions()) == 1


def test_replacing_what_is_not_there_is_subscribing() -> None:
    broker = Broker()
    broker.subscribe("one", "//item[2]", replace=True)
    assert fragments(broker) == [("one", "<item>ink</item>")]


def test_a_bad_replacement_leaves_the_old_query() -> None:
    broker = Broker()
    broker.subscribe("one", "//item[1]")
    with pytest.raises(QueryError):
        broker.subscribe("one", "//item[", replace=True)
    assert fragments(broker) == [("one", "<item k='1'>pen</item>")]


def test_unsubscribe() -> None:
    broker = Broker()
    broker.subscribe("one", "//item")
    broker.subscribe("two", "//item/@k")
    broker.unsubscribe("one")
    assert fragments(broker) == [("two", "1")]


@pytest.mark.parametrize("method", ["unsubscribe", "get", "explain"])
def test_an_unknown_id_is_a_key_error(method: str) -> None:
    with pytest.raises(KeyError, match="none"):
        getattr(Broker(), method)("none")


def test_subscribe_many_takes_good_rows_and_says_what_is_wrong_with_the_others() -> None:
    broker = Broker()
    broker.subscribe("old", "//item")
    outcome = broker.subscribe_many(
        [
            ("a", "//item/@k"),
            ("b", "//item["),
            {"id": "c", "query": "//p:x"},
            {"id": "d", "query": "count(//item)", "subscriber": "dan", "stream": "default"},
            ("old", "//other"),
            {"id": "old", "query": "//item[2]", "replace": True},
            ("a", "//item"),
        ]
    )
    assert [one.id for one in outcome.accepted] == ["a", "d", "old"]
    assert [(one.id, one.error.code) for one in outcome.rejected] == [
        ("b", "XPST0003"),
        ("c", "XPST0081"),
        ("old", "PNST0011"),
        ("a", "PNST0011"),
    ]
    assert sorted(fragments(broker)) == [("a", "1"), ("d", "2"), ("old", "<item>ink</item>")]
    assert broker.get("d").subscriber == "dan"


def test_bad_queries_are_refused_and_the_others_untouched() -> None:
    broker = Broker()
    broker.subscribe("good", "//item/@k")
    with pytest.raises(QueryError) as syntax:
        broker.subscribe("bad", "//item[@k = ]")
    assert (syntax.value.code, syntax.value.line, syntax.value.column) == ("XPST0003", 1, 13)
    with pytest.raises(QueryError) as prefix:
        broker.subscribe("bad", "//p:item")
    assert prefix.value.code == "XPST0081"
    with pytest.raises(UnsupportedError):
        broker.subscribe("bad", "//item", language="sql")
    assert fragments(broker) == [("good", "1")]


def test_parameters_of_joins_need_a_join() -> None:
    for parameter in ({"window": "20 minutes"}, {"publish": "out"}):
        with pytest.raises(UnsupportedError) as caught:
            Broker().subscribe("one", "//item", **parameter)
        assert caught.value.code == "PNST0009"


def test_streams() -> None:
    broker = Broker()
    broker.subscribe("all", "//item[1]/text()")
    broker.subscribe("news", "//item[1]/text()", stream="news")
    broker.subscribe("plain", "//item[1]/text()", stream="default")
    assert fragments(broker) == [("all", "pen"), ("plain", "pen")]
    assert fragments(broker, stream="news") == [("all", "pen"), ("news", "pen")]
    assert fragments(broker, stream="other") == [("all", "pen")]
    assert broker.matches(DOCUMENT, stream="news") == ["all", "news"]


def test_namespaces_of_the_broker_are_defaults_for_its_subscriptions() -> None:
    broker = Broker(namespaces={"p": "urn:p", "": "urn:d"})
    broker.subscribe("broker's", "//p:x/text() | //x/text()")
    broker.subscribe("its own", "//p:x/text() | //x/text()", namespaces={"p": "urn:other"})
    broker.subscribe("none", "//x/text()", namespaces={"": ""})
    xml = "<r><a:x xmlns:a='urn:p'>1</a:x><x xmlns='urn:d'>2</x><x>3</x><x xmlns='urn:other'>4</x></r>"
    assert sorted(fragments(broker, xml)) == [
        ("broker's", "1"),
        ("broker's", "2"),
        ("its own", "2"),
        ("its own", "4"),
        ("none", "3"),
    ]


def test_deliver_document_joins_the_items() -> None:
    broker = Broker()
    broker.subscribe("one", "//item", deliver="document", subscriber="ann")
    (found,) = broker.publish(DOCUMENT, id="d")
    assert found.fragment == "<item k='1'>pen</item><item>ink</item>"
    assert (found.kind, found.subscriber, found.documents) == ("document", "ann", ("d",))
    assert broker.publish("<list/>") == []


def test_deliver_takes_two_values() -> None:
    with pytest.raises(QueryError) as caught:
        Broker().subscribe("one", "//item", deliver="all")  # type: ignore[arg-type]
    assert caught.value.code == "PNST0010"


@pytest.mark.parametrize(
    ("query", "usual", "to_the_letter"),
    [
        ("//item = 'pen'", ["true"], ["true"]),
        ("//item = 'nib'", [], ["false"]),
        ("not(//item)", [], ["false"]),
        ("string(//nothing)", [], [""]),
        ("string(//item)", ["pen"], ["pen"]),
        ("count(//nothing)", ["0"], ["0"]),
        ("//nothing", [], []),
        ("max(//nothing)", [], []),
    ],
)
def test_what_says_nothing_is_not_delivered_unless_asked_for(
    query: str, usual: list[str], to_the_letter: list[str]
) -> None:
    broker = Broker()
    broker.subscribe("usual", query)
    broker.subscribe("letter", query, deliver_empty=True)
    found = fragments(broker)
    assert [text for id, text in found if id == "usual"] == usual
    assert [text for id, text in found if id == "letter"] == to_the_letter
    assert penstock.evaluate(query, DOCUMENT) == to_the_letter


def test_running_delivers_each_new_value() -> None:
    broker = Broker()
    broker.subscribe("running", "count(//item)", running=True)
    broker.subscribe("once", "count(//item)")
    found = fragments(broker)
    assert [text for id, text in found if id == "running"] == ["1", "2"]
    assert [text for id, text in found if id == "once"] == ["2"]


@pytest.mark.parametrize("query", ["//item", "1 + 1", "count(//item) + 1", "string(//item)"])
def test_running_needs_an_aggregate(query: str) -> None:
    with pytest.raises(QueryError) as caught:
        Broker().subscribe("one", query, running=True)
    assert caught.value.code == "PNST0007"


def test_what_this_version_does_not_have() -> None:
    with pytest.raises(SchemaError):
        Broker(schemas={"default": "a.dtd"})  # type: ignore[arg-type]


def test_parameters_of_the_broker_are_checked() -> None:
    with pytest.raises(ValueError, match="LENIENT"):
        Broker(mode="LENIENT")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a while"):
        Broker(watermark="a while")
    with pytest.raises(ValueError, match="a while"):
        Broker(window="20 documents, a while")
    assert Broker(window="20 minutes, 5 documents").window == "20 minutes, 5 documents"
    with pytest.raises(TypeError):
        Broker(limits={"deepness": 3})
