"""`cicada eval`: measure a part of the system on a file of labelled examples."""

from __future__ import annotations

from cli.arguments import Group
from cli.evaluate.answerability import answerability
from cli.evaluate.answers import answers
from cli.evaluate.conversations import conversations
from cli.evaluate.documents import documents
from cli.evaluate.grounding import grounding
from cli.evaluate.planner import planner
from cli.evaluate.retrieval import retrieval
from cli.evaluate.router import router

evaluate = Group(
    "eval",
    short_help="measure a part of the system",
    help="Measure a part of the system on labelled examples.",
    epilog="example: cicada eval router messages.jsonl",
    # An earlier name, which scripts may use.
    aliases={"gate": "answerability"},
    commands=(router, planner, retrieval, answerability, conversations, documents, answers, grounding),
)
