"""The routes of the WebSocket API and the functions that serve them."""

from __future__ import annotations

ROUTES = {
    "sendMessage": "ws_message",
    "resume": "ws_resume",
    "cancel": "ws_control",
    "history": "ws_control",
    "changeSession": "ws_control",
    "deleteSession": "ws_control",
    "shareSession": "ws_control",
    "unshareSession": "ws_control",
    "openShared": "ws_control",
    "eraseMine": "ws_control",
    "feedback": "ws_control",
    "openDocument": "ws_open",
    "listKnowledgeBases": "ws_open",
    "listDocuments": "ws_open",
    "uploadDocument": "ws_open",
    "describeDocument": "ws_open",
    "removeDocument": "ws_open",
    "listUsers": "ws_admin",
    "addUser": "ws_admin",
    "disableUser": "ws_admin",
    "enableUser": "ws_admin",
    "setGroups": "ws_admin",
    "readUse": "ws_admin",
    "readFeedback": "ws_admin",
    "readFailures": "ws_admin",
    "ping": "ws_control",
    "signOutEverywhere": "ws_sign_out",
    "$default": "ws_control",
}
