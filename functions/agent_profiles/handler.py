"""The profiles agent's action group."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import BedrockAgentFunctionResolver, BedrockFunctionResponse

from cicada.bootstrap.agents import profile_tools
from cicada.entry.action_group import answered

app = BedrockAgentFunctionResolver(serializer=str)


@app.tool()
def list_profiles(kind: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().list_profiles(session, kind))


@app.tool()
def list_theories() -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().list_theories(session))


@app.tool()
def get_profile(kind: str = "", name: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().get_profile(session, kind, name))


@app.tool()
def save_profile(kind: str = "", name: str = "", description: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().save_profile(session, kind, name, description))


@app.tool()
def append_to_profile(kind: str = "", name: str = "", addition: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().append_to_profile(session, kind, name, addition))


@app.tool()
def amend_profile(kind: str = "", name: str = "", description: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().amend_profile(session, kind, name, description))


@app.tool()
def rename_profile(kind: str = "", name: str = "", new_name: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().rename_profile(session, kind, name, new_name))


@app.tool()
def delete_profile(kind: str = "", name: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().delete_profile(session, kind, name))


@app.tool()
def restore_profile(kind: str = "", name: str = "", version: str = "") -> BedrockFunctionResponse:
    return answered(app, lambda session: profile_tools().restore_profile(session, kind, name, version))


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Function-details event in, the tool's sentences out."""
    return app.resolve(event, context)
