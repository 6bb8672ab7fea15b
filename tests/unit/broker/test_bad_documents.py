"""What becomes of documents that are not XML: dead letters, modes, and a broker as good as new."""

from __future__ import annotations

import logging
import pickle
from datetime import UTC, datetime

import pytest

import penstock
from penstock import Broker, DocumentError, QueryError, UnsupportedError
from penstock.broker import DeadLetter, DeadLetters
from penstock.span import Span

BROKEN = "<a>\n <b>é</c></a>"


def broker_with_a_query(mode: str) -> Broker:
    broker = Broker(mode=mode)  # type: ignore[arg-type]
    broker.subscribe("all", "//*")
    return broker


def test_permissive_keeps_a_dead_letter(caplog: pytest.LogCaptureFixture) -> None:
    broker = broker_with_a_query("PERMISSIVE")
    with caplog.at_level(logging.WARNING, logger="penstock"):
        assert broker.publish(BROKEN, id="d", stream="s", time=0) == []
    (letter,) = broker.dead_letters
    assert (letter.document, letter.stream, letter.time) == ("d", "s", datetime(1970, 1, 1, tzinfo=UTC))
    assert (letter.error_class, letter.line, letter.xml, letter.subscription) == ("not-well-formed", 2, BROKEN, None)
    assert (letter.column, letter.offset) == (6, 10)
    assert letter.message
    assert "document d of stream s refused" in caplog.text


def test_dropmalformed_forgets() -> None:
    broker = broker_with_a_query("DROPMALFORMED")
    assert broker.publish(BROKEN) == []
    assert list(broker.dead_letters) == []
    assert broker.stats()["errors"] == 1


def test_failfast_raises() -> None:
    broker = broker_with_a_query("FAILFAST")
    with pytest.raises(DocumentError) as caught:
        broker.publish(BROKEN)
    error = caught.value
    assert (error.error_class, error.line, error.column, error.offset) == ("not-well-formed", 2, 6, 10)
    assert str(error).startswith("not-well-formed at line 2, column 6 (byte 10): ")
    assert isinstance(error, penstock.PenstockError)


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
def test_grouped_is_empty_for_a_bad_document(mode: str) -> None:
    assert len(broker_with_a_query(mode).publish(BROKEN, grouped=True)) == 0


@pytest.mark.parametrize(
    ("document", "error_class"),
    [
        ("", "not-well-formed"),
        ("text", "not-well-formed"),
        ("<a>", "not-well-formed"),
        ("<a/><b/>", "not-well-formed"),
        ("<a b='1' b='2'/>", "not-well-formed"),
        ("<a>&undeclared;</a>", "not-well-formed"),
        ("<a>\x01</a>", "not-well-formed"),
        ("<p:a/>", "namespace"),
        ("<a xmlns:p='' />", "namespace"),
        ("<a xmlns:p='u' xmlns:q='u' p:k='' q:k=''/>", "namespace"),
        (b"<a>\xff</a>", "encoding"),
    ],
)
def test_classes_of_errors_and_the_next_document_is_unaffected(document: str | bytes, error_class: str) -> None:
    broker = broker_with_a_query("PERMISSIVE")
    assert broker.publish(document) == []
    assert [letter.error_class for letter in broker.dead_letters] == [error_class]
    assert [one.fragment for one in broker.publish("<a/>")] == ["<a/>"]


def test_nothing_outside_the_document_is_fetched(tmp_path: object) -> None:
    secret = f"{tmp_path}/secret.txt"
    with open(secret, "w") as file:  # noqa: PTH123
        file.write("secret")
    document = f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}">]><a>&e;</a>'
    broker = broker_with_a_query("PERMISSIVE")
    assert "secret" not in str([one.fragment for one in broker.publish(document)]).replace(secret, "")
    outside = '<!DOCTYPE a SYSTEM "http://localhost:1/none.dtd"><a>x</a>'
    assert penstock.evaluate("//a/text()", outside) == ["x"]


def test_dead_letters_are_bounded_and_counted() -> None:
    letters = DeadLetters(capacity=3)
    time = datetime(2024, 5, 1, tzinfo=UTC)
    for number in range(5):
        letters.add(DeadLetter(str(number), "s", time, "not-well-formed", "m", 1, 1, 0, None))
    assert [letter.document for letter in letters] == ["2", "3", "4"]
    assert (len(letters), letters.count, letters[0].document) == (3, 5, "2")
    letters.clear()
    assert (len(letters), letters.count) == (0, 5)


def test_a_broker_keeps_ten_thousand() -> None:
    broker = Broker()
    for number in range(10_010):
        broker.publish("<", id=str(number))
    assert (len(broker.dead_letters), broker.dead_letters.count) == (10_000, 10_010)
    assert broker.dead_letters[0].document == "10"


def test_errors_travel() -> None:
    errors = [
        DocumentError("limit", "too deep", 3, 4, 17),
        QueryError("XPST0003", "no", query="//a[", span=Span(4, 4), expected=("a step",), found="the end"),
        UnsupportedError("PNST0003", "not here", construct="variables", query="$a", span=Span(0, 2)),
    ]
    for error in errors:
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert {**vars(copy)} == {**vars(error)}


def test_a_query_that_fails_on_a_document_costs_only_itself() -> None:
    broker = Broker()
    broker.subscribe("pattern of the document", "//b[matches(., string(/a/@pattern))]")
    broker.subscribe("other", "count(//b)")
    found = broker.publish("<a pattern='('><b/></a>", id="d")
    letters = [(letter.document, letter.error_class, letter.subscription) for letter in broker.dead_letters]
    assert letters == [("d", "evaluation", "pattern of the document")]
    assert [(one.subscription, one.fragment) for one in found] == [("other", "1")]
    assert broker.matches("<a pattern='('><b/></a>") == ["other"]
    with pytest.raises(DocumentError) as caught:
        penstock.evaluate("//b[matches(., string(/a/@pattern))]", "<a pattern='('><b/></a>")
    assert caught.value.error_class == "evaluation"


def test_matches_of_a_bad_document_follow_the_mode() -> None:
    broker = broker_with_a_query("PERMISSIVE")
    assert broker.matches(BROKEN) == []
    assert broker.dead_letters.count == 1
    with pytest.raises(DocumentError):
        broker_with_a_query("FAILFAST").matches(BROKEN)
