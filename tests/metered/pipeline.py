"""The message path as deployed, on a scripted model and metered services."""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import cycle, islice

from cicada.adapters.api_gateway_channel import ApiGatewayChannel
from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.share_table import DynamoShareTable
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.adapters.sqs import SqsRequestQueue
from cicada.agents.model import AgentTurn
from cicada.answering.answer import Answerer
from cicada.answering.listing import ListingAnswerer
from cicada.answering.parts import Prompt
from cicada.answering.passages import PassageAnswerer
from cicada.answering.process import Processed, Processor
from cicada.answering.pump import STEADY, Pace
from cicada.answering.question_planner import QuestionPlanner
from cicada.answering.whole_documents import WholeDocumentAnswerer
from cicada.conversation.accept import Accepter
from cicada.conversation.command_guard import CommandGuard
from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import Connection, RequestKey
from cicada.conversation.protocol import SendMessage, frame
from cicada.conversation.resume import Resumer
from cicada.conversation.withholding import Withholding
from cicada.document_routing.naming import Dispatcher
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, ScriptLocator
from cicada.errors import CicadaError
from cicada.generation import ModelUsage
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import PermissionGate
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada.understanding.by_rules import RulesPlanner
from cicada.understanding.classifier import MessageClassifier
from cicada.understanding.intent.model import load_model
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.fakes.access import OpenAccess
from tests.fakes.retrieval import FixedEmbedder, FixedIndex
from tests.metered.aws import MeteredAws

QUESTION = "Who tells Macbeth that the queen is dead?"
# The ids have the form of Cognito's and API Gateway's, so that the rows have realistic sizes.
_USER = Principal("default", "7e57d004-2b97-4e7a-b45f-5387367791cd")
_CONNECTION = "L0SM9cOFvHcCIhw="
_TABLE, _CONNECTIONS = "requests", "connections"
# 4.5 characters a token with its space, about that of English text.
_WORDS = (" the", " queen", ",", " my", " lord", " is", " dead", ".", " She", " should", " have", " died", " hereafter")


def tokens(count: int) -> list[str]:
    """Sentences of which none is like another: a model that repeats itself is stopped."""
    words = islice(cycle(_WORDS), count)
    return [f"{word} {number}" if word == " queen" else word for number, word in enumerate(words)]


@dataclass(slots=True)
class PacedModel:
    """Says its pieces at `tokens_per_second` (0: at once), the first after `first_after_seconds`."""

    pieces: Sequence[str]
    tokens_per_second: float = 0
    first_after_seconds: float = 0
    first_at: float = 0

    def stream(self, prompt: Prompt) -> Generator[str | ModelUsage]:
        if self.first_after_seconds:
            time.sleep(self.first_after_seconds)
        self.first_at = time.perf_counter()
        for number, piece in enumerate(self.pieces):
            if self.tokens_per_second:
                time.sleep(max(0.0, self.first_at + number / self.tokens_per_second - time.perf_counter()))
            yield piece
        yield ModelUsage(len(prompt.user) // 4, len(self.pieces))


def _index() -> FixedIndex:
    """Finds the same fifteen passages for every question, as many as an answer is built from."""
    document = DocumentKey(KnowledgeBaseKey(_USER.tenant, "scripts"), "macbeth")
    text = "".join(tokens(150)).strip()
    return FixedIndex(*(_passage(document, number, text) for number in range(1, 16)))


def _passage(document: DocumentKey, number: int, text: str) -> Passage:
    locator = ScriptLocator("macbeth", "Macbeth", "5.5", "Dunsinane", number, number + 4, ("Macbeth", "Seyton"))
    return Passage(f"macbeth#{number}", document, "1", "Macbeth", text, "", locator)


class NoAgent:
    """No question of the bench is for an agent."""

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        raise NotImplementedError


def _fail(error: CicadaError) -> None:
    raise error


def _search(base: KnowledgeBase) -> HybridSearch:
    return HybridSearch(_index(), FixedEmbedder(), base.candidates, base.limit)


@dataclass(slots=True)
class Pipeline:
    """The whole path of one user's question, from the frame to the last event."""

    model: PacedModel
    pace: Pace = STEADY
    aws: MeteredAws = field(default_factory=MeteredAws)
    log: DynamoRequestLog = field(init=False)
    processor: Processor = field(init=False)
    _accepter: Accepter = field(init=False)
    _guard: CommandGuard = field(init=False)
    _connections: DynamoConnectionTable = field(init=False)

    def __post_init__(self) -> None:
        self.log = DynamoRequestLog(self.aws.dynamodb, _TABLE, time.time)
        channel = ApiGatewayChannel(self.aws.management)
        queue = SqsRequestQueue(self.aws.sqs, "https://sqs.us-east-1.amazonaws.com/000000000000/requests.fifo")
        planner = RulesPlanner(MessageClassifier(KnowledgeBases(), load_model()).classify)
        search, gate = KnowledgeSearch({DEFAULT: _search}), PermissionGate(OpenAccess())
        plan = QuestionPlanner(planner, search.bases, partial(datetime.now, UTC)).plan
        index = SqlitePassageIndex("never opened", "fixed", 1)
        listings = ListingAnswerer(index, search.bases, gate)
        whole_documents = WholeDocumentAnswerer(Dispatcher(index), search.bases, gate, self.model)
        self.processor = Processor(
            log=self.log,
            channel=channel,
            queue=queue,
            answerer=Answerer(
                plan, PassageAnswerer(search, self.model, gate), whole_documents, listings, NoAgent(), self.model
            ),
            clock=time.time,
            lease_seconds=15,
            heartbeat_seconds=4,
            report=_fail,
            pace=self.pace,
        )
        usage = UsageLimits(DynamoUsageTable(self.aws.dynamodb, _TABLE), self.log, time.time, 10**6, 10, 2 * 10**7)
        resumer = Resumer(self.log, queue, channel, time.time, Withholding(gate, KnowledgeBases), usage)
        shares = DynamoShareTable(self.aws.dynamodb, _TABLE, time.time)
        self._accepter = Accepter(*(self.log, queue, resumer, time.time, 7 * 24 * 3600, usage), KnowledgeBases, shares)
        self._connections = DynamoConnectionTable(self.aws.dynamodb, _CONNECTIONS)
        self._guard = CommandGuard(self._connections, usage, channel, time.time)

    def connect(self) -> None:
        """Store the connection as `$connect` does."""
        self._connections.add(Connection(_CONNECTION, _USER, time.time() + 3600, time.time()), time.time() + 7200)

    def accept(self) -> RequestKey:
        """Accept a question as `sendMessage` does, in a session that goes on."""
        request_id = str(uuid.uuid4())
        sent = SendMessage(request_id=request_id, message=QUESTION, session_id="s-1")
        _, connection = self._guard.enter(_CONNECTION, frame(sent))
        self._accepter.accept(sent, connection)
        return RequestKey(_USER, request_id)

    def process(self, key: RequestKey) -> None:
        if self.processor.process(key) is not Processed.COMPLETE:
            raise RuntimeError("The answer did not end as it should.")
