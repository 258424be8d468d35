"""Which other documents a document names, or shares its topics with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import TITLE, Card, DocumentRow, Related, Sort
from cicada.documents.model import DocumentKey, Passage
from cicada.ingest.cards.terms import BaseStatistics, TermExtractor
from cicada.ingest.uploads import READABLE
from cicada.permissions import every_document
from cicada.retrieval.model import CardQuery
from cicada.retrieval.ports import DocumentCatalogue
from cicada.text import one_line

MAX_READ = 200_000
MAX_CODES = 24
MAX_TITLES = 16
# A code such as SOP-QA-012, DV-25-031 or iso_9001: parts of letters and digits with a digit in one of them.
_CODE = re.compile(r"\b(?=[\w-]{0,75}\d)[A-Za-z][A-Za-z0-9]{0,11}(?:[-_][A-Za-z0-9]{1,12}){1,5}\b")
_FILE_NAME = re.compile(rf"\b[\w-]{{2,80}}(?:{'|'.join(map(re.escape, READABLE))})\b", re.IGNORECASE)
_CAPITALISED = r"\b[^\W\d_a-z]\w+"
# What stands in quotation marks, or two and more words in capitals in a row, which may have small words between them.
_TITLE = re.compile(
    r"[\"“„«‘「『]([^\"“”„«»‘’「」『』\n]{8,120})[\"”“»’」』]"
    rf"|({_CAPITALISED}(?:(?: (?:of|and|for|the|in|on|to|at)){{0,2}} {_CAPITALISED}){{1,8}})"
)
_SHORTEST_TITLE = 10


class Mentions(Struct, frozen=True):
    """`own_code`: the document's file name without its suffix, in lower case, if it is a code; else empty.

    `codes`: codes and file names as they are written. `titles`: what may be the title of another document. `text`: what
    was read, in one line.
    """

    own_title: str
    own_code: str
    codes: tuple[str, ...]
    titles: tuple[str, ...]
    text: str

    def possible_ids(self, document: DocumentKey) -> frozenset[str]:
        """The ids that documents of these codes would have, in the document's own folder or above all folders."""
        folder = str(PurePosixPath(document.document_id).parent)
        folders = {"", "" if folder == "." else f"{folder}/"}
        forms = {form for code in self.codes for form in (code, code.lower(), code.upper())}
        names = {form if form.lower().endswith(READABLE) else f"{form}{end}" for form in forms for end in READABLE}
        return frozenset(f"{place}{name}" for place in folders for name in names)

    def names(self, row: DocumentRow) -> bool:
        """Whether the text has the document's title, its id or its file name in it."""
        path = PurePosixPath(row.document.document_id.casefold())
        if any(each.casefold() in (path.name, path.stem) for each in self.codes):
            return True
        title = one_line(row.title)
        return title != self.own_title and _is_telling(title) and _has_words(self.text, title)

    def is_named_by(self, card: Card) -> bool:
        """Whether a card has the document's code among its tags and keywords."""
        keywords = (keyword for section in card.sections for keyword in section.keywords)
        return bool(self.own_code) and any(self.own_code == term for term in (*card.topic_tags, *keywords))


def mentions_in(passages: Sequence[Passage]) -> Mentions:
    """What the first `MAX_READ` characters of the document name."""
    text = "\n".join(_beginning(passages))
    own_title = one_line(passages[0].title)
    codes = dict.fromkeys(found.group() for pattern in (_CODE, _FILE_NAME) for found in pattern.finditer(text))
    titles = dict.fromkeys(quoted or named for quoted, named in _TITLE.findall(text))
    titles.pop(own_title, None)
    stem = PurePosixPath(passages[0].document.document_id).stem.casefold()
    own_code = stem if _CODE.fullmatch(stem) else ""
    return Mentions(own_title, own_code, tuple(codes)[:MAX_CODES], tuple(titles)[:MAX_TITLES], one_line(text))


