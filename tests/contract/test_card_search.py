"""The contract of `DocumentCatalogue.find_cards`, also while documents come and go, held against both engines."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import TITLE, Card, CardSection, Related, Sort
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.errors import ConfigurationError, UnavailableError
from cicada.permissions import every_document
from cicada.retrieval.model import EmbeddedPassage
from cicada.retrieval.ports import CataloguedIndex
from tests.contract.card_index import asking, card, described, found, names, put
from tests.contract.passage_indexes import IndexUnderTest, OpenSearchUnderTest, eventually
from tests.contract.passages import MACBETH, PLAYS, VIEWERS, WORDS, embedded, passage, random_vector, vector
from tests.contract.test_opensearch_passage_index import Dying
from tests.fakes.passage_index import InMemoryPassageIndex

WHOLE = Card(
    title="Travel policy",
    overview="How journeys are booked and paid.",
    topic_tags=("journey", "per diem"),
    question_hints=("Who approves a flight?",),
    sections=(CardSection("Booking", 0, 0, ("agency",)), CardSection("Hotels", 1, 1, ("breakfast", "receipt"))),
    related=(Related("expenses", 0.75), Related("no such document", 0.5)),
    language="en-GB",
    by="a-small-model",
)
ELSEWHERE = KnowledgeBaseKey("tenant-b", "plays")


def test_a_card_comes_back_as_it_went_in(index: CataloguedIndex) -> None:
    row, plain = put(index, "travel", WHOLE, vector(1.0)), put(index, "plain", None)
    assert index.row(row.document) == row
    assert index.row(plain.document) == plain
    hits = index.find_cards(asking("journeys", vector(1.0)))
    assert [hit.row for hit in (*hits.lexical, *hits.semantic)] == [row, row]
    assert index.rows(PassageFilter(PLAYS), Sort(TITLE), 10).rows == (plain, row)
    assert index.rows(PassageFilter(PLAYS, frozenset({"travel"})), Sort(TITLE), 10).rows == (row,)


def test_every_part_of_a_card_is_searched(index: CataloguedIndex) -> None:
    put(index, "travel", WHOLE)
    put(index, "other", card("Archive", "Where files are kept", "boxes"))
    for word in ("policy", "journey", "approve", "booked", "hotel", "breakfast"):
        assert found(index, asking(word)) == (["travel"], []), word


def test_a_document_is_found_by_the_words_of_its_id(index: CataloguedIndex) -> None:
    put(index, "sop-qa-003.md", card("Cleaning", "How tanks are cleaned", "tank"))
    put(index, "sop-qa-004.md", card("Storage", "How tanks are stored", "tank"))
    hits = index.find_cards(asking("summary of SOP-QA-003")).lexical
    assert names(hits) == ["sop-qa-003.md", "sop-qa-004.md"]
    assert hits[0].score > hits[1].score


def test_what_names_a_document_weighs_more_than_what_its_sections_hold(index: CataloguedIndex) -> None:
    put(index, "in keyword", card("Stock", "Nothing", "dagger"))
    put(index, "in title", card("Dagger", "Nothing", "stock"))
    put(index, "in overview", card("Stock", "Dagger", "nothing"))
    put(index, "in tag", card("Nothing", "Stock", "stock", tag="dagger"))
    put(index, "nowhere", card("Nothing", "Nothing", "stock", tag="stock"))
    first, second, third, last = index.find_cards(asking("daggers")).lexical
    assert set(names([first, second])) == {"in title", "in tag"}
    assert set(names([third, last])) == {"in keyword", "in overview"}
    assert second.score > third.score >= last.score > 0


def test_the_nearest_cards_come_first_with_their_cosine(index: CataloguedIndex) -> None:
    put(index, "near", card("One"), vector(1.0, 0.1))
    put(index, "far", card("Two"), vector(0.1, 1.0))
    put(index, "opposite", card("Three"), [-2.0, *vector(0.0, 1.0)[2:], 0.0])
    hits = index.find_cards(asking("nothing of these", vector(1.0))).semantic
    assert names(hits) == ["near", "far", "opposite"]
    assert [hit.score for hit in hits] == pytest.approx([0.995037, 0.0995037, -1.0], abs=1e-4)
    assert found(index, asking("two", vector(1.0), limit=1)) == (["far"], ["near"])


def test_cards_without_vectors_and_questions_without_one_are_matched_by_words_alone(index: CataloguedIndex) -> None:
    put(index, "none", None, vector(1.0))
    put(index, "with", card("The queen"), vector(1.0))
    put(index, "without", card("A queen"))
    for query, lexical, semantic in (
        (asking("queen", vector(1.0), document_ids=frozenset({"without"})), {"without"}, []),
        (asking("queen none", vector(1.0)), {"with", "without"}, ["with"]),
        (asking("queen"), {"with", "without"}, []),
        (asking("?!", vector(1.0)), set(), ["with"]),
        (asking("?!"), set(), []),
    ):
        by_words, by_vector = found(index, query)
        assert (set(by_words), len(by_words), by_vector) == (lexical, len(lexical), semantic)


def test_of_chosen_documents_only_those_with_a_vector_are_near(index: CataloguedIndex) -> None:
    for number in range(12):
        put(index, f"d{number:02d}", card("Queen"), vector(1.0) if number % 4 else [])
    chosen = asking("", vector(1.0), document_ids=frozenset({"d04"}))
    assert found(index, chosen) == ([], [])
    assert found(index, asking("", vector(1.0), document_ids=frozenset({"d04", "d06"}))) == ([], ["d06"])


def test_a_vector_of_another_size_is_refused(index: CataloguedIndex) -> None:
    with pytest.raises(ConfigurationError):
        put(index, "short", card("Queen"), [1.0, 0.0])
    put(index, "right", card("Queen"), vector(1.0))
    with pytest.raises(ConfigurationError):
        index.find_cards(asking("queen", [1.0, 0.0]))


def test_cards_of_another_tenant_or_base_are_never_found(index: CataloguedIndex) -> None:
    other_base = KnowledgeBaseKey("tenant-a", "poems")
    for base_key in (ELSEWHERE, other_base):
        put(index, "theirs", card("Queen"), vector(1.0), base_key=base_key)
    assert found(index, asking("queen", vector(1.0))) == ([], [])
    put(index, "ours", card("Queen"), vector(1.0))
    for base_key, name in ((PLAYS, "ours"), (ELSEWHERE, "theirs"), (other_base, "theirs")):
        assert found(index, asking("queen", vector(1.0), base_key=base_key)) == ([name], [name])


def test_a_card_is_found_only_by_those_who_may_read_its_document(index: CataloguedIndex) -> None:
    put(index, "open", card("Queen"), vector(1.0))
    put(index, "ross", card("Queen"), vector(1.0), readers=("user:ross",))
    put(index, "thanes", card("Queen"), vector(1.0), readers=("group:thanes", "user:lennox"))
    for reader, expected in (
        (frozenset[str](), {"open"}),
        (frozenset({"user:ross"}), {"open", "ross"}),
        (frozenset({"user:ross", "group:thanes"}), {"open", "ross", "thanes"}),
        (frozenset({"*", "=user:ross"}), {"open"}),
    ):
        for hits in found(index, asking("queen", vector(1.0), reader=reader)):
            assert set(hits) == expected
    everything = replace(asking("queen", vector(1.0)), filter=every_document(PLAYS))
    assert [set(hits) for hits in found(index, everything)] == [{"open", "ross", "thanes"}] * 2


def test_filters_of_documents_hold_for_cards(index: CataloguedIndex) -> None:
    put(index, "one", card("Queen"), vector(1.0), metadata={"status": "approved"})
    put(index, "two", card("Queen"), vector(1.0), metadata={"status": "draft"})
    approved, only = (AnyOf("status", frozenset({"approved"})),), frozenset({"two", "three"})
    for conditions, ids, expected in (
        (approved, None, ["one"]),
        ((), only, ["two"]),
        (approved, only, []),
        ((), frozenset[str](), []),
    ):
        query = asking("queen", vector(1.0), conditions=conditions, document_ids=ids)
        assert found(index, query) == (expected, expected)


@pytest.mark.parametrize(
    ("language", "title", "question"),
    [
        ("de", "Mietshäuser", "Mietshaus"),
        ("fr", "L'homme et l'usine", "hommes"),
        ("es", "Vacaciones anuales", "vacación anual"),
        ("ja", "出張旅費規程", "旅費規程"),
        ("zh-CN", "差旅报销制度", "报销制度是什么"),
        ("tr", "Seyahat politikası", "seyahat"),
    ],
)
def test_cards_are_analysed_in_their_own_language(
    index: CataloguedIndex, language: str, title: str, question: str
) -> None:
    put(index, "wanted", card(title, language=language))
    put(index, "english", card("Travel expenses"))
    put(index, "other", card("Etwas anderes", language="de"))
    assert found(index, asking(question)) == (["wanted"], [])


def test_every_index_finds_what_the_embedded_one_finds(index: CataloguedIndex) -> None:
    rng = random.Random(11)
    embedded_index = InMemoryPassageIndex("embedder-1", 8)
    for number in range(24):
        described = card(*(" ".join(rng.choices(WORDS, k=rng.randint(1, 3))) for _ in range(3)), tag=rng.choice(WORDS))
        towards = random_vector(rng) if rng.random() < 0.8 else []
        readers = tuple(rng.sample(VIEWERS, rng.randint(0, 2)))
        for each in (index, embedded_index):
            put(each, f"d{number % 20}", described, towards, version=f"v{number}", readers=readers)
    assert eventually(lambda: index.count(every_document(PLAYS)) == 40)
    for _ in range(20):
        reader = frozenset(rng.sample(VIEWERS, rng.randint(0, 2)))
        ids = frozenset(f"d{number}" for number in rng.sample(range(20), 3)) if rng.random() < 0.3 else None
        text, towards = " ".join(rng.sample(WORDS, 2)), random_vector(rng)
        query = asking(text, towards, limit=30, reader=reader, document_ids=ids)
        ours, theirs = index.find_cards(query), embedded_index.find_cards(query)
        assert set(names(ours.lexical)) == set(names(theirs.lexical))
        assert names(ours.semantic) == names(theirs.semantic)
        assert [hit.score for hit in ours.semantic] == pytest.approx([hit.score for hit in theirs.semantic], abs=1e-4)
        assert [hit.row for hit in ours.semantic] == [hit.row for hit in theirs.semantic]


def test_terms_are_counted_by_the_passages_that_hold_all_of_their_words(index: CataloguedIndex) -> None:
    texts = ("The queens of Scotland", "A queen and a king", "The king", "旅費規程")
    theirs = DocumentKey(ELSEWHERE, "theirs")
    index.replace(MACBETH, embedded(MACBETH, *texts))
    index.replace(theirs, embedded(theirs, "A queen"))
    asked = ["queen", "Queens", "king", "queen king", "kings' queens", "旅費", "dagger", "the", "?"]
    assert index.passages_with(PassageFilter(PLAYS), asked) == dict(
        zip(asked, [2, 2, 2, 1, 1, 1, 0, 0, 0], strict=True)
    )
    assert index.passages_with(PassageFilter(PLAYS), []) == {}
    assert index.passages_with(PassageFilter(ELSEWHERE), ["queen", "king"]) == {"queen": 1, "king": 0}
    assert index.passages_with(PassageFilter(KnowledgeBaseKey("tenant-c", "plays")), ["queen"]) == {"queen": 0}
    many = [f"word{number}" for number in range(250)]
    assert index.passages_with(PassageFilter(PLAYS), [*many, "king"]) == {**dict.fromkeys(many, 0), "king": 2}


def test_terms_are_counted_in_the_language_of_each_passage(index: CataloguedIndex) -> None:
    texts = {"de": "Die Kündigungen der Mieter", "fr": "Les congés des salariés", "ja": "旅費規程", "en": "The letters"}
    kept = [passage(MACBETH, number, text, language=name) for number, (name, text) in enumerate(texts.items())]
    index.replace(MACBETH, [EmbeddedPassage(each, vector(1.0)) for each in kept])
    asked = ["Kündigung", "Mieter Kündigung", "congé", "旅費", "letter", "die"]
    assert index.passages_with(PassageFilter(PLAYS), asked) == dict(zip(asked, [1, 1, 1, 1, 1, 0], strict=True))


@pytest.fixture
def index(deployed_under_test: IndexUnderTest) -> CataloguedIndex:
    return deployed_under_test.open()


def test_a_replaced_card_is_gone_and_a_deleted_document_has_none(index: CataloguedIndex) -> None:
    put(index, "letter", card("Old crown"), vector(1.0))
    put(index, "stays", card("Old storm"), vector(1.0))
    put(index, "letter", card("New throne"), vector(0.0, 1.0), version="v2")
    assert eventually(lambda: found(index, asking("crown")) == ([], []))
    assert found(index, asking("new old", vector(0.0, 1.0), document_ids=frozenset({"letter"}))) == (["letter"],) * 2
    put(index, "letter", None, version="v3")
    assert eventually(lambda: found(index, asking("throne new", vector(0.0, 1.0))) == ([], ["stays"]))
    index.delete(DocumentKey(PLAYS, "stays"))
    assert eventually(lambda: found(index, asking("old storm", vector(1.0))) == ([], []))


def test_a_search_during_replacements_sees_one_card_and_never_half_of_two(index: CataloguedIndex) -> None:
    done, seen = Event(), set[tuple[str, str, float]]()

    def search() -> None:
        while not done.is_set():
            hits = index.find_cards(asking("crown", vector(1.0)))
            [hit], [_] = hits.semantic, hits.lexical
            seen.add((hit.row.version, hit.row.card.title if hit.row.card else "", round(hit.score, 2)))

    put(index, "letter", card("crown 0"), vector(1.0, 0.0), version="v0")
    with ThreadPoolExecutor(1) as searcher:
        searching = searcher.submit(search)
        for number in range(1, 7):
            put(index, "letter", card(f"crown {number}"), vector(1.0, float(number)), version=f"v{number}")
        done.set()
        searching.result()
    assert seen
    assert seen <= {(f"v{n}", f"crown {n}", round(vector(1.0, float(n))[0], 2)) for n in range(7)}


def test_a_rebuilt_index_has_the_cards_that_were_copied_and_those_written_meanwhile(
    deployed_under_test: IndexUnderTest, index: CataloguedIndex
) -> None:
    put(index, "macbeth", card("Old crown"), vector(1.0))
    rebuild = deployed_under_test.rebuild()
    building = rebuild.begin()
    put(building, "macbeth", card("Copied crown"), vector(1.0))  # type: ignore[arg-type]
    put(index, "hamlet", card("Late throne"), vector(0.0, 1.0))
    assert names(index.find_cards(asking("copied")).lexical) == []
    rebuild.switch()
    for reader in (index, deployed_under_test.open()):
        hits = reader.find_cards(asking("copied late", vector(1.0)))
        assert sorted(names(hits.lexical)) == ["hamlet", "macbeth"]
        assert [hit.row.card and hit.row.card.title for hit in hits.semantic] == ["Copied crown", "Late throne"]
        assert names(reader.find_cards(asking("old")).lexical) == []


def test_an_ingest_that_died_leaves_the_old_card(opensearch_under_test: OpenSearchUnderTest) -> None:
    index = opensearch_under_test.open()
    put(index, "macbeth", card("Old crown"), vector(1.0))
    document = DocumentKey(PLAYS, "macbeth")
    passages = embedded(document, *["queen"] * 501, version="v2")
    with pytest.raises(UnavailableError):
        index.replace(document, Dying(passages), described(passages, card("New crown")), vector(0.0, 1.0))
    assert eventually(lambda: index.count(asking("").filter) == 502)
    assert found(index, asking("new")) == ([], [])
    hits = index.find_cards(asking("crown", vector(0.0, 1.0)))
    assert [hit.row.version for hit in (*hits.lexical, *hits.semantic)] == ["v1", "v1"]
    assert [hit.score for hit in hits.semantic] == pytest.approx([0.0], abs=1e-4)
    put(index, "macbeth", card("Third crown"), vector(1.0), version="v3")
    assert eventually(lambda: found(index, asking("old new")) == ([], []))
    assert found(index, asking("third", vector(1.0))) == (["macbeth"], ["macbeth"])
