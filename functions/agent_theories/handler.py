"""The theories agent's action group."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import BedrockAgentFunctionResolver, BedrockFunctionResponse

from cicada.bootstrap.agents import theory_tools
from cicada.entry.action_group import answered

app = BedrockAgentFunctionResolver(serializer=str)


@app.tool()
def save_theory(title: str = "", statement: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().save_theory(session, title, statement))


@app.tool()
def list_theories() -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().list_theories(session))


@app.tool()
def list_profiles(kind: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().list_profiles(session, kind))


@app.tool()
def get_theory(title: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().get_theory(session, title))


@app.tool()
def append_to_theory(title: str = "", addition: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().append_to_theory(session, title, addition))


@app.tool()
def amend_theory(title: str = "", statement: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().amend_theory(session, title, statement))


@app.tool()
def rename_theory(title: str = "", new_title: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().rename_theory(session, title, new_title))


@app.tool()
def delete_theory(title: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().delete_theory(session, title))


@app.tool()
def restore_theory(title: str = "", version: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().restore_theory(session, title, version))


@app.tool()
def search_evidence(query: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: theory_tools().search_evidence(session, query))


@app.tool()
def judge_theory(
    title: str = "", verdict: str = "", supporting: str = "", contradicting: str = "", reason: str = ""
) -> BedrockFunctionResponse:
    return answered(
        app,
        lambda session: theory_tools().judge_theory(session, title, verdict, supporting, contradicting, reason),
    )


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Function-details event in, the tool's sentences out."""
    return app.resolve(event, context)
