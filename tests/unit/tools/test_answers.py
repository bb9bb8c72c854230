"""Errors of the service in the words of tools."""

from __future__ import annotations

import re

import grpc
import pytest

from perception.client import RemoteError
from perception.interaction.answers import _ENDINGS, ToolNames, error_answer
from perception.v1 import action_service_pb2, perception_service_pb2, session_service_pb2
from tests.paths import ROOT

NAMES = ToolNames("browser_navigate", "browser_handle_dialog", "browser_tabs")


def _rpcs() -> set[str]:
    files = (session_service_pb2, perception_service_pb2, action_service_pb2)
    services = [each for module in files for each in module.DESCRIPTOR.services_by_name.values()]
    return {method.name for service in services for method in service.methods}


@pytest.mark.parametrize(
    ("reason", "message", "told"),
    [
        (
            "UNKNOWN_SESSION",
            "no session 'x': it was closed or never created; create one with CreateSession",
            "no session 'x': it was closed or never created; open a new session with browser_navigate",
        ),
        (
            "SESSION_LOST",
            "the browser of this session is gone: create a new session",
            "the browser of this session is gone: open a new session with browser_navigate",
        ),
        (
            "DIALOG_OPEN",
            'a dialog is open (alert "create a new session"): answer it with HandleDialog first',
            'a dialog is open (alert "create a new session"): answer it with browser_handle_dialog first',
        ),
        (
            "PAGE_CHANGING",
            "the tab is closing: call ListTabs for the open ones",
            "the tab is closing: browser_tabs lists the open ones",
        ),
        ("SESSION_LOST", "the browser ended as it started: try again", "the browser ended as it started: try again"),
    ],
    ids=["unknown", "lost", "dialog", "closing", "other"],
)
def test_what_to_do_is_said_once_and_in_tools(reason: str, message: str, told: str) -> None:
    answer = error_answer(RemoteError(grpc.StatusCode.NOT_FOUND, message, reason, {}), NAMES)
    assert answer.text == f"{reason}: {told}"


def test_each_message_that_ends_with_an_rpc_has_its_words_in_tools() -> None:
    named = re.compile(rf"""[:;,] ([a-z][^"':;#\n]*\b(?:{"|".join(_rpcs())})\b[^"':;\n]*)["']""")
    sources = [
        path for room in ("server", "perception/browser", "perception/engine") for path in (ROOT / room).rglob("*.py")
    ]
    endings = {found for path in sources for found in named.findall(path.read_text("utf-8"))}
    assert len(endings) >= 4
    assert endings <= _ENDINGS.keys()
