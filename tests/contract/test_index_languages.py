"""Words are found in the forms of their language, whatever language the question is in; held against both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cicada.documents.model import PassageFilter
from cicada.retrieval.model import EmbeddedPassage
from cicada.retrieval.ports import PassageIndex
from tests.contract.passage_indexes import IndexUnderTest, OpenSearchUnderTest, SqliteUnderTest, eventually
from tests.contract.passages import MACBETH, PLAYS, asking, passage, vector

TEXTS = {
    "de": "Die Königinnen trugen goldene Häuser auf ihren Schultern.",
    "en": "The witches were stirring their cauldrons.",
    "es": "Los caballeros cantaban canciones tristes.",
    "fi": "Kuninkaat matkustivat laivoilla.",
    "fr": "L'homme marchait vers l'Écosse avec ses amis.",
    "it": "L'attore recitava nell'anfiteatro.",
    "ja": "お妃様がお亡くなりになりました。",
    "nl": "De koningen vertelden verhalen.",
    "pt-BR": "As bruxas dançavam nas florestas.",
    "ru": "Королевы читали письма.",
    "sv": "Kungarna berättade historier.",
    "tlh": "veqlarghHom yemenwI",
}
FOUND_BY = [
    ("Wer trug goldenes Haus?", "de"),
    ("stirred cauldron", "en"),
    ("la canción de un caballero", "es"),
    ("laivoissa", "fi"),
    ("des hommes marchent", "fr"),
    ("un attore", "it"),
    ("妃様は？", "ja"),
    ("het verhaal", "nl"),
    ("a bruxa dançava", "pt-BR"),
    ("письмо", "ru"),
    ("historierna", "sv"),
    ("yemenwi", "tlh"),
]


@pytest.fixture(scope="module", params=["sqlite", "opensearch"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PassageIndex]:
    folder: Path = tmp_path_factory.mktemp("index")
    made: IndexUnderTest
    if request.param == "sqlite":
        made = SqliteUnderTest(folder / "index.sqlite")
    else:
        made = OpenSearchUnderTest(request.getfixturevalue("opensearch_url"))
    index = made.open()
    kept = [passage(MACBETH, n, text, language=name) for n, (name, text) in enumerate(TEXTS.items())]
    index.replace(MACBETH, [EmbeddedPassage(each, vector(1.0)) for each in kept])
    assert eventually(lambda: index.count(PassageFilter(PLAYS)) == len(TEXTS))
    yield index
    made.close()


@pytest.mark.parametrize(("question", "language"), FOUND_BY)
def test_another_form_of_a_word_is_found_first_in_its_language(
    index: PassageIndex, question: str, language: str
) -> None:
    assert index.search(asking(question)).lexical[0].passage.language == language


@pytest.mark.parametrize("question", ["und der die das", "le la les des", "el los", "och att det"])
def test_stop_words_of_a_language_find_nothing_in_it(index: PassageIndex, question: str) -> None:
    assert index.search(asking(question)).lexical == ()


def test_words_of_an_unknown_language_are_left_as_they_are(index: PassageIndex) -> None:
    assert index.search(asking("yemenwis")).lexical == ()
    assert len(index.search(asking("veqlarghhom")).lexical) == 1
