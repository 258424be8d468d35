"""The contract of `PassageIndex`, for every implementation and the fake."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, ScriptLocator
from cicada.errors import ConfigurationError
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexQuery
from cicada.retrieval.ports import PassageIndex
from tests.contract.conditions import CONDITIONS, FIELDS
from tests.contract.passage_indexes import IndexUnderTest, eventually
from tests.contract.passages import (
    HAMLET,
    MACBETH,
    PLAYS,
    VIEWERS,
    WORDS,
    asking,
    embedded,
    passage,
    random_document,
    random_vector,
    vector,
)


@pytest.fixture
def index(under_test: IndexUnderTest) -> PassageIndex:
    return under_test.open()


def put(index: PassageIndex, document: DocumentKey, passages: list[EmbeddedPassage]) -> None:
    """Replace the document and wait until the index shows only this version."""
    index.replace(document, passages)
    readers = frozenset(reader for each in passages for reader in each.passage.readers)
    shown = PassageFilter(document.base_key, frozenset({document.document_id}), reader=readers)
    assert eventually(lambda: len(index.passages_of(document)) == index.count(shown) == len(passages))


def put_one(index: PassageIndex, text: str = "queen", **fields: Any) -> Passage:
    """Macbeth with this passage alone."""
    kept = passage(MACBETH, 1, text, **fields)
    put(index, MACBETH, [EmbeddedPassage(kept, vector(1.0))])
    return kept


def ids(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.passage.passage_id for hit in hits]


def texts(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.passage.text for hit in hits]


def test_a_passage_is_found_by_its_text_its_context_and_its_title(index: PassageIndex) -> None:
    first, second = embedded(MACBETH, "Out, brief candle!", "Ring the alarum-bell!")
    described = replace(first.passage, title="The Tragedy", context="Macbeth · Dunsinane · SEYTON")
    put(index, MACBETH, [replace(first, passage=described), second])
    for question in ("candles", "Which Seyton?", "tragedy"):
        assert texts(index.search(asking(question)).lexical) == ["Out, brief candle!"]


def test_a_passage_comes_back_as_it_went_in(index: PassageIndex) -> None:
    script = ScriptLocator("macbeth", "Macbeth", "5.5", "Dunsinane.", 7, 12, ("SEYTON", "MACBETH"))
    text = "The queen,\nmy “lord”, is dead. \U0001f3ad"
    kept = put_one(index, text, title="Macbeth 悲劇", context="Macbeth · 5.5", locator=script, metadata={"a=b": '"c"'})
    found = index.search(asking("queen"))
    assert [index.passages_of(MACBETH)[0], found.lexical[0].passage, found.semantic[0].passage] == [kept] * 3


def test_a_document_or_a_part_of_it_is_read_in_its_order(index: PassageIndex) -> None:
    passages = embedded(MACBETH, *(f"line {number}" for number in range(12)))
    put(index, MACBETH, random.Random(1).sample(passages, len(passages)))
    put(index, HAMLET, embedded(HAMLET, "Who's there?"))
    assert index.passages_of(MACBETH) == tuple(each.passage for each in passages)
    for numbers in (range(3, 6), range(10, 18), range(12, 20), range(0)):
        expected = tuple(each.passage for each in passages[numbers.start : numbers.stop])
        assert index.passages_of(MACBETH, numbers) == expected


def test_another_tenant_finds_nothing_of_a_document_of_the_same_name(index: PassageIndex) -> None:
    collections = [
        PLAYS,
        KnowledgeBaseKey("tenant-b", "plays"),
        KnowledgeBaseKey("tenant-a", "minutes"),
        KnowledgeBaseKey("tenant", "aplays"),
    ]
    for number, base_key in enumerate(collections):
        document = DocumentKey(base_key, "macbeth.json")
        put(index, document, embedded(document, f"The queen of number {number}."))
    for number, base_key in enumerate(collections):
        found = index.search(asking("queen", base_key=base_key))
        assert texts(found.lexical) == texts(found.semantic) == [f"The queen of number {number}."]
        assert {hit.passage.document.base_key for hit in found.lexical} == {base_key}
        assert index.count(PassageFilter(base_key)) == 1
    index.delete(DocumentKey(collections[1], "macbeth.json"))
    assert eventually(lambda: index.count(PassageFilter(collections[1])) == 0)
    assert index.count(PassageFilter(PLAYS)) == 1


def test_a_filter_is_applied_before_the_best_are_taken(index: PassageIndex) -> None:
    better = [EmbeddedPassage(passage(MACBETH, n, "queen queen queen"), vector(1.0, 0.001 * n)) for n in range(30)]
    text = "a long speech with one queen among very many other words"
    allowed = EmbeddedPassage(passage(HAMLET, 1, text, metadata={"act": "1"}), vector(0.1, 1.0))
    put(index, MACBETH, better)
    put(index, HAMLET, [allowed])
    acts = (AnyOf("act", frozenset({"1"})),)
    for chosen in ({"document_ids": frozenset({"hamlet.json"})}, {"conditions": acts}):
        found = index.search(asking("queen", limit=2, **chosen))
        assert ids(found.lexical) == ids(found.semantic) == ["hamlet.json#000001"]
    found = index.search(asking("queen", limit=2))
    assert (len(found.lexical), len(found.semantic)) == (2, 2)
    nothing = index.search(asking("queen", document_ids=frozenset()))
    assert (nothing.lexical, nothing.semantic, index.count(PassageFilter(PLAYS, frozenset()))) == ((), (), 0)


def test_every_kind_of_condition_finds_the_same_documents_in_every_index(index: PassageIndex) -> None:
    for name, metadata in FIELDS.items():
        document = DocumentKey(PLAYS, name)
        put(index, document, [EmbeddedPassage(passage(document, 1, "queen", metadata=metadata), vector(1.0))])
        assert index.passages_of(document)[0].metadata == metadata
    for conditions, expected in CONDITIONS:
        found = index.search(asking("queen", conditions=conditions))
        for hits in (found.lexical, found.semantic):
            assert {hit.passage.document.document_id for hit in hits} == expected, conditions
        assert index.count(PassageFilter(PLAYS, conditions=conditions)) == len(expected)


def test_names_and_values_of_fields_are_taken_whole(index: PassageIndex) -> None:
    put_one(index, metadata={"a": "b=c"})
    cases = [("a=b", "c", 0), ("a", "b=c", 1), *(("a", f"b=c{end}", 0) for end in ("\x00", " ", "\n"))]
    for name, value, found in cases:
        assert index.count(PassageFilter(PLAYS, conditions=(AnyOf(name, frozenset({value})),))) == found
        assert index.count(PassageFilter(PLAYS, frozenset({MACBETH.document_id + value[3:]}))) == (value[3:] == "")


def test_a_replaced_document_is_found_by_its_new_words_only(index: PassageIndex) -> None:
    put(index, MACBETH, embedded(MACBETH, "The queen is dead.", "A brief candle.", "An idiot's tale."))
    put(index, MACBETH, embedded(MACBETH, "The thane is crowned.", version="v2"))
    assert eventually(lambda: index.search(asking("queen")).lexical == ())
    assert [hit.passage.version for hit in index.search(asking("thane")).lexical] == ["v2"]
    assert texts(index.search(asking("")).semantic) == ["The thane is crowned."]


def test_a_deleted_document_is_gone_and_deleting_it_again_is_no_error(index: PassageIndex) -> None:
    put(index, MACBETH, embedded(MACBETH, "The queen"))
    put(index, HAMLET, embedded(HAMLET, "The queen"))
    for _ in range(2):
        index.delete(MACBETH)
        assert eventually(lambda: index.passages_of(MACBETH) == ())
        assert ids(index.search(asking("queen")).lexical) == ["hamlet.json#000000"]
    index.delete(DocumentKey(KnowledgeBaseKey("nobody", "nothing"), "none"))


def test_while_a_document_is_replaced_one_whole_version_always_answers(index: PassageIndex) -> None:
    versions = [embedded(MACBETH, *(f"queen speech {n}" for n in range(5)), version=f"v{v}") for v in range(4)]
    put(index, MACBETH, versions[0])
    seen: list[tuple[Hit, ...]] = []
    with ThreadPoolExecutor(1) as writer:
        writing = writer.submit(lambda: [*map(index.replace, [MACBETH] * 3, versions[1:])])
        while not (seen and writing.done()):
            found = index.search(asking("queen"))
            seen += [found.lexical, found.semantic]
        writing.result()
    assert {(len(each), len({hit.passage.version for hit in each})) for each in seen} == {(5, 1)}


def test_a_word_of_the_title_counts_more_than_one_of_the_text(index: PassageIndex) -> None:
    spoken = ("A crown of thorn.", "A crown of gold.", "A knife.", "A horse.", "A sea.")
    first, *others = embedded(MACBETH, *spoken)
    put(index, MACBETH, [replace(first, passage=replace(first.passage, title="gold")), *others])
    assert texts(index.search(asking("gold")).lexical) == ["A crown of thorn.", "A crown of gold."]


def test_a_passage_with_viewers_is_there_for_nobody_else(index: PassageIndex) -> None:
    for_ross = passage(MACBETH, 1, "The queen is dead.", readers=("user:ross", "group:thanes"))
    for_all = passage(MACBETH, 2, "The queen sleeps.")
    put(index, MACBETH, [EmbeddedPassage(for_ross, vector(1.0)), EmbeddedPassage(for_all, vector(0.0, 1.0))])
    for reader, expected in [
        ((), [for_all]),
        (("user:lennox",), [for_all]),
        (("user:ross",), [for_ross, for_all]),
        (("group:thanes", "user:lennox"), [for_ross, for_all]),
        (("*", "", "=user:ross", "user", "user:ross\x00"), [for_all]),
    ]:
        found = index.search(asking("queen", reader=frozenset(reader)))
        assert sorted(ids(found.lexical)) == sorted(ids(found.semantic)) == [each.passage_id for each in expected]
        assert index.count(PassageFilter(PLAYS, reader=frozenset(reader))) == len(expected)
    assert index.passages_of(MACBETH) == (for_ross, for_all)


def test_no_name_of_a_viewer_stands_for_everybody(index: PassageIndex) -> None:
    names = ["*", "", "all", "everybody", "everyone", "nobody", "null"]
    kept = {name: passage(MACBETH, number, "queen", readers=(name,)) for number, name in enumerate(names)}
    put(index, MACBETH, [EmbeddedPassage(each, vector(1.0)) for each in kept.values()])
    for reader in (frozenset[str](), frozenset({"user:ross"})):
        found = index.search(asking("queen", reader=reader))
        assert (found.lexical, found.semantic) == ((), ())
    for name, each in kept.items():
        assert ids(index.search(asking("queen", reader=frozenset({name}))).lexical) == [each.passage_id]


def test_vectors_are_those_of_the_base_and_of_the_version_that_answers(index: PassageIndex) -> None:
    elsewhere, wanted = DocumentKey(KnowledgeBaseKey("tenant-b", "plays"), "macbeth.json"), "macbeth.json#000001"
    put(index, elsewhere, [EmbeddedPassage(passage(elsewhere, 1, "queen"), vector(0.0, 0.0, 1.0))])
    for version in (vector(1.0), vector(0.0, 1.0)):
        put(index, MACBETH, [EmbeddedPassage(passage(MACBETH, 1, "queen"), version)])
    found = index.vectors_of(PLAYS, [wanted, "macbeth.json#999999", "no such passage"])
    assert {name: list(each) for name, each in found.items()} == {wanted: vector(0.0, 1.0)}
    index.delete(MACBETH)
    assert eventually(lambda: index.vectors_of(PLAYS, [wanted]) == {})
    assert index.vectors_of(KnowledgeBaseKey("nobody", "nothing"), [wanted]) == index.vectors_of(PLAYS, []) == {}


HOSTILE = [
    '" OR * NEAR ( : ^',
    "NEAR(dagger ghost, 2) AND NOT text:dagger",
    "context : dagger*",
    "drown'd u.s.a 3.14 don't",
    '"""',
    "'; DROP TABLE passage; --",
    "\x00\x01\x1f",
    "{{}} \\ / [ ] ~ ! && ||",
    "\U0001f3ad\U0001f469‍\U0001f680 \u202e\ufeff",
    "\ud800",
    "___ ... '' -",
]


