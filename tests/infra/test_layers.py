"""How the layers come about when a stage is deployed; other tests leave them out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from infra import layer_build
from infra.layer_build import LayerBuild
from infra.settings import stage_settings

if TYPE_CHECKING:
    from aws_cdk import Stack


def built(monkeypatch: pytest.MonkeyPatch, compiler: str | None, stage: str = "dev") -> tuple[Stack, list[str]]:
    """A stack of layers whose content is a note of what it is made of, and what was built."""
    made: list[str] = []

    def note(target: str, what: str) -> None:
        made.append(what)
        Path(target, "what").write_text(what, "utf-8")

    monkeypatch.setattr(layer_build, "_find_python", lambda version: compiler)
    monkeypatch.setattr(LayerBuild, "source", lambda self, name, target: note(target, name))
    monkeypatch.setattr(LayerBuild, "packages", lambda self, lock, target: note(target, lock))
    from aws_cdk import App, Stack

    from infra.constructs.layers import Layers

    stack = Stack(App(), "Layers")
    Layers(stack, "Layers", settings=stage_settings({"stage": stage}.get))
    return stack, made


def test_a_layer_is_the_library_or_the_packages_of_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    _, made = built(monkeypatch, "python3.13")
    assert made == ["requirements.txt", "shared", "requirements-ingest.txt"]


def test_the_embedded_engine_is_on_the_local_stage_only(monkeypatch: pytest.MonkeyPatch) -> None:
    _, made = built(monkeypatch, "python3.13", stage="local")
    assert made == ["requirements.txt", "shared", "requirements-embedded.txt", "embedded", "requirements-ingest.txt"]


@pytest.mark.parametrize(("compiler", "warnings"), [(None, 1), ("python3.13", 0)])
def test_who_deploys_slow_starts_is_told_so(
    monkeypatch: pytest.MonkeyPatch, compiler: str | None, warnings: int
) -> None:
    from aws_cdk.assertions import Annotations, Match

    stack, _ = built(monkeypatch, compiler)
    found = Annotations.from_stack(stack).find_warning("*", Match.string_like_regexp("No Python 3.13 was found"))
    assert len(found) == warnings


def test_byte_code_lies_beside_its_source_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Lambda looks for it nowhere else. The local stage itself keeps the byte-code of its processes elsewhere."""
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "elsewhere"))
    LayerBuild.local().source("embedded", tmp_path / "layer")
    sources = list((tmp_path / "layer").rglob("*.py"))
    assert sources
    for source in sources:
        assert list((source.parent / "__pycache__").glob(f"{source.stem}.*.pyc")), source
