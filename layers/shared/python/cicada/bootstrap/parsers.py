"""Wires the parsers of uploaded files, and runs them in processes of their own.

`python -m cicada.bootstrap.parsers EPISODES` is such a process; it imports no AWS SDK.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from cicada.adapters.parser_process import ParserProcesses, serve
from cicada.ingest.episodes import parse_episodes
from cicada.ingest.ports import DocumentParser
from cicada.ingest.prose.formats import prose_parsers
from cicada.ingest.script_parser import ScriptParser
from cicada.knowledge_bases.file import load_knowledge_bases
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.settings import inherited_environment


def document_parsers(episode_configuration: Path) -> Mapping[str, DocumentParser]:
    """By the suffix of the file name, in lower case and with its dot."""
    episodes = parse_episodes(episode_configuration.read_text("utf-8"))
    return {".json": ScriptParser(episodes, schema_of=schema_of), **prose_parsers(schema_of)}


def isolated_parsers(episode_configuration: Path) -> Mapping[str, DocumentParser]:
    """The same, each file in a process that has its share of processor time and memory, and no credentials.

    Raises `ValueError` for an invalid episode configuration.
    """
    suffixes = document_parsers(episode_configuration)
    processes = ParserProcesses(["-m", __name__, str(episode_configuration)], inherited_environment())
    return {suffix: processes.parser(suffix) for suffix in suffixes}


def schema_of(knowledge_base: str) -> Schema:
    """The schema of the documents' metadata."""
    return bases().of(knowledge_base).schema


@cache
def bases() -> KnowledgeBases:
    """The stage's knowledge bases."""
    return load_knowledge_bases()


if __name__ == "__main__":
    serve(document_parsers(Path(sys.argv[1])))
