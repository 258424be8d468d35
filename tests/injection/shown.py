"""The attacks, what models are shown of a text in every place of a document, and which part of it is quoted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cicada.adapters.aws_errors import Retry
from cicada.adapters.bedrock.agent import prompt_attributes
from cicada.adapters.bedrock.cards import BedrockCardWriter
from cicada.adapters.bedrock.context_writer import BedrockContextWriter
from cicada.adapters.bedrock.query_model import BedrockQueryModel
from cicada.agents.model import AgentKind, AgentTurn
from cicada.answering.prompt import evidence_text, general_prompt, passages_prompt
from cicada.dialogue import Turn
from cicada.documents.catalogue import Card, DocumentRow
from cicada.documents.model import Locator, Passage, ScriptLocator, SectionLocator
from cicada.ingest.model import DocumentExcerpt
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.model import IndexHits, RankedPassage, Ranking, Retrieval
from tests.fakes.access import permitted
from tests.fakes.entry_store import InMemoryEntryStore
from tests.unit.agents.keeping import ANN as SESSION
from tests.unit.agents.keeping import theory_tools
from tests.unit.answering.situation import ANN, PLAY, passage

MARK = "ZQXMARK"
ATTACKS: list[dict[str, str]] = json.loads(Path(__file__).with_name("attacks.json").read_text("utf-8"))
HARMLESS = "Lunch is at noon."
_NAMED = re.compile("“[^“”\n]*”")
ONCE = Retry(attempts=1)


class Recording:
    """A Bedrock client that keeps what it is asked, and answers with one word."""

    def __init__(self) -> None:
        self.requests: list[Mapping[str, Any]] = []

    def converse(self, **request: Any) -> dict[str, Any]:
        self.requests.append(request)
        message = {"role": "assistant", "content": [{"text": "word"}]}
        return {
            "output": {"message": message},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        }

    def texts(self) -> str:
        """System texts and messages."""
        blocks = [
            block
            for request in self.requests
            for part in (request["system"], *(message["content"] for message in request["messages"]))
            for block in part
        ]
        return "\n\n".join(block["text"] for block in blocks if "text" in block)


def skeleton(shown: str) -> list[str]:
    """The application's own lines: without the lines behind bars, and with quotations in a sentence left empty."""
    return [_NAMED.sub("“”", line) for line in shown.splitlines() if not re.match(r"\|(?: |$)", line)]


def passages_of(text: str) -> list[Passage]:
    script = ScriptLocator(text, text, text, text, 1, 2, (text, "Seyton"))
    section: Locator = SectionLocator((text, text))
    return [passage(text, 1, script, text), passage(text, 2, section, text)]


def inputs(text: str) -> Iterator[tuple[str, str]]:
    """The name of each input of a model, and what it holds where `text` stands in every place of a document."""
    found = permitted([RankedPassage(each, 1.0) for each in passages_of(text)])
    earlier = (Turn(HARMLESS, text), Turn(HARMLESS, text).summary)
    yield "answer from scripts", passages_prompt("Who?", found, "scripts", earlier).user
    yield "answer from documents", passages_prompt("Who?", found, "documents", earlier).user
    yield "answer without search", general_prompt("Hello", earlier).user
    yield "evidence of the theories agent", "\n\n".join(map(evidence_text, passages_of(text)))
    turn = AgentTurn(AgentKind.THEORIES, ANN, "s", "scripts", "Is it so?", earlier)
    yield "earlier turns of a Bedrock agent", prompt_attributes(turn)["earlierTurns"]
    yield from ((name, asked(call, text)) for name, call in _CALLS.items())
    yield from tool_results(text)


def asked(call: Callable[[Any, str], object], text: str) -> str:
    client = Recording()
    call(client, text)
    return client.texts()


def _judge(client: Any, text: str) -> object:
    ranked = tuple(RankedPassage(each, 0.5) for each in passages_of(text[:300]))
    found = Retrieval(IndexHits((), ()), (), Ranking(ranked, "local"))
    return BedrockQueryModel(client, "m", ONCE).judge("Who?", found)


def _rank(client: Any, text: str) -> object:
    row = DocumentRow(PLAY, text, "v1", 1, 0.0, card=Card(text, text, (text,)))
    return BedrockQueryModel(client, "m", ONCE).rank("Who?", [row])


def _card(client: Any, text: str) -> object:
    return BedrockCardWriter(client, "m", ONCE).write(DocumentExcerpt(text, (text, text), text, "en"))


def _context(client: Any, text: str) -> object:
    return BedrockContextWriter(client, "m", ONCE).write(text, [text])


def _rewrite(client: Any, text: str) -> object:
    return BedrockQueryModel(client, "m", ONCE).rewrite("Who?", ["Who?", text], KnowledgeBase("b"))


_CALLS: Mapping[str, Callable[[Any, str], object]] = {
    "evidence judge": _judge,
    "card ranker": _rank,
    "card writer": _card,
    "context writer": _context,
    "query rewriter": _rewrite,
}


def tool_results(text: str) -> Iterator[tuple[str, str]]:
    """What the tools return once an entry has the text for its title and its statement."""
    tools = theory_tools(InMemoryEntryStore())
    title = text[:150]
    yield "saved", tools.save_theory(SESSION, title, text[:3_000])
    yield "taken", tools.save_theory(SESSION, title, "other")
    yield "read", tools.get_theory(SESSION, title)
    yield "listed", tools.list_theories(SESSION)
    yield "appended", tools.append_to_theory(SESSION, title, "More.")
    yield "amended", tools.amend_theory(SESSION, title, "Other.")
    yield "renamed", tools.rename_theory(SESSION, title, f"{title} again")
    yield "unknown", tools.get_theory(SESSION, "nothing of that name at all")
    yield "deleted", tools.delete_theory(SESSION, f"{title} again")
    yield "restored", tools.restore_theory(SESSION)
