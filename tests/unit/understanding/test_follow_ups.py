"""Follow-ups as stand-alone queries: what each cue carries over, and what carries nothing over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.understanding.follow_ups import Cue, of_something_else, stand_alone

TANKS = "Which SOP covers the cleaning of mixing tanks?"
AUSTRIA = "What is the notice period in Austria?"


@pytest.mark.parametrize(
    ("earlier", "message", "cue", "carried"),
    [
        (["Who founded Siemens?"], "Where did he grow up?", Cue.PERSON, ("Siemens",)),
        (["Who advised Cleopatra?"], "How did Caesar defend her?", Cue.PERSON, ("Cleopatra",)),
        (["Who is the author of dune?"], "How old was he?", Cue.PERSON, ("author", "dune")),
        (["How is penicillin made?"], "What does it cost?", Cue.THING, ("penicillin",)),
        (
            ["Which muscles move the wings of bees?"],
            "Can birds use them too?",
            Cue.THING,
            ("muscles move", "wings", "bees"),
        ),
        ([AUSTRIA], "Who works there?", Cue.POINTING, ("Austria", "notice period")),
        ([TANKS], "How does that come true?", Cue.POINTING, ("SOP", "covers", "cleaning", "mixing tanks")),
        ([TANKS], "Why is that important?", Cue.POINTING, ("SOP", "covers", "cleaning", "mixing tanks")),
        ([TANKS], "Are there any others?", Cue.COMPARING, ("SOP", "covers", "cleaning", "mixing tanks")),
        ([AUSTRIA], "and in Germany?", Cue.FRAGMENT, ("notice period",)),
        ([AUSTRIA], "What about Germany?", Cue.FRAGMENT, ("notice period",)),
        ([AUSTRIA], "The same for contractors", Cue.FRAGMENT, ("notice period", "Austria")),
        ([AUSTRIA], "And how do employees give it?", Cue.THING, ("Austria", "notice period")),
        ([AUSTRIA], "but how do employees give notice?", Cue.JOINING, ("Austria",)),
        ([AUSTRIA], "Why?", Cue.SHORT, ("Austria", "notice period")),
        ([AUSTRIA], "How much overtime is there?", Cue.SHORT, ("Austria", "notice period")),
        (
            ["Where is the treaty of Utrecht kept?"],
            "Which three kings signed the treaty first?",
            Cue.REPEATED,
            ("Utrecht",),
        ),
        ([AUSTRIA], "HOW MUCH IS OVERTIME?", Cue.SHORT, ("Austria", "notice period")),
        (["Who is Napoleon's wife?"], "Where did she live?", Cue.PERSON, ("Napoleon's wife",)),
        (["Who founded Siemens?", "Where did he study physics?"], "Why?", Cue.SHORT, ("Siemens", "study physics")),
        ([AUSTRIA, "and in Germany?"], "Who signs it there?", Cue.THING, ("Germany", "notice period")),
        (['Who directed "the third man"?'], "When was it filmed?", Cue.THING, ("the third man", "directed")),
    ],
)
def test_what_a_message_leaves_out_is_carried_over(
    earlier: list[str], message: str, cue: Cue, carried: tuple[str, ...]
) -> None:
    found = stand_alone([*earlier, message])
    assert (found.cue, found.carried) == (cue, carried)


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ([], "What does it cost?"),
        (["Hello!"], "What does it cost?"),
        ([AUSTRIA], "Who approved the budget of the Lisbon office?"),
        ([AUSTRIA], "Thanks!"),
        ([AUSTRIA], "How did the author of Emma say that she wrote?"),
        ([AUSTRIA], "Did Nelson marry the woman that he loved?"),
        ([AUSTRIA], "How long does it take to charge the batteries of a tram?"),
        ([AUSTRIA], "Which birds migrate when the days become short and why do they return?"),
        ([AUSTRIA], "How many lakes are there in northern Finland?"),
        ([AUSTRIA], "How many deep lakes and rivers are there?"),
        ([AUSTRIA], "Where does rain flow after it leaves the hills of Wales?"),
        ([AUSTRIA], "How did the emperor say he was wounded at sea?"),
        ([AUSTRIA], "What about the notice period in Germany?"),
        ([AUSTRIA], "Is it true that cats always land on four paws?"),
        ([AUSTRIA], "Which lamps are those that burn whale oil?"),
        ([AUSTRIA], "What is a bicycle?"),
        ([AUSTRIA], "Who repairs bicycles?"),
        ([AUSTRIA], "Who was the first one that ever said something about swallows?"),
        ([AUSTRIA], "And list the contracts that expire in 2026 by department and owner"),
    ],
)
def test_a_message_that_stands_alone_carries_nothing(earlier: list[str], message: str) -> None:
    found = stand_alone([*earlier, message])
    assert (found.query, found.cue, found.carried) == (message, None, ())


def test_a_case_takes_the_place_of_nothing_in_the_question_before() -> None:
    found = stand_alone(["How many points do I need to pass?", "and if I fail?"])
    assert (found.question, found.carried) == ("", ("points", "pass"))


@pytest.mark.parametrize(
    ("earlier", "message", "carried"),
    [
        ("Wer gründete Siemens?", "Wo wuchs er auf?", ("Siemens",)),
        ("Wie hoch ist die Miete in Berlin?", "Und in Hamburg?", ("hoch", "Miete")),
        ("Qui a peint la Joconde ?", "Où est-elle exposée ?", ("Joconde",)),
        ("Qui a fondé Renault ?", "Quand est-ce qu'il est mort ?", ("Renault",)),
        ("Quel est le loyer à Paris ?", "Et à Lyon ?", ("loyer",)),
        ("Qui a fondé l'Académie française ?", "Et l'Université de Paris ?", ("fondé", "française")),
        ("¿Quién fundó Madrid?", "¿Y Toledo?", ("fundó",)),
        ("¿Quién es la esposa de Cervantes?", "¿Dónde vivió ella?", ("Cervantes", "esposa")),
        ("Quem fundou Lisboa?", "E o Porto?", ("fundou",)),
        ("Quem escreveu Os Maias?", "Onde ele morreu?", ("Maias",)),
        ("Chi ha fondato Roma?", "E Milano?", ("fondato",)),
        ("Chi ha scritto la Divina Commedia?", "Dove è morto lui?", ("Divina Commedia",)),
        ("織田信長の妻は誰ですか？", "彼女はどこで生まれましたか？", ("織田信長", "妻")),
        ("誰が大阪城を建てましたか？", "名古屋城は？", ("大阪城", "建")),
        ("李白的妻子是谁？", "她住在哪里？", ("李白", "妻子")),
        ("谁写了红楼梦？", "水浒传呢？", ("写", "红楼梦")),
        ("세종대왕의 아내는 누구입니까?", "그녀는 어디에서 태어났습니까?", ("세종대왕", "아내")),
        ("누가 경복궁을 지었나요?", "창덕궁은요?", ("경복궁", "지었나요")),
    ],
)
def test_other_languages_have_cues_too(earlier: str, message: str, carried: tuple[str, ...]) -> None:
    assert stand_alone([earlier, message]).carried == carried


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ("Wer gründete Siemens?", "Wie gewann Preußen den Krieg von 1866?"),
        ("Qui a fondé Renault ?", "Comment fonctionne un moteur diesel à Paris ?"),
        ("¿Quién fundó Madrid?", "¿Cómo murió Cervantes?"),
        ("織田信長の妻は誰ですか？", "大阪城はどうやって建てられましたか？"),
        ("李白的妻子是谁？", "曹雪芹写了多少小说？"),
        ("세종대왕의 아내는 누구입니까?", "경복궁은 어떻게 지었나요?"),
    ],
)
def test_a_switch_of_topic_carries_nothing_in_other_languages(earlier: str, message: str) -> None:
    assert stand_alone([earlier, message]).query == message


@pytest.mark.parametrize(
    ("earlier", "message", "question"),
    [
        ("Who murders Duncan?", "no, I meant Banquo", "Who murders Banquo?"),
        ("Who murders Duncan?", "And Banquo?", "Who murders Banquo?"),
        ("Who is Macbeth's wife?", "and Banquo's?", "Who is Banquo's wife?"),
        ("Who signed the Kestrel Park lease?", "I meant Harbour Road", "Who signed the Harbour Road lease?"),
        ("How much is the fee for adults?", "sorry, I meant guests", "How much is the fee for guests?"),
        ("Wer ermordet Duncan?", "nein, ich meinte Banquo", "Wer ermordet Banquo?"),
        ("Who murders Duncan?", "no, who murders Banquo?", ""),
        ("Who murders Duncan?", "and the witches?", ""),
        ("How much do adults pay?", "and juniors?", ""),
    ],
)
def test_a_name_or_a_thing_takes_the_place_of_another(earlier: str, message: str, question: str) -> None:
    assert stand_alone([earlier, message]).question == question


def test_what_was_replaced_holds_for_the_next_message() -> None:
    found = stand_alone(["Who murders Duncan?", "no, I meant Banquo", "Thanks! Where does it happen?"])
    assert (found.before, found.carried) == ("Who murders Banquo?", ("Banquo", "murders"))


def test_the_query_has_the_message_twice_around_what_is_carried() -> None:
    assert stand_alone([AUSTRIA, "Who works there?"]).query.count("Who works there?") == 2


def test_a_chain_of_follow_ups_keeps_its_topic() -> None:
    turns = ["Who built the Eiffel tower?", "How long did he work on it?", "Thanks!", "Where did he live?"]
    assert stand_alone(turns).carried == ("Eiffel",)


def test_a_switch_of_topic_ends_the_old_one() -> None:
    turns = ["Who built the Eiffel tower?", "When was Barcelona founded?", "and by whom was it conquered?"]
    assert stand_alone(turns).carried == ("Barcelona", "founded")


def test_of_a_long_message_a_few_words_are_carried() -> None:
    long = " ".join(f"Kraków Gdańsk{number}," for number in range(40))
    assert 0 < sum(len(topic.split()) for topic in stand_alone([long, "What does it cost?"]).carried) <= 8


@given(st.lists(st.text(max_size=200), min_size=1, max_size=12))
def test_every_conversation_has_a_query_that_begins_with_its_last_message(messages: list[str]) -> None:
    assert stand_alone(messages).query.startswith(messages[-1])


@given(st.text(max_size=200))
def test_the_first_message_is_its_own_query(message: str) -> None:
    assert stand_alone([message]).query == message


@pytest.mark.parametrize(
    ("message", "rest"),
    [
        ("thanks!! now sth different, prince of cumberland?", "prince of cumberland?"),
        ("Ok, another question: who owns the lease?", "who owns the lease?"),
        ("By the way, when is the hall free?", "when is the hall free?"),
        ("tell me something else about Banquo", ""),
        ("is there another question?", ""),
        ("and the other topic", ""),
    ],
)
def test_a_message_may_say_that_it_is_of_something_else(message: str, rest: str) -> None:
    assert of_something_else(message) == rest
