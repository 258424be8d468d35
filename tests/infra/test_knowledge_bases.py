from __future__ import annotations

from pathlib import Path

import pytest

from cicada.errors import ConfigurationError
from cicada.knowledge_bases.file import read_knowledge_bases


def test_a_schema_that_contradicts_itself_is_refused_at_synth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Here only: the import starts an interpreter of JavaScript, and every worker imports the tests of all.
    from aws_cdk import App

    import app

    (tmp_path / "knowledge_bases.toml").write_text("")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "sops.toml").write_text('[fields.n]\ntype = "number"\nvalues = ["1"]\n')
    monkeypatch.setattr(app, "load_knowledge_bases", lambda: read_knowledge_bases(tmp_path))
    with pytest.raises(ConfigurationError, match=r"schemas/sops.toml, line 3, field 'n'"):
        app.build(App(context={"stage": "dev", "aws:cdk:bundling-stacks": []}))