def _beginning(passages: Sequence[Passage]) -> Iterator[str]:
    room = MAX_READ
    for passage in passages:
        yield passage.text
        room -= len(passage.text)
        if room <= 0:
            return


def _is_telling(title: str) -> bool:
    """Whether a text that has these words hardly has them by chance."""
    return len(title) >= _SHORTEST_TITLE and (" " in title or not title.isascii() or any(map(str.isdigit, title)))


def _has_words(text: str, words: str) -> bool:
    """Whole words, in this case of letters."""
    return words in text and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


# The edges of the document graph: documents of the base that share salient terms, or of which one names the other.
#
# They are found by a constant number of requests, however many documents the base has. An edge says nothing of who may
# read either document: whoever follows one must filter by the asker's viewers.

MAX_RELATED = 8
MAX_RELATED_BYTES = 800
# The weight of a document that is named. Shared terms weigh less, however many they are.
NAMED = 1.0
_MOST_SHARED = 0.9
_LEAST_SHARED = 0.15
# A keyword of one section weighs half of a tag.
_SECTION_SHARE = 0.5
# Cards of each request that are compared.
_COMPARED = 24


def related_to(
    card: Card, passages: Sequence[Passage], statistics: BaseStatistics, catalogue: DocumentCatalogue
) -> tuple[Related, ...]:
    """Find at most `MAX_RELATED` edges to other documents of the base, heaviest first."""
    document = passages[0].document
    mentions = mentions_in(passages)
    rows = {row.document: row for row in _compared(card, document, mentions, catalogue)}
    rows.pop(document, None)
    weights = {each.document_id: _weight(card, row, mentions, statistics) for each, row in rows.items()}
    heaviest = sorted(weights, key=lambda name: (-weights[name], name))
    return tuple(_bounded(Related(name, weights[name]) for name in heaviest if weights[name]))


def _compared(
    card: Card, document: DocumentKey, mentions: Mentions, catalogue: DocumentCatalogue
) -> Iterator[DocumentRow]:
    everything = every_document(document.base_key)
    for text in (" ".join(card.topic_tags), " ".join((mentions.own_code, *mentions.codes, *mentions.titles)).strip()):
        if text:
            # One more than is compared: the document itself may be the first.
            yield from (
                hit.row for hit in catalogue.find_cards(CardQuery(everything, text, limit=_COMPARED + 1)).lexical
            )
    if mentions.codes:
        named = replace(everything, document_ids=mentions.possible_ids(document))
        yield from catalogue.rows(named, Sort(TITLE), _COMPARED).rows


def _weight(card: Card, row: DocumentRow, mentions: Mentions, statistics: BaseStatistics) -> float:
    """0 for a document with which it has too little in common."""
    if mentions.names(row) or (row.card and mentions.is_named_by(row.card)):
        return NAMED
    shared = round(_shared(card, row.card, statistics), 3) if row.card else 0.0
    return min(shared, _MOST_SHARED) if shared >= _LEAST_SHARED else 0.0


def _shared(card: Card, other: Card, statistics: BaseStatistics) -> float:
    """The part of the card's tags that the other card has too, by their idf; 0 to 1. Words are compared."""
    extractor = TermExtractor(card.language)
    tags = _words(other.topic_tags, extractor)
    keywords = tags | _words((keyword for section in other.sections for keyword in section.keywords), extractor)
    total = found = 0.0
    for tag in card.topic_tags:
        idf, wanted = statistics.idf(tag), _words((tag,), extractor)
        total += idf
        found += idf if wanted <= tags else _SECTION_SHARE * idf if wanted <= keywords else 0.0
    return found / total if total else 0.0


def _words(terms: Iterable[str], extractor: TermExtractor) -> set[str]:
    return {word for term in terms for word in extractor.folded(term).split(" ")}


def _bounded(edges: Iterator[Related]) -> Iterator[Related]:
    room = MAX_RELATED_BYTES
    for edge in islice(edges, MAX_RELATED):
        room -= len(edge.document_id.encode())
        if room < 0:
            return
        yield edge
