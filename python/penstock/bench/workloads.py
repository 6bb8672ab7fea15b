"""W1: the queries asked of each data set, by the kinds of chapters 4, 6 and 7 of the thesis on XSQ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One query on one data set. `few`: streamable and with few results, so that the higher bar holds."""

    dataset: str
    kind: str
    query: str
    few: bool = False

    @property
    def bar(self) -> float:
        """The least speed, in multiples of expat's."""
        return 2.5 if self.few else 1.0


def _cases(dataset: str, *rows: tuple[str, str, bool]) -> tuple[Case, ...]:
    return tuple(Case(dataset, kind, query, few) for kind, query, few in rows)


CASES: tuple[Case, ...] = (
    *_cases(
        "shakespeare",
        ("child only", "/PLAYS/PLAY/ACT/SCENE/TITLE", True),
        ("closure", "//ACT//STAGEDIR", False),
        ("text predicate", "//SPEECH[SPEAKER='HAMLET']/LINE", False),
        ("contains", "//LINE[contains(., 'love')]", False),
        ("subquery and/not", "//SPEECH[LINE[contains(., 'crown')] and not(STAGEDIR)]/SPEAKER", True),
        ("reverse axis", "//LINE[contains(., 'poison')]/ancestor::SCENE/TITLE", True),
        ("aggregate", "count(//SPEECH)", True),
        ("position", "/PLAYS/PLAY/ACT[1]/SCENE[last()]/TITLE", True),
    ),
    *_cases(
        "acl",
        ("child only", "/anthology/collection/volume/meta/booktitle", True),
        ("closure", "//volume//editor/last", False),
        ("attribute predicate", "//paper[@id='7']/title", True),
        ("child predicate", "//paper[award]/title", True),
        ("text predicate", "//meta[year='2024']/booktitle", True),
        ("subquery and/or/not", "//paper[author/last='Smith' and (doi or url) and not(revision)]/title", True),
        ("reverse axis", "//award/parent::paper/author[1]/last", True),
        ("aggregate", "count(//author)", True),
        ("position", "/anthology/collection/volume/paper[2]/title", False),
    ),
    *_cases(
        "xmark",
        ("child only", "/site/people/person/name", True),
        ("closure", "//regions//item//keyword", False),
        ("attribute predicate", "/site/people/person[@id='person144']/name", True),
        ("child predicate", "/site/closed_auctions/closed_auction[price > 400]/date", True),
        (
            "subquery and",
            "//regions/samerica[.//payment and .//mailbox[.//from]]//item[quantity>=2 or shipping]/name",
            True,
        ),
        ("subquery not", "//regions[africa]/asia[.//location]//item[.//shipping and not(.//quantity=2)]//name", True),
        ("reverse axis", "//keyword/ancestor::listitem/parent::parlist", False),
        ("sibling", "//bidder[following-sibling::bidder]/increase", False),
        ("aggregate", "sum(//closed_auction/price)", True),
        ("position", "/site/open_auctions/open_auction/bidder[1]/increase", False),
        ("large output", "//item", False),
    ),
    *_cases(
        "pubmed",
        ("child only", "/PubmedArticleSet/PubmedArticle/MedlineCitation/PMID", True),
        ("closure", "//Article//LastName", False),
        ("attribute predicate", "//AbstractText[@Label='METHODS']", False),
        ("text predicate", "//PubmedArticle[.//DescriptorName='Humans']//ArticleTitle", False),
        ("subquery and/not", "//PubmedArticle[.//Abstract and not(.//MeshHeading)]//PMID", False),
        ("reverse axis", "//DescriptorName[.='Humans']/ancestor::PubmedArticle/MedlineCitation/PMID", False),
        ("aggregate", "count(//Author)", True),
        ("position", "//AuthorList/Author[1]/LastName", False),
    ),
    *_cases(
        "recursive",
        ("child only", "/book/section/section/title", True),
        ("closures", "//section//section//figure/title", False),
        ("closures with predicates", "//section[@difficulty > 8]//section[figure]//p", False),
        ("subquery not", "//section[not(.//figure)]/title", False),
        ("reverse axis", "//figure/ancestor::section[@kind='open']/title", False),
        ("aggregate", "count(//section[.//section/figure])", True),
    ),
    *_cases(
        "order",
        ("first child", "/data/A[prior=0]", True),
        ("last child", "/data/A[posterior=0]", False),
        ("attribute", "/data/A[@id=0]", True),
    ),
    *_cases(
        "colours",
        ("10 % of elements", "/a/red", False),
        ("30 % of elements", "/a/green", False),
        ("60 % of elements", "/a/blue", False),
    ),
)
LARGE_CASES: tuple[Case, ...] = _cases(
    "large",
    ("child only", "/site/people/person/name", True),
    ("child predicate", "/site/closed_auctions/closed_auction[price > 400]/date", True),
    ("subquery and/or", "//item[quantity>=2 or shipping][.//mail]/name", False),
    ("reverse axis", "//keyword/ancestor::item/@id", False),
    ("aggregate", "count(//keyword)", True),
)
