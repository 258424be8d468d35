from __future__ import annotations

import pytest

from cicada.errors import ConfigurationError
from cicada.knowledge_bases.file import load_knowledge_bases, parse_knowledge_bases
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases

TEXT = """
[defaults]
fusion = "rrf"
limit = 10

[bases.law]
description = "Statutes."
content_language = "de"
rerank = "always"
score_threshold = 0.35
candidates = 200
"""


def test_a_base_has_its_own_settings_over_the_defaults() -> None:
    assert parse_knowledge_bases(TEXT).deployed("law") == KnowledgeBase(
        "law", "Statutes.", "documents", "de", "rrf", "always", 0.35, 200, 10
    )


def test_a_base_that_is_not_named_has_the_defaults_under_its_own_name() -> None:
    assert parse_knowledge_bases(TEXT).deployed("novels") == KnowledgeBase("novels", fusion="rrf", limit=10)


def test_an_empty_file_is_all_defaults() -> None:
    assert parse_knowledge_bases("") == KnowledgeBases(KnowledgeBase(""), {})


def test_the_packaged_file_reads_and_its_defaults_are_those_of_the_code() -> None:
    bases = load_knowledge_bases()
    assert bases.deployed("anything") == KnowledgeBase("anything")
    assert bases.deployed("scripts").description
    assert (bases.deployed("scripts").content, bases.deployed("anything").content) == ("scripts", "documents")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limit =", "not TOML"),
        ("[base.law]", r"unknown table \[base\]; use \[defaults\] and \[bases"),
        ("bases = 3", r"\[bases\] is not a table"),
        ("bases.law = 3", r"\[bases.law\] is not a table"),
        (
            "[bases.law]\nthreshold = 0.2",
            r"\[bases.law\] has the unknown key 'threshold'; use one of .*score_threshold",
        ),
        ("[bases.law]\nname = 'x'", r"unknown key 'name'"),
        ("[defaults]\nfusion = 'sum'", r"\[defaults\] fusion is 'sum'; use one of zscore, rrf"),
        ("[defaults]\nrerank = 'no'", "use one of always, auto"),
        ("open_names = 'yes'", "open_names is 'yes'; write true or false"),
        ("[bases.law]\ngroups = 'lawyers'", "groups should be"),
        ("[bases.law]\ngroups = ['']", "groups"),
        ("[bases.law]\nrestricted = 'yes'", "restricted should be"),
        ("[defaults]\nrerank = true", "rerank is not text; write text in quotes"),
        ("[defaults]\nmultivector = 'tokens'", r"unknown key 'multivector'"),
        ("[defaults]\ncontent_language = 'xx'", r"content_language is 'xx'; use one of .*\bde\b"),
        (
            "[bases.law]\nquality_floor = 0.6\nquality_threshold = 0.5",
            r"\[bases.law\]: quality_floor is 0.6 and quality_threshold 0.5; the floor must not be above",
        ),
        ("[defaults]\nquality_retries = 3", "quality_retries"),
        ("[defaults]\nscore_threshold = 1.5", "score_threshold is 1.5; write a number from 0 to 1"),
        ("[defaults]\nscore_threshold = '0.2'", "write a number from 0 to 1"),
        ("[defaults]\nscore_threshold = nan", "write a number from 0 to 1"),
        ("[defaults]\ncandidates = 0", "candidates is 0; write a whole number from 1 to 1000"),
        ("[defaults]\ncandidates = 10.0", "write a whole number"),
        ("[defaults]\nlimit = true", "write a whole number from 1 to 100"),
    ],
)
def test_a_mistake_is_refused_with_its_place_and_what_to_write(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        parse_knowledge_bases(text)


@pytest.mark.parametrize("value", ["0", "1", "0.0", "1.0", "0.15"])
def test_a_threshold_may_be_whole_and_the_ends_belong_to_it(value: str) -> None:
    base = parse_knowledge_bases(f"[defaults]\nscore_threshold = {value}").deployed("x")
    assert base.score_threshold == float(value)


def test_a_file_can_set_whatever_a_base_has_but_its_name() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_knowledge_bases("[defaults]\nnothing = 0")
    listed = str(caught.value).partition("use one of ")[2].removesuffix(".").split(", ")
    assert listed == sorted(set(KnowledgeBase.__struct_fields__) - {"name", "schema", "kept", "calibrations"})


def test_the_floor_may_be_the_threshold() -> None:
    base = parse_knowledge_bases("[defaults]\nquality_floor = 0.5\nquality_threshold = 0.5").defaults
    assert (base.quality_floor, base.quality_threshold) == (0.5, 0.5)


def test_groups_and_restriction_are_a_bases_own_and_names_are_open_unless_the_file_says_no() -> None:
    text = "open_names = false\n[bases.law]\nrestricted = true\ngroups = ['lawyers', 'auditors']"
    bases = parse_knowledge_bases(text)
    law, other = bases.deployed("law"), bases.deployed("else")
    assert (law.groups, law.restricted) == (("lawyers", "auditors"), True)
    assert (other.groups, other.restricted) == ((), False)
    assert not bases.open_names
    assert parse_knowledge_bases("[bases.law]").open_names
