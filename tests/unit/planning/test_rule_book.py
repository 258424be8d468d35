"""Reading rules: what a person who edits the file is told when it is wrong."""

import subprocess
import sys

import pytest

from cicada.errors import ConfigurationError
from cicada.planning.classifier import classify
from cicada.planning.model import Intent
from cicada.planning.rules import load_rules, parse_rules

START = "".join(f'[start.{intent}]\npoints = 0\nreason = "silence"\n' for intent in Intent)
WORDS = '[words]\nopeners = "hey"\nentry = "profile+, note"\nchat = "hi, there"\n'


def book(rule: str) -> str:
    return f"{START}{WORDS}[[rule]]\n{rule}\n"


def test_a_rule_adds_its_points_for_and_against_routes() -> None:
    rules = parse_rules(book('points = { general = 2, theory_request = -9 }\nreason = "r"\npatterns = "weather"'))

    verdict = classify("what weather", rules)

    assert verdict.intent is Intent.GENERAL
    assert verdict.confidence == pytest.approx(0.787, abs=0.001)
    assert verdict.reason == "r ('weather')"


def test_equal_points_follow_the_precedence_of_the_labelling_guide() -> None:
    text = book('points = { general = 2, theory_request = 2 }\nreason = "r"\npatterns = "proof"')

    assert classify("proof", parse_rules(text)).intent is Intent.THEORY_REQUEST
    assert classify("nothing", parse_rules(text)).intent is Intent.PROFILE_REQUEST


def test_what_speaks_only_against_another_route_is_a_reason_for_the_chosen_one() -> None:
    rules = parse_rules(book('points = { profile_request = -1 }\nreason = "r"\npatterns = "weather"'))

    assert classify("weather", rules).reason == "r ('weather')"


def test_what_speaks_only_against_the_chosen_route_is_not_its_reason() -> None:
    text = book('points = { profile_request = -1 }\nreason = "r"\npatterns = "weather"')
    ahead = text.replace("[start.profile_request]\npoints = 0", "[start.profile_request]\npoints = 5")

    assert classify("weather", parse_rules(ahead)).reason == "silence"


def test_an_exception_silences_its_rule() -> None:
    rules = parse_rules(book('points = { general = 2 }\nreason = "r"\npatterns = "you"\nunless = "do you think"'))

    assert classify("are you there", rules).intent is Intent.GENERAL
    assert classify("do you think so", rules).intent is not Intent.GENERAL


def test_only_wants_every_word_of_the_message() -> None:
    rules = parse_rules(book('points = { general = 2 }\nreason = "r"\nonly = "chat"'))

    assert classify("hi there!", rules).intent is Intent.GENERAL
    assert classify("hi there anne", rules).intent is not Intent.GENERAL


@pytest.mark.parametrize(
    ("rule", "advice"),
    [
        (
            'points = { theorie = 2 }\nreason = "r"\npatterns = "a"',
            "unknown route 'theorie'; use one of script_query",
        ),
        (
            'points = 3\nreason = "r"\npatterns = "a"',
            "gives no points; write for example points = { general = 3 }",
        ),
        (
            'points = { general = "3" }\nreason = "r"\npatterns = "a"',
            "is not a number; write a number such as 2",
        ),
        (
            'points = { general = 3 }\npatterns = "a"',
            "Routing rule 1 ('without a reason') lacks reason; add it",
        ),
        (
            'points = { general = 3 }\nreason = "r"',
            "Routing rule 1 ('r') can never hold; give it 'patterns' or",
        ),
        (
            'points = { general = 3 }\nreason = "r"\npattern = "a"',
            "unknown key 'pattern'; use one of only, patterns",
        ),
        (
            'points = { general = 3 }\nreason = "r"\npatterns = "my {x}"',
            "('r'): there is no word list 'x'; add it",
        ),
        ('points = { general = 3 }\nreason = "r"\npatterns = ["a"]', "patterns is not text; write text in quotes"),
        (
            'points = { general = 3 }\nreason = "r"\nonly = "x"',
            "there is no word list 'x'; add it under [words]",
        ),
    ],
)
def test_a_rule_that_is_wrong_is_named_with_what_to_mend(rule: str, advice: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_rules(book(rule))

    assert advice in str(caught.value)


def test_a_file_that_is_not_toml_is_refused_with_the_place() -> None:
    with pytest.raises(ConfigurationError, match=r"not TOML: .*line 1.*correct that line"):
        parse_rules("[start\n")


def test_a_word_list_that_is_wrong_is_named() -> None:
    with pytest.raises(ConfigurationError, match="The word list 'entry': '¤' is not a word"):
        parse_rules(f'{START}[words]\nentry = "profile, ¤"\n')


def test_a_route_without_a_start_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"\[start.general\] lacks points, reason; add them"):
        parse_rules(START.partition("[start.general]")[0])


def test_the_packaged_rules_say_something_for_every_route() -> None:
    rules = load_rules()

    assert {intent for rule in rules.rules for intent, points in rule.points.items() if points > 0} == set(Intent)


def test_the_classifier_loads_no_heavy_module() -> None:
    code = "import sys, cicada.planning.classifier; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert {"boto3", "numpy", "pydantic", "json"}.isdisjoint(loaded)
