"""Tools that a page offers itself, and what they return, in words."""

from __future__ import annotations

from perception.interaction.answers import lines, place
from perception.interaction.report import action_report
from perception.interaction.session_state import SessionState
from perception.v1 import page_tool_service_pb2 as pb


def list_report(state: SessionState, listed: pb.ListPageToolsResponse) -> str:
    """The tools, and whether they may be called."""
    origin = place(state.fence, listed.origin)
    if not listed.tools:
        return f"the page of {origin} offers no tools"
    refused = f"tools of {origin} may be listed, and not called: the session does not allow this origin"
    more = f"{listed.omitted_count} more are left out" if listed.omitted_count else ""
    return lines(listed.text, more, "" if listed.is_allowed else refused)


def call_report(state: SessionState, done: pb.CallPageToolResponse) -> str:
    """What a tool returned, and what it did to the page."""
    failed = "the tool failed:" if done.is_error else ""
    cut = "the answer is cut off" if done.is_truncated else ""
    return lines(failed, done.text, cut, action_report(state, done.result)) or "done"