def test_no_text_of_a_user_breaks_a_search(index: PassageIndex) -> None:
    put(index, MACBETH, embedded(MACBETH, "The queen is dead.", "A brief candle."))
    for hostile in HOSTILE:
        assert texts(index.search(asking(f"candle {hostile}")).lexical)[:1] == ["A brief candle."], hostile
        assert len(index.search(asking(hostile)).semantic) == 2, hostile


def test_a_question_of_8000_characters_is_answered(index: PassageIndex) -> None:
    japanese = EmbeddedPassage(passage(MACBETH, 1, "燈火", language="ja"), vector(1.0))
    put(index, MACBETH, [*embedded(MACBETH, "A brief candle."), japanese])
    many = "candle " + " ".join(f"w{number:x}" for number in range(2000))
    assert texts(index.search(asking(many[:8000])).lexical) == ["A brief candle."]
    assert texts(index.search(asking("燈火" + "".join(chr(0x4E00 + n) for n in range(7998)))).lexical) == ["燈火"]
    assert index.search(asking("a" * 8000)).lexical == ()


# Few terms of ours, and many tokens of Lucene's.
TORN = {
    "numbered": ".".join(f"{chr(97 + n % 26)}{chr(97 + n // 26)}.{n}" for n in range(19)),
    "numbered-long": ".".join(f"{chr(97 + n % 26)}{chr(97 + n // 26)}.{n}" for n in range(600)),
    "figures": " ".join(f"Abb.{n}.b.{n}" for n in range(64)),
    "hebrew": " ".join(f"א{n}'ב.{n}" for n in range(64)),
    "long": " ".join(f"{chr(97 + n)}" * (255 * (n + 1)) for n in range(7)),
    "one-long": " ".join([*(f"w{n}" for n in range(33)), "".join(chr(97 + n * n % 23) for n in range(5000))]),
    "pairs": " ".join(f"w{n}{chr(0x4E00 + 2 * n)}{chr(0x4E01 + 2 * n)}" for n in range(32)),
    "hangzhou": "".join(map(chr, range(0x3021, 0x302A))) * 30,
    "hentaigana": "".join(map(chr, range(0x1B001, 0x1B11F))),
    "small-kana": "".join(map(chr, (*range(0x1B150, 0x1B153), *range(0x1B164, 0x1B168)))) * 30,
    "segmented": "".join(map(chr, range(0x1FBF0, 0x1FBFA))) * 30,
    "thai": "".join(f"{chr(0xE01 + n)}{n}" for n in range(46)),
}


