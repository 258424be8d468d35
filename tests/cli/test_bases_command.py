"""`cicada bases show`, `set` and `schema`, run as an operator runs them, on a table in moto."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cicada.adapters.dynamodb.base_table import DynamoBaseTable
from cicada.documents.model import KnowledgeBaseKey
from cicada.knowledge_bases.file import parse_kept
from cicada.knowledge_bases.kept import Described
from cicada.knowledge_bases.settings import KnowledgeBase
from cli import deployment_target
from tests.cli.conftest import Shell
from tests.contract.access_list_table import TABLE, access_list_table
from tests.fakes.base_record import says

MINUTES = KnowledgeBaseKey("acme", "minutes")
EVERYBODY: frozenset[str] = frozenset()
FILE = '# Ours.\nlimit = 5\ngroups = ["board"]\n[fields.standing]\nsynonyms.approved = ["in force"]\n'


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoBaseTable]:
    """Two documents are for everybody, and one is for the board."""
    with access_list_table() as client:
        made = DynamoBaseTable(client, TABLE)
        made.observe(MINUTES, Described((), {"standing": "approved", "Case No": "007", "budget": "12"}), None)
        made.observe(MINUTES, says(standing="draft", budget="unknown"), None)
        made.observe(MINUTES, says("group:board", vault="yes"), None)
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        monkeypatch.setenv("CICADA_STACK", "Cicada-dev")
        outputs = {"ReadersTable": TABLE, "DefaultTenant": "acme"}
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: outputs)
        yield made


@pytest.fixture
def setting(record: DynamoBaseTable, shell: Shell, tmp_path: Path) -> Callable[[str], tuple[int, str, str]]:
    """Sets a file of this text, and gives the exit code and what was said."""

    def called(text: str) -> tuple[int, str, str]:
        (tmp_path / "f.toml").write_text(text)
        code = shell("bases", "set", "minutes", str(tmp_path / "f.toml"))
        said = shell.read()
        return code, said.out, said.err

    return called


Setting = Callable[[str], tuple[int, str, str]]


def test_what_is_set_is_shown_as_a_file_that_sets_the_same(
    record: DynamoBaseTable, setting: Setting, shell: Shell
) -> None:
    assert setting(FILE)[0] == 0
    assert record.read(MINUTES, EVERYBODY).text == FILE
    assert shell("bases", "show", "minutes") == 0
    shown = shell.out()
    assert "# limit = 15" in shown
    assert setting(shown)[0] == 0
    text = record.read(MINUTES, EVERYBODY).text
    assert parse_kept(text, "f", KnowledgeBase("minutes")) == parse_kept(FILE, "f", KnowledgeBase("minutes"))
    assert shell("bases", "show", "minutes", "--json") == 0
    settings = shell.json()["settings"]
    assert (settings["limit"], settings["groups"]) == (5, ["board"])


@pytest.mark.usefixtures("record")
def test_the_schema_says_what_is_inferred_and_what_conflicts(setting: Setting, shell: Shell) -> None:
    setting(FILE)
    assert shell("bases", "schema", "minutes") == 0
    lines = shell.lines()
    assert lines[lines.index("[fields.standing]") + 1 :][:3] == [
        '# inferred: type = "keyword"',
        '# inferred: values = ["approved", "draft"]',
        'synonyms.approved = ["in force"]',
    ]
    assert '[fields."Case No"]' in lines
    assert "# Values of 'budget' look like number and text, so all are taken as text." in lines
    assert not any("vault" in line for line in lines)
    assert shell("bases", "schema", "minutes", "--viewer", "group:board", "--json") == 0
    assert shell.json()["fields"][-1] == {"name": "vault", "type": "boolean", "values": [], "inferred": True}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limit = 5\nlimt = 6\n", "f.toml, line 2: 'limt' is no setting"),
        ('limit = 5\ndate = "standing"\n', "f.toml, line 2, date: the field 'standing' is of type keyword"),
        ("limit = \n", "f.toml is not TOML"),
    ],
)
def test_a_mistake_is_refused_with_its_line_and_nothing_changes(
    record: DynamoBaseTable, setting: Setting, text: str, said: str
) -> None:
    setting(FILE)
    code, _, complaint = setting(text)
    assert code == 1
    assert complaint.startswith("cicada: Nothing is changed. ")
    assert said in complaint
    assert record.read(MINUTES, EVERYBODY).text == FILE


def test_an_empty_file_sets_nothing_any_more(record: DynamoBaseTable, setting: Setting) -> None:
    setting(FILE)
    assert "Nothing is set for minutes now" in setting("# Nothing.\n")[1]
    assert record.read(MINUTES, EVERYBODY).text == ""


def test_a_word_for_what_no_document_has_is_set_and_noticed(setting: Setting) -> None:
    code, _, said = setting('[fields.standing]\nsynonyms.aproved = ["ok"]\n[fields.colour]\nwords = ["hue"]\n')
    assert code == 0
    assert "No document has the value “aproved” of standing yet; there are approved, draft." in said
    assert "No document has a field “colour” yet." in said


def test_a_file_comes_from_the_standard_input_too(
    record: DynamoBaseTable, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    source: Any = io.TextIOWrapper(io.BytesIO(b"limit = 5\n"))
    monkeypatch.setattr("sys.stdin", source)
    assert shell("bases", "set", "minutes", "-", "--tenant", "other") == 0
    assert record.read(KnowledgeBaseKey("other", "minutes"), EVERYBODY).text == "limit = 5\n"
    assert record.read(MINUTES, EVERYBODY).text == ""


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "min/utes"), "min/utes cannot be the name of a knowledge base"),
        (("set", "minutes", "missing.toml"), "missing.toml cannot be read"),
    ],
)
def test_wrong_use_is_said(shell: Shell, arguments: tuple[str, ...], said: str) -> None:
    assert shell("bases", *arguments) == 2
    assert said in shell.err()
