"""Fetching and starting OpenSearch: what is found, and what is said where something is missing."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

import pytest

from local import opensearch, unprivileged
from local.java import find_java, version_of
from local.stage.settings import StageError


def java(home: Path, version: str) -> Path:
    """A Java that says its version and nothing else."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    return home


@pytest.mark.parametrize(("said", "version"), [("21.0.4", 21), ("25", 25), ("17.0.15", 17), ("1.8.0_402", 8)])
def test_the_version_of_a_java_is_the_major_one(tmp_path: Path, said: str, version: int) -> None:
    assert version_of(java(tmp_path, said)) == version


def test_the_java_meant_for_opensearch_comes_before_any_other(tmp_path: Path) -> None:
    meant, other = java(tmp_path / "meant", "21.0.1"), java(tmp_path / "other", "25")
    environment = {"OPENSEARCH_JAVA_HOME": str(meant), "JAVA_HOME": str(other), "PATH": str(other / "bin")}
    assert find_java(21, environment, [tmp_path]) == meant


def test_a_java_that_is_too_old_is_passed_over_for_one_on_the_path(tmp_path: Path) -> None:
    old, new = java(tmp_path / "old", "17.0.15"), java(tmp_path / "new", "21.0.1")
    assert find_java(21, {"JAVA_HOME": str(old), "PATH": str(new / "bin")}, []) == new


def test_a_java_of_the_systems_folder_is_found(tmp_path: Path) -> None:
    java(tmp_path / "java-17", "17.0.15")
    new = java(tmp_path / "temurin-25", "25.0.1")
    assert find_java(21, {"PATH": ""}, [tmp_path / "missing", tmp_path]) == new


def test_without_java_the_sentence_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(StageError, match=r"JDK 21 or newer.*install.*OPENSEARCH_JAVA_HOME"):
        find_java(21, {"PATH": "", "JAVA_HOME": str(java(tmp_path, "17"))}, [])


@pytest.fixture
def with_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENSEARCH_JAVA_HOME", str(java(tmp_path / "jdk", "21.0.1")))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # Where root goes, whose test folders are closed.


@pytest.mark.usefixtures("with_java")
def test_without_maven_the_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(StageError, match=r"Maven.*install it.*CICADA_OPENSEARCH_URL"):
        opensearch.prepare(tmp_path / "build", say=lambda _: None)


@pytest.mark.usefixtures("with_java")
def test_an_archive_that_is_not_the_expected_one_is_deleted_and_named(tmp_path: Path) -> None:
    archive = tmp_path / "opensearch-3.6.0.zip"
    archive.write_bytes(b"half a file")
    with pytest.raises(StageError, match=r"opensearch-3\.6\.0\.zip was damaged"):
        opensearch.prepare(tmp_path, say=lambda _: None)
    assert not archive.exists()


def test_a_folder_below_a_closed_one_is_replaced_by_one_that_can_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed" / "project"
    closed.mkdir(parents=True)
    closed.parent.chmod(0o700)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    found = unprivileged.reachable(closed, pwd.getpwuid(os.geteuid()))
    assert found.parent == tmp_path / "temporary"
    assert found == unprivileged.reachable(closed, pwd.getpwuid(os.geteuid()))
    assert stat.S_IMODE(found.stat().st_mode) == 0o755


def test_the_servers_files_all_go_into_its_folder(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    (home / "config").mkdir(parents=True)
    (home / "config" / "jvm.options").write_text(
        "-Xms1g\n-XX:HeapDumpPath=data\n-XX:ErrorFile=logs/hs_err.log\n9-:-Xlog:gc*:file=logs/gc.log\n"
    )
    environment = opensearch.configured(home, tmp_path / "jdk", folder, "127.1.2.3", 4569, "-Xshare:auto")
    options = (folder / "config" / "jvm.options").read_text()
    assert options == f"-Xms1g\n-XX:HeapDumpPath={folder}/data\n-XX:ErrorFile={folder}/logs/hs_err.log\n"
    settings = (folder / "config" / "opensearch.yml").read_text()
    assert "http.port: 4569\n" in settings
    assert 'network.host: "127.1.2.3"\n' in settings
    assert environment["OPENSEARCH_PATH_CONF"] == str(folder / "config")
    assert environment["OPENSEARCH_JAVA_OPTS"] == "-Xms512m -Xmx512m -Xshare:auto"