def test_no_question_has_more_tokens_than_a_search_may_have(index: PassageIndex) -> None:
    put(index, MACBETH, embedded(MACBETH, "The queen is dead.", "A brief candle."))
    for name, torn in TORN.items():
        assert texts(index.search(asking(f"candle {torn}")).lexical) == ["A brief candle."], name
        assert len(index.search(asking(torn)).semantic) == 2, name


def test_a_question_without_words_is_answered_by_vectors_alone(index: PassageIndex) -> None:
    put(index, MACBETH, embedded(MACBETH, "The queen"))
    for text in ("", "  ", "?!"):
        found = index.search(asking(text))
        assert (found.lexical, texts(found.semantic)) == ((), ["The queen"])


def test_what_one_index_object_writes_another_one_finds(under_test: IndexUnderTest) -> None:
    reader, writer = under_test.open(), under_test.open()
    for text in ("The queen", "The king and the queen"):
        assert text not in texts(reader.search(asking("queen")).semantic)
        put(writer, MACBETH, embedded(MACBETH, text))
        assert eventually(lambda: texts(reader.search(asking("queen")).semantic) == [text])  # noqa: B023


@pytest.mark.parametrize(("model_id", "dimension"), [("embedder-2", 8), ("embedder-1", 9)])
def test_an_index_of_another_embedder_is_refused_with_both_names(
    under_test: IndexUnderTest, model_id: str, dimension: int
) -> None:
    put(under_test.open(), MACBETH, embedded(MACBETH, "The queen"))
    with pytest.raises(ConfigurationError) as refused:
        under_test.open(model_id, dimension).count(PassageFilter(PLAYS))
    for name in ("embedder-1", "8", model_id, str(dimension)):
        assert name in str(refused.value)


