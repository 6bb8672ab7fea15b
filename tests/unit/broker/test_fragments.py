"""Fragments standing alone parse and mean what they meant in their document."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from lxml import etree

import penstock

XSI = "http://www.w3.org/2001/XMLSchema-instance"
DOCUMENTS = {
    "prefixes of ancestors": "<r xmlns:p='urn:p' xmlns:q='urn:q'><p:x q:k='1'><p:y/></p:x></r>",
    "default namespace": "<r xmlns='urn:d'><x><y xmlns=''><z/></y></x></r>",
    "hidden and shown again": "<r xmlns:p='urn:1'><x xmlns:p='urn:2'><p:y/><z xmlns:p='urn:1'><p:y/></z></x></r>",
    "default hidden": "<r xmlns='urn:1'><x xmlns='urn:2'><y/></x><x/></r>",
    "entities": "<!DOCTYPE r [<!ENTITY e 'a &#38;#38; b'><!ENTITY f '<i>&e;</i>'>]><r><x>&e;</x><x>&f;!</x></r>",
    "default attributes": "<!DOCTYPE r [<!ATTLIST x k CDATA 'v' j CDATA #IMPLIED>]><r><x/><x k='own'/><x j=''/></r>",
    "special characters": "<r><x k='&lt;&quot;&#10;'>&amp;&lt;]]&gt;<![CDATA[<&]]></x></r>",
    "everything inside": "<r><x><!-- c --><?p i?><y/>t</x></r>",
    "xml prefix": "<r xml:lang='en'><x xml:lang='de' xml:space='preserve'> </x></r>",
    "attributes with > inside": "<r xmlns:p='urn:p'><x a='>' b=\"/>'\" p:c='>'>t</x></r>",
    "white space in tags": "<r xmlns:p='urn:p'><p:x\n a = '1'\t>t</p:x ></r>",
}


def meaning(xml: str) -> str:
    return ET.canonicalize(xml, with_comments=True, rewrite_prefixes=True)


@pytest.mark.parametrize("query", ["//*", "/*/*", "//*[not(*)]", "//*[@*]"])
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_they_mean_what_lxml_finds(document: str, query: str) -> None:
    parser = etree.XMLParser(attribute_defaults=True, resolve_entities=True, no_network=True)
    expected = etree.fromstring(document, parser).getroottree().xpath(query)
    found = penstock.evaluate(query, document)
    texts = [etree.tostring(element, encoding="unicode", with_tail=False) for element in expected]
    assert [meaning(one) for one in found] == [meaning(one) for one in texts]


def test_only_what_is_used_is_declared() -> None:
    document = "<r xmlns='urn:d' xmlns:p='urn:p' xmlns:q='urn:q'><p:x/></r>"
    (fragment,) = penstock.evaluate("//p:x", document, namespaces={"p": "urn:p"})
    assert fragment == '<p:x xmlns:p="urn:p"/>'


@pytest.mark.parametrize(
    "content",
    [
        "<x xsi:type='p:T'/>",
        "<x><y xsi:type='p:T'>v</y></x>",
        "<x ref='p:name'/>",
        "<x>p:name</x>",
    ],
)
def test_prefixes_in_values_keep_their_meaning(content: str) -> None:
    document = f"<r xmlns:xsi='{XSI}' xmlns:p='urn:p'>{content}</r>"
    (fragment,) = penstock.evaluate("/r/x", document)
    assert etree.fromstring(fragment).nsmap["p"] == "urn:p"


def test_source_bytes_are_kept() -> None:
    inside = "<x  a = '1'   b=\"2\" ><y></y><y/>&#65;<![CDATA[<]]></x >"
    assert penstock.evaluate("/r/x", f"<r>{inside}</r>") == [inside]


def test_a_fragment_is_unicode_whatever_the_document_s_encoding() -> None:
    document = "<?xml version='1.0' encoding='iso-8859-1'?><r><x>é</x></r>".encode("iso-8859-1")
    assert penstock.evaluate("//x", document) == ["<x>é</x>"]


def test_the_document_node_is_the_whole_document() -> None:
    document = "<?xml version='1.0'?><!--a--><r xmlns:p='urn:p'><p:x/></r><?p?>"
    (whole,) = penstock.evaluate("/", document)
    assert meaning(whole) == meaning(document)
