"""Subscriptions to the bundled feeds: the kinds people really have, many of each."""

from __future__ import annotations

from itertools import cycle, product
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMESPACES = {
    "nar": "http://iptc.org/std/nar/2006-10-01/",
    "html": "http://www.w3.org/1999/xhtml",
    "dc": "http://purl.org/dc/elements/1.1/",
    "cap": "urn:oasis:names:tc:emergency:cap:1.2",
    "siri": "http://www.siri.org.uk/siri",
}


class Row(TypedDict):
    """What `Broker.subscribe_many` takes."""

    id: str
    query: str
    stream: str
    subscriber: str


def subscriptions() -> list[Row]:
    """All subscriptions of the demonstration.

    >>> len(subscriptions()) > 250
    True
    """
    subscribers = cycle(("ann", "bob", "carla", "dmitri", "eve", "farid", "grace"))
    return [
        Row(id=f"{stream}/{name}", query=query, stream=stream, subscriber=next(subscribers))
        for stream, rows in (
            ("news", _news()),
            ("payments", _payments()),
            ("alerts", _alerts()),
            ("transit", _transit()),
        )
        for name, query in rows
    ]


def _news() -> Iterator[tuple[str, str]]:
    for topic, urgency in product(("03", "04", "17", "15", "20"), range(1, 6)):
        urgent = f"[.//nar:urgency <= {urgency}]"
        yield (
            f"topic-{topic}-urgency-{urgency}",
            f"/nar:newsItem[.//nar:subject[starts-with(@qcode,'medtop:{topic}')]]{urgent}//nar:headline",
        )
    for word in ("outage", "bridge", "storm", "inflation", "election", "maintenance"):
        yield f"headline-{word}", f"//nar:headline[contains(., '{word}')] | //item[contains(title, '{word}')]/link"
    for topic, city in product(("03", "04", "17", "15", "20"), ("frankfurt", "bergen")):
        place = f"[nar:located/@qcode = 'city:{city}']"
        yield (
            f"{city}-{topic}",
            f"//nar:contentMeta{place}[nar:subject[starts-with(@qcode, 'medtop:{topic}')]]/nar:headline",
        )
    yield "corrections", "/nar:newsItem[@version > 1]/@guid"
    yield "paragraphs", "count(//html:p)"
    yield "second-item", "/rss/channel/item[2]/title/text()"
    yield "emphasis", "//html:em[ancestor::nar:newsItem//nar:subject/nar:name = 'weather']"


def _payments() -> Iterator[tuple[str, str]]:
    currencies = ("USD", "EUR", "GBP", "JPY", "CHF", "SEK")
    for currency, least in product(currencies, (0, 50, 100, 1_000, 10_000, 100_000, 500_000)):
        yield (
            f"{currency}-over-{least}",
            f"//*:CdtTrfTxInf[*:IntrBkSttlmAmt[@Ccy='{currency}'] > {least}]//*:UETR/text()",
        )
    for purpose in ("SUPP", "GDDS", "SALA", "OTHR"):
        yield f"purpose-{purpose}", f"//*:CdtTrfTxInf[*:Purp/*:Cd='{purpose}']/*:Cdtr/*:Nm/text()"
    for creditor, least in product(("Lindqvist Marine AB", "Costa Cork Lda", "Corner Books"), (0, 1_000, 100_000)):
        yield (
            f"to-{creditor.split()[0].lower()}-over-{least}",
            f"//*:CdtTrfTxInf[*:Cdtr/*:Nm = '{creditor}'][*:IntrBkSttlmAmt > {least}]/*:PmtId/*:EndToEndId/text()",
        )
    for currency, purpose in product(currencies, ("SUPP", "GDDS", "SALA", "OTHR")):
        yield (
            f"{purpose}-in-{currency}",
            f"//*:CdtTrfTxInf[*:Purp/*:Cd='{purpose}']/*:IntrBkSttlmAmt[@Ccy='{currency}']",
        )
    yield "rejected", "//*:TxInfAndSts[*:TxSts='RJCT']"
    yield "rejection-reason", "//*:AddtlInf[../../*:TxSts='RJCT']/text()"
    yield "without-purpose", "//*:CdtTrfTxInf[not(*:Purp)]"
    yield "total", "sum(//*:IntrBkSttlmAmt)"


def _alerts() -> Iterator[tuple[str, str]]:
    counties = ("006037", "006059", "006111", "006029", "006073", "006065")
    for county, severity in product(counties, ("Extreme", "Severe", "Moderate", "Minor")):
        yield (
            f"county-{county}-{severity.lower()}",
            f"/cap:alert/cap:info[cap:severity='{severity}'][cap:area/cap:geocode/cap:value='{county}']/cap:headline/text()",
        )
        yield (
            f"any-language-{county}-{severity.lower()}",
            f"//cap:info[cap:area//cap:value = '{county}' and cap:severity = '{severity}']/cap:event",
        )
    for county, kind in product(counties, ("Alert", "Update", "Cancel")):
        yield (
            f"{kind.lower()}-{county}",
            f"/cap:alert[cap:msgType = '{kind}'][.//cap:value = '{county}']/cap:identifier/text()",
        )
    yield "spanish", "/cap:alert/cap:info[cap:language='es-US']/cap:headline"
    yield "cancelled", "/cap:alert[cap:msgType='Cancel']/cap:references/text()"
    yield "bilingual", "/cap:alert[count(cap:info) > 1]/cap:identifier/text()"


def _transit() -> Iterator[tuple[str, str]]:
    for line in ("LZ123", "LZ7", "LZ9", "LZ11", "LZ42"):
        journey = f"//siri:EstimatedVehicleJourney[siri:LineRef='{line}']"
        yield f"cancelled-{line}", f"{journey}[siri:Cancellation='true']/siri:DatedVehicleJourneyRef/text()"
        yield (
            f"long-delays-{line}",
            f"{journey}//siri:EstimatedCall[starts-with(siri:ArrivalDelay, 'PT1')]/siri:StopPointRef/text()",
        )
        yield f"delays-{line}", f"{journey}//siri:EstimatedCall[siri:ArrivalDelay != 'PT0M']/siri:StopPointName"
        yield (
            f"situation-{line}",
            f"//siri:PtSituationElement[.//siri:AffectedLine/siri:LineRef='{line}']/siri:Summary/text()",
        )
    for stop in ("8201", "8207", "8209", "8220"):
        yield f"stop-{stop}", f"//siri:EstimatedCall[siri:StopPointRef='{stop}'][not(ancestor::*/siri:Cancellation)]"
    for line, stop in product(("LZ123", "LZ7", "LZ9", "LZ11", "LZ42"), ("8201", "8207", "8209", "8220")):
        yield (
            f"{line}-at-{stop}",
            f"//siri:DatedVehicleJourneyRef[../siri:LineRef='{line}'][..//siri:StopPointRef='{stop}']/text()",
        )
    for stop, delay in product(("8201", "8207", "8209", "8220"), ("PT1M", "PT4M", "PT12M")):
        yield f"{stop}-{delay}", f"//siri:EstimatedCall[siri:StopPointRef='{stop}' and siri:ArrivalDelay='{delay}']"
    yield "last-stop", "//siri:EstimatedCall[last()]/siri:StopPointName/text()"