def test_a_vector_of_another_dimension_is_refused_and_changes_nothing(index: PassageIndex) -> None:
    put(index, MACBETH, embedded(MACBETH, "The queen"))
    with pytest.raises(ConfigurationError):
        index.search(asking("queen", [1.0]))
    with pytest.raises(ConfigurationError):
        index.replace(MACBETH, [EmbeddedPassage(passage(MACBETH, 0, "king"), [1.0])])
    assert texts(index.search(asking("queen")).semantic) == ["The queen"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_any_writes_every_filter_finds_exactly_what_was_kept(index: PassageIndex, seed: int) -> None:
    rng = random.Random(seed)
    documents = [
        DocumentKey(KnowledgeBaseKey(tenant, base), f"d{number}")
        for tenant in ("a", "b")
        for base in ("plays", "minutes")
        for number in range(3)
    ]
    kept: dict[DocumentKey, list[EmbeddedPassage]] = {}
    for step in range(12):
        document = rng.choice(documents)
        if rng.random() < 0.25:
            index.delete(document)
            kept.pop(document, None)
            assert eventually(lambda: index.passages_of(document) == ())  # noqa: B023
        else:
            kept[document] = random_document(rng, document, f"v{step}")
            put(index, document, kept[document])
    for _ in range(15):
        _compare(index, kept, rng)


def _compare(index: PassageIndex, kept: dict[DocumentKey, list[EmbeddedPassage]], rng: random.Random) -> None:
    """A random question, answered by the index and by brute force over all stored passages."""
    base_key = KnowledgeBaseKey(rng.choice("ab"), rng.choice(("plays", "minutes")))
    document_ids = None if rng.random() < 0.5 else frozenset(rng.sample(["d0", "d1", "d2", "d9"], rng.randint(1, 3)))
    choices = {"act": frozenset({rng.choice("123")}), "speaker": frozenset({"ross", "duncan"})}
    wanted = {name: choices[name] for name in rng.sample(sorted(choices), rng.randint(0, 2))}
    conditions = tuple(AnyOf(name, frozenset(values)) for name, values in wanted.items())
    reader = frozenset(rng.sample(VIEWERS, rng.randint(0, 2)))
    towards, word = random_vector(rng), rng.choice(WORDS)
    expected = [
        each
        for document, passages in kept.items()
        if document.base_key == base_key and (document_ids is None or document.document_id in document_ids)
        for each in passages
        if all(each.passage.metadata.get(name) in values for name, values in wanted.items())
        and (not each.passage.readers or reader & set(each.passage.readers))
    ]
    cosines = {
        (each.passage.document, each.passage.passage_id): sum(a * b for a, b in zip(each.vector, towards, strict=True))
        for each in expected
    }
    filter = PassageFilter(base_key, document_ids, conditions, reader)
    found = index.search(IndexQuery(filter, word, towards, 50))
    assert index.count(filter) == len(expected)
    assert sorted(ids(found.lexical)) == sorted(
        each.passage.passage_id for each in expected if word in each.passage.text
    )
    assert all(any(hit.passage == each.passage for each in expected) for hit in found.lexical)
    assert [hit.score for hit in found.lexical] == sorted((hit.score for hit in found.lexical), reverse=True)
    assert [hit.score for hit in found.semantic] == pytest.approx(sorted(cosines.values(), reverse=True), abs=1e-5)
    for hit in found.semantic:
        assert hit.score == pytest.approx(cosines[hit.passage.document, hit.passage.passage_id], abs=1e-5)
    stored = index.vectors_of(base_key, [hit.passage.passage_id for hit in found.semantic])
    assert stored.keys() == {each.passage.passage_id for each in expected}
    for each in expected:
        assert list(stored[each.passage.passage_id]) == pytest.approx(each.vector, abs=1e-6)
