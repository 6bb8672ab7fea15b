"""XMark's auction site: the structure of auction.dtd with about the proportions of its original generator, xmlgen."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from penstock.generate.people import CITIES, COUNTRIES, DOMAINS, FIRST_NAMES, LAST_NAMES, PROVINCES
from penstock.generate.words import Prose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BYTES_PER_FACTOR = 96_800_000
"""The size of a document of factor 1, measured over several factors and seeds; true within a few per cent."""

_REGIONS = {"africa": 550, "asia": 2_000, "australia": 2_200, "europe": 6_000, "namerica": 10_000, "samerica": 1_000}
_CATEGORIES, _PEOPLE, _OPEN, _CLOSED = 1_000, 25_500, 12_000, 9_750
_PAYMENTS = ("Creditcard", "Money order", "Personal Check", "Cash")
_SHIPPING = ("Will ship only within country", "Will ship internationally", "Buyer pays fixed shipping charges")
_EDUCATION = ("High School", "College", "Graduate School", "Other")


def xmark(*, size: int | None = None, factor: float = 0.01, seed: int = 0) -> Iterator[str]:
    """An auction site of about `size` bytes, or of `factor` (1 is about 100 MB), in pieces.

    >>> "".join(xmark(factor=0.001)).count("<person ")
    25
    """
    return _Site(size / BYTES_PER_FACTOR if size is not None else factor, Random(seed)).document()


class _Site:
    """One site; the references between its parts stay within the numbers of items, people and auctions it has."""

    def __init__(self, factor: float, rng: Random) -> None:
        self.rng = rng
        self.prose = Prose(rng)
        self.regions = {name: max(1, int(count * factor)) for name, count in _REGIONS.items()}
        self.items = sum(self.regions.values())
        self.categories = max(1, int(_CATEGORIES * factor))
        self.people = max(1, int(_PEOPLE * factor))
        self.open = max(1, int(_OPEN * factor))
        self.closed = max(1, int(_CLOSED * factor))

    def document(self) -> Iterator[str]:
        yield '<?xml version="1.0"?>\n<site>\n<regions>\n'
        numbers = iter(range(self.items))
        for region, count in self.regions.items():
            yield f"<{region}>\n"
            for number in islice(numbers, count):
                yield self.item(number)
            yield f"</{region}>\n"
        yield "</regions>\n"
        yield from self.section("categories", self.categories, self.category)
        yield from self.section("catgraph", self.categories, self.edge)
        yield from self.section("people", self.people, self.person)
        yield from self.section("open_auctions", self.open, self.open_auction)
        yield from self.section("closed_auctions", self.closed, self.closed_auction)
        yield "</site>\n"

    def section(self, name: str, count: int, entry: Callable[[int], str]) -> Iterator[str]:
        yield f"<{name}>\n"
        for number in range(count):
            yield entry(number)
        yield f"</{name}>\n"

    def below(self, bound: int) -> int:
        return int(bound * self.rng.random())

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, choices: tuple[str, ...]) -> str:
        return choices[int(len(choices) * self.rng.random())]

    def some(self, choices: tuple[str, ...]) -> str:
        return ", ".join(choice for choice in choices if self.chance(0.5))

    def mean(self, average: float) -> int:
        """A number of repetitions, exponentially distributed as in xmlgen."""
        return int(self.rng.expovariate(1.0) * average + 0.5)

    def full_name(self) -> tuple[str, str]:
        return self.pick(FIRST_NAMES), self.pick(LAST_NAMES)

    def date(self) -> str:
        return f"{1 + self.below(12):02}/{1 + self.below(28):02}/{1998 + self.below(4)}"

    def money(self, average: float) -> str:
        return f"{self.rng.expovariate(1.0) * average + 1.5:.2f}"

    def text(self) -> str:
        parts = ["<text>\n", self.prose.words(15, 115)]
        while self.chance(0.45):
            tag = self.pick(("bold", "keyword", "emph"))
            inner = self.prose.words(1, 6)
            if self.chance(0.08):
                inner += f" <keyword> {self.prose.words(1, 3)} </keyword>"
            parts.append(f" <{tag}> {inner} </{tag}> {self.prose.words(3, 30)}")
        parts.append(" \n</text>\n")
        return "".join(parts)

    def description(self) -> str:
        return f"<description>\n{self.parlist(1) if self.chance(0.3) else self.text()}</description>\n"

    def parlist(self, level: int) -> str:
        items = []
        for _ in range(2 + self.below(4)):
            nested = level < 3 and self.chance(0.15)
            items.append(f"<listitem>\n{self.parlist(level + 1) if nested else self.text()}</listitem>\n")
        return f"<parlist>\n{''.join(items)}</parlist>\n"

    def annotation(self) -> str:
        return (
            f'<annotation>\n<author person="person{self.below(self.people)}"/>\n{self.description()}'
            f"<happiness>{1 + self.below(10)}</happiness>\n</annotation>\n"
        )

    def item(self, number: int) -> str:
        featured = ' featured="yes"' if self.chance(0.1) else ""
        location = "United States" if self.chance(0.75) else self.pick(COUNTRIES)
        categories = "".join(
            f'<incategory category="category{self.below(self.categories)}"/>\n' for _ in range(1 + self.mean(2.75))
        )
        mails = "".join(self.mail() for _ in range(self.mean(0.96)))
        return (
            f'<item id="item{number}"{featured}>\n<location>{location}</location>\n'
            f"<quantity>{1 + self.mean(0.4)}</quantity>\n<name>{self.prose.words(1, 4)}</name>\n"
            f"<payment>{self.some(_PAYMENTS)}</payment>\n{self.description()}"
            f"<shipping>{self.some(_SHIPPING)}</shipping>\n{categories}<mailbox>\n{mails}</mailbox>\n</item>\n"
        )

    def mail(self) -> str:
        (one, one_last), (two, two_last) = self.full_name(), self.full_name()
        return (
            f"<mail>\n<from>{one} {one_last} mailto:{one_last}@{self.pick(DOMAINS)}</from>\n"
            f"<to>{two} {two_last} mailto:{two_last}@{self.pick(DOMAINS)}</to>\n"
            f"<date>{self.date()}</date>\n{self.text()}</mail>\n"
        )

    def category(self, number: int) -> str:
        name = self.prose.words(1, 4)
        return f'<category id="category{number}">\n<name>{name}</name>\n{self.description()}</category>\n'

    def edge(self, _number: int) -> str:
        return f'<edge from="category{self.below(self.categories)}" to="category{self.below(self.categories)}"/>\n'

    def person(self, number: int) -> str:
        first, last = self.full_name()
        domain = self.pick(DOMAINS)
        parts = [
            f'<person id="person{number}">\n<name>{first} {last}</name>\n',
            f"<emailaddress>mailto:{last}@{domain}</emailaddress>\n",
        ]
        if self.chance(0.5):
            parts.append(f"<phone>+{1 + self.below(99)} ({self.below(900) + 100}) {self.below(90_000_000)}</phone>\n")
        if self.chance(0.5):
            parts.append(self.address())
        if self.chance(0.5):
            parts.append(f"<homepage>http://www.{domain}/~{last}</homepage>\n")
        if self.chance(0.5):
            groups = " ".join(str(1000 + self.below(9000)) for _ in range(4))
            parts.append(f"<creditcard>{groups}</creditcard>\n")
        if self.chance(0.5):
            parts.append(self.profile())
        if self.chance(0.5):
            watches = "".join(
                f'<watch open_auction="open_auction{self.below(self.open)}"/>\n' for _ in range(self.mean(4))
            )
            parts.append(f"<watches>\n{watches}</watches>\n")
        parts.append("</person>\n")
        return "".join(parts)

    def address(self) -> str:
        country = "United States" if self.chance(0.75) else self.pick(COUNTRIES)
        province = f"<province>{self.pick(PROVINCES)}</province>\n" if self.chance(0.5) else ""
        return (
            f"<address>\n<street>{1 + self.below(100)} {self.pick(LAST_NAMES)} St</street>\n"
            f"<city>{self.pick(CITIES)}</city>\n"
            f"<country>{country}</country>\n{province}<zipcode>{1 + self.below(39)}</zipcode>\n</address>\n"
        )

    def profile(self) -> str:
        parts = [f'<profile income="{self.money(20_000) if self.chance(0.5) else "9876.00"}">\n']
        parts += [f'<interest category="category{self.below(self.categories)}"/>\n' for _ in range(self.mean(3))]
        if self.chance(0.5):
            parts.append(f"<education>{self.pick(_EDUCATION)}</education>\n")
        if self.chance(0.5):
            parts.append(f"<gender>{self.pick(('male', 'female'))}</gender>\n")
        parts.append(f"<business>{self.pick(('Yes', 'No'))}</business>\n")
        if self.chance(0.5):
            parts.append(f"<age>{18 + self.below(50)}</age>\n")
        parts.append("</profile>\n")
        return "".join(parts)

    def open_auction(self, number: int) -> str:
        reserve = f"<reserve>{self.money(120)}</reserve>\n" if self.chance(0.5) else ""
        privacy = f"<privacy>{self.pick(('Yes', 'No'))}</privacy>\n" if self.chance(0.5) else ""
        bidders = "".join(self.bidder() for _ in range(self.mean(5)))
        return (
            f'<open_auction id="open_auction{number}">\n<initial>{self.money(60)}</initial>\n{reserve}{bidders}'
            f"<current>{self.money(150)}</current>\n{privacy}"
            f'<itemref item="item{self.below(self.items)}"/>\n<seller person="person{self.below(self.people)}"/>\n'
            f"{self.annotation()}<quantity>{1 + self.mean(0.4)}</quantity>\n"
            f"<type>{self.pick(('Regular', 'Featured'))}</type>\n"
            f"<interval>\n<start>{self.date()}</start>\n<end>{self.date()}</end>\n</interval>\n</open_auction>\n"
        )

    def bidder(self) -> str:
        time = f"{self.below(24):02}:{self.below(60):02}:{self.below(60):02}"
        return (
            f"<bidder>\n<date>{self.date()}</date>\n<time>{time}</time>\n"
            f'<personref person="person{self.below(self.people)}"/>\n'
            f"<increase>{1.5 * (1 + self.mean(7)):.2f}</increase>\n</bidder>\n"
        )

    def closed_auction(self, _number: int) -> str:
        return (
            f'<closed_auction>\n<seller person="person{self.below(self.people)}"/>\n'
            f'<buyer person="person{self.below(self.people)}"/>\n<itemref item="item{self.below(self.items)}"/>\n'
            f"<price>{self.money(110)}</price>\n<date>{self.date()}</date>\n<quantity>{1 + self.mean(0.4)}</quantity>\n"
            f"<type>{self.pick(('Regular', 'Featured'))}</type>\n{self.annotation()}</closed_auction>\n"
        )
