"""FLWORs made for documents of real feeds, with their names and values: Saxon must say the same."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from random import Random

import pytest

from conformance.running import query, run
from penstock import samples
from penstock.generate.corpus import read_documents
from penstock.syntax.xquery.printer import to_text
from penstock.syntax.xquery.prolog import parse
from support.canonical import canonical
from support.feed_flwors import FeedDocument
from support.saxon_xquery import SaxonXQuery
from support.strategies import FACTOR

DATA = Path(os.environ.get("PENSTOCK_DATA", "../shared/data"))
FEEDS = ("samples", "nitf-500", "rss-items", "iso20022", "peppol-invoices", "pubmed-articles")
QUERIES = 50 * FACTOR
"""For each document."""


@pytest.fixture(scope="module")
def saxon() -> SaxonXQuery:
    return SaxonXQuery()


def documents_of(feed: str) -> list[FeedDocument]:
    if feed == "samples":
        return [FeedDocument(one.xml) for one in samples.documents() if not one.id.startswith("broken")]
    file = DATA / f"{feed}.jsonl.gz"
    if not file.exists():
        pytest.skip(f"needs {file.name} (PENSTOCK_DATA)")
    return [FeedDocument(xml) for xml in itertools.islice(read_documents(file), 0, 24, 3)]


@pytest.mark.parametrize("feed", FEEDS)
def test_saxon_agrees(saxon: SaxonXQuery, feed: str) -> None:
    found = 0
    for place, document in enumerate(documents_of(feed)):
        random = Random(f"{feed} {place}")
        texts = [document.make_flwor(random) for _ in range(QUERIES)]
        outcomes = run("whole", document.xml, [query(text, {}, "xquery") for text in texts])
        tree = saxon.parse(document.xml)
        for text, outcome in zip(texts, outcomes, strict=True):
            answer = saxon.ask(tree, text)
            if isinstance(outcome, str):
                # Two attributes of one name in an element: an error to both.
                assert answer is None, f"{text}\n{outcome}"
            else:
                assert [(kind, canonical(kind, fragment)) for kind, fragment in outcome] == answer, text
                found += bool(answer)
    assert found


@pytest.mark.parametrize("feed", FEEDS)
def test_chunks_and_company_change_nothing(feed: str) -> None:
    for place, document in enumerate(documents_of(feed)):
        random = Random(f"{feed} {place}")
        texts = [document.make_flwor(random) for _ in range(QUERIES)]
        queries = [query(text, {}, "xquery") for text in texts]
        alone = run("whole", document.xml, queries)
        for mode in ("linked", "indexed", "chunks of 511"):
            for text, outcome, expected in zip(texts, run(mode, document.xml, queries), alone, strict=True):
                assert outcome == expected, f"{mode}: {text}"


@pytest.mark.parametrize("feed", FEEDS)
def test_a_printed_query_is_the_same_query(feed: str) -> None:
    for place, document in enumerate(documents_of(feed)):
        tree = parse(document.make_flwor(Random(f"{feed} {place}")))
        assert parse(to_text(tree)) == tree
