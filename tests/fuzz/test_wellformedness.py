"""Verdicts on spoilt documents agree with expat's, whole and in chunks; `docs/wellformedness.md` tells where not."""

from __future__ import annotations

import os
import re
from random import Random
from xml.parsers import expat

import pytest

from penstock.errors import DocumentError
from support.documents import make_document
from support.mutations import mutate_document
from support.ways import compiled, run_chunked, run_whole

CASES = int(os.environ.get("PENSTOCK_FUZZ_CASES", "4000"))
# Which encodings there are, and what undefined bytes in them mean, is the codec's affair; so are unpaired surrogates.
ENCODED = re.compile(rb"encoding|^\xff\xfe|^\xfe\xff|^..?\0|^\0", re.DOTALL)
NASTY = (
    (
        b"<?xml version='1.0' standalone='yes'?><!DOCTYPE a ["
        b"<!ENTITY e 'x<b/>y'><!ATTLIST a d CDATA 'v' i ID #IMPLIED>]><a>&e;</a>"
    ),
    (
        b"<!DOCTYPE a PUBLIC 'p' 's' ["
        b"<!ELEMENT a (#PCDATA|b)*><!NOTATION n SYSTEM 'x'><?t u?><!--c-->%p;]><a i='1'>&q;</a>"
    ),
    b"<a xmlns='urn:a' xmlns:b='urn:b' b:c='1' c='2'><b:d xmlns:b='urn:c' xml:space='preserve'>]]&gt;</b:d></a>",
    "<é:à xmlns:é='urn:é'>\r\n<![CDATA[]] ]]]]>&#x1F600;\t</é:à>".encode(),
)

pytestmark = pytest.mark.fuzz


def expat_accepts(document: bytes) -> bool:
    parser = expat.ParserCreate(namespace_separator=" ")
    try:
        parser.Parse(document, True)
    except expat.ExpatError:
        return False
    return True


def we_accept(document: bytes, size: int) -> bool:
    try:
        if size:
            run_chunked(PROGRAM, document, size)
        else:
            run_whole(PROGRAM, document)
    except DocumentError:
        return False
    return True


PROGRAM = [compiled("//a[b]/@x")]


def test_verdicts_agree_with_expat() -> None:
    random = Random(3)
    corpus = [*NASTY * 5, *(make_document(random, nodes=12) for _ in range(30))]
    accepted = 0
    for number in range(CASES):
        document = mutate_document(random, random.choice(corpus), corpus)
        if ENCODED.search(document[:100]):
            continue
        verdict = expat_accepts(document)
        accepted += verdict
        assert we_accept(document, (0, 1, 7)[number % 3]) == verdict, document
    # Not all of one kind: the documents are spoilt only a little.
    assert CASES // 20 < accepted < CASES


@pytest.mark.parametrize("document", NASTY)
def test_the_originals_are_well_formed(document: bytes) -> None:
    assert expat_accepts(document)
    assert we_accept(document, 0)
