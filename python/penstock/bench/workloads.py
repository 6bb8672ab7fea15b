"""W1: the queries asked of each data set, by the kinds of chapters 4, 6 and 7 of the thesis on XSQ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One query on one data set."""

    dataset: str
    kind: str
    query: str


def _cases(dataset: str, *rows: tuple[str, str]) -> tuple[Case, ...]:
    return tuple(Case(dataset, kind, query) for kind, query in rows)


CASES: tuple[Case, ...] = (
    *_cases(
        "shakespeare",
        ("child only", "/PLAYS/PLAY/ACT/SCENE/TITLE"),
        ("closure", "//ACT//STAGEDIR"),
        ("text predicate", "//SPEECH[SPEAKER='HAMLET']/LINE"),
        ("contains", "//LINE[contains(., 'love')]"),
        ("subquery and/not", "//SPEECH[LINE[contains(., 'crown')] and not(STAGEDIR)]/SPEAKER"),
        ("reverse axis", "//LINE[contains(., 'poison')]/ancestor::SCENE/TITLE"),
        ("aggregate", "count(//SPEECH)"),
        ("position", "/PLAYS/PLAY/ACT[1]/SCENE[last()]/TITLE"),
    ),
    *_cases(
        "acl",
        ("child only", "/anthology/collection/volume/meta/booktitle"),
        ("closure", "//volume//editor/last"),
        ("attribute predicate", "//paper[@id='7']/title"),
        ("child predicate", "//paper[award]/title"),
        ("text predicate", "//meta[year='2024']/booktitle"),
        ("subquery and/or/not", "//paper[author/last='Smith' and (doi or url) and not(revision)]/title"),
        ("reverse axis", "//award/parent::paper/author[1]/last"),
        ("aggregate", "count(//author)"),
        ("position", "/anthology/collection/volume/paper[2]/title"),
    ),
    *_cases(
        "xmark",
        ("child only", "/site/people/person/name"),
        ("closure", "//regions//item//keyword"),
        ("attribute predicate", "/site/people/person[@id='person144']/name"),
        ("child predicate", "/site/closed_auctions/closed_auction[price > 400]/date"),
        (
            "subquery and",
            "//regions/samerica[.//payment and .//mailbox[.//from]]//item[quantity>=2 or shipping]/name",
        ),
        ("subquery not", "//regions[africa]/asia[.//location]//item[.//shipping and not(.//quantity=2)]//name"),
        ("reverse axis", "//keyword/ancestor::listitem/parent::parlist"),
        ("sibling", "//bidder[following-sibling::bidder]/increase"),
        ("aggregate", "sum(//closed_auction/price)"),
        ("position", "/site/open_auctions/open_auction/bidder[1]/increase"),
        ("large output", "//item"),
    ),
    *_cases(
        "pubmed",
        ("child only", "/PubmedArticleSet/PubmedArticle/MedlineCitation/PMID"),
        ("closure", "//Article//LastName"),
        ("attribute predicate", "//AbstractText[@Label='METHODS']"),
        ("text predicate", "//PubmedArticle[.//DescriptorName='Humans']//ArticleTitle"),
        ("subquery and/not", "//PubmedArticle[.//Abstract and not(.//MeshHeading)]//PMID"),
        ("reverse axis", "//DescriptorName[.='Humans']/ancestor::PubmedArticle/MedlineCitation/PMID"),
        ("aggregate", "count(//Author)"),
        ("position", "//AuthorList/Author[1]/LastName"),
    ),
    *_cases(
        "recursive",
        ("child only", "/book/section/section/title"),
        ("closures", "//section//section//figure/title"),
        ("closures with predicates", "//section[@difficulty > 8]//section[figure]//p"),
        ("subquery not", "//section[not(.//figure)]/title"),
        ("reverse axis", "//figure/ancestor::section[@kind='open']/title"),
        ("aggregate", "count(//section[.//section/figure])"),
    ),
    *_cases(
        "order",
        ("first child", "/data/A[prior=0]"),
        ("last child", "/data/A[posterior=0]"),
        ("attribute", "/data/A[@id=0]"),
    ),
    *_cases(
        "colours",
        ("10 % of elements", "/a/red"),
        ("30 % of elements", "/a/green"),
        ("60 % of elements", "/a/blue"),
    ),
)
LARGE_CASES: tuple[Case, ...] = _cases(
    "large",
    ("child only", "/site/people/person/name"),
    ("child predicate", "/site/closed_auctions/closed_auction[price > 400]/date"),
    ("subquery and/or", "//item[quantity>=2 or shipping][.//mail]/name"),
    ("reverse axis", "//keyword/ancestor::item/@id"),
    ("aggregate", "count(//keyword)"),
)
