"""Tools for what is around a page: tabs, dialogs, subroutines, the session, and the person behind the agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from google.protobuf.json_format import MessageToDict

from perception.client import AsyncSubroutines
from perception.client.plain_values import tools_of, whole_numbers
from perception.errors import BadInputError
from perception.interaction.answers import Answer, lines, words
from perception.interaction.report import answered_words, dialog_line, tab_lines
from perception.interaction.session_state import SessionState
from perception.tools.arguments import Arguments, AsJson, InSession, Text
from perception.tools.tool import ACTS, Call, Hints, Tool
from perception.v1 import subroutine_service_pb2 as subroutine_pb


class TabsArguments(InSession):
    select: Text | None = None
    """tab id"""
    close: Text | None = None
    """tab id"""
    new: Text | None = None
    """url, or about:blank"""


class DialogArguments(InSession):
    accept: bool
    text: Text | None = None
    """for a prompt"""
    id: Text | None = None


class SubroutineArguments(InSession):
    run: Text | None = None
    """its id; without it all are listed"""
    parameters: Annotated[dict[str, Any] | None, AsJson] = None


class CloseArguments(InSession):
    pass


class AskArguments(Arguments):
    question: Text


MAX_DATA = 20_000
"""Characters of a subroutine's data that are shown."""


async def tabs(call: Call, given: TabsArguments) -> Answer:
    """Opens, selects or closes a tab, then lists them."""
    if sum(each is not None for each in (given.select, given.close, given.new)) > 1:
        raise BadInputError("tabs: give one of select, close and new", field="select")
    state = call.connection.session(given.session)
    if given.new is not None:
        await state.page.new_tab(given.new, timeout_s=call.timeout_s)
    if given.select:
        await state.page.select_tab(given.select, timeout_s=call.timeout_s)
    if given.close:
        await state.page.close_tab(given.close, timeout_s=call.timeout_s)
    return Answer(tab_lines(state, await state.page.tabs(timeout_s=call.timeout_s)))


async def dialog(call: Call, given: DialogArguments) -> Answer:
    """Answers an open dialog."""
    state = call.connection.session(given.session)
    return await answer_dialog(state, given.accept, given.text, given.id or "", call.timeout_s)


async def answer_dialog(
    state: SessionState, accept: bool, text: str | None, dialog_id: str, timeout_s: float
) -> Answer:
    answered = await state.page.handle_dialog(accept, text or "", dialog_id, text == "", timeout_s=timeout_s)
    left = await state.page.dialogs(timeout_s=timeout_s)
    done = answered_words(state, accept, answered)
    return Answer(lines(done, *(dialog_line(state, each) for each in left)))


async def close(call: Call, given: CloseArguments) -> Answer:
    """Closes a session."""
    state = call.connection.session(given.session)
    handle = state.page.session_id
    call.connection.forget(handle)
    await state.page.close(timeout_s=call.timeout_s)
    return Answer(f"session {handle} is closed")


async def subroutine(call: Call, given: SubroutineArguments) -> Answer:
    """Runs a saved subroutine, or lists them."""
    tools = AsyncSubroutines(call.connection.caller.client)
    if given.run:
        return await run_subroutine(call, given.run, given.parameters or {}, given.session)
    found = await tools.all(timeout_s=call.timeout_s)
    listed = lines(*map(_subroutine_line, found, tools_of(found)))
    return Answer(listed or "there is none: `perception record` makes one")


async def run_subroutine(call: Call, name: str, parameters: dict[str, Any], handle: str | None) -> Answer:
    """Runs one. An unsuccessful run is an error that says what the site refused."""
    state = await call.connection.session_or_new(handle)
    tools = AsyncSubroutines(call.connection.caller.client)
    done = await tools.run(state.page, name, parameters, timeout_s=call.timeout_s)
    data = json.dumps(whole_numbers(MessageToDict(done.data)), ensure_ascii=False) if done.HasField("data") else ""
    return Answer(
        lines(
            "done" if done.success else f"{done.reason}: {done.error}",
            *(f"confirmed by: {words(state.fence, each)}" for each in done.confirmed_by),
            f"drift: {words(state.fence, done.before)} → {words(state.fence, done.after)}"
            if done.before or done.after
            else "",
            "" if done.success or not done.sent else "a request was sent: look before you repeat it",
            state.fence.around(data[:MAX_DATA]) if data not in ("", "null") else "",
        ),
        is_error=not done.success,
    )


def _subroutine_line(made: subroutine_pb.Subroutine, tool: Mapping[str, Any]) -> str:
    """`add_item(title: string, count?: number) at https://example.org: Adds an item.`"""
    schema = tool["parameters"]
    required = schema.get("required", list(schema["properties"]))
    parameters = ", ".join(
        f"{name}{'' if name in required else '?'}: {each.get('type', 'any')}"
        for name, each in schema["properties"].items()
    )
    return f"{tool['name']}({parameters}) at {made.origin}: {tool['description']}"


async def ask_user(call: Call, given: AskArguments) -> Answer:
    """Puts a question to the person behind the agent."""
    if call.ask is None:
        raise BadInputError("ask_user: this client cannot ask its user (elicitation): ask in the conversation instead")
    answered = await call.ask(given.question)
    return Answer("the user declined to answer" if answered is None else answered, is_error=answered is None)


TABS = Tool("tabs", "Opens, selects or closes a tab, and lists all.", TabsArguments, tabs, ACTS)

DIALOG = Tool("dialog", "Answers the alert, confirm or prompt that is open.", DialogArguments, dialog, ACTS)

SUBROUTINE = Tool(
    "subroutine",
    "Runs a task that was recorded, or lists them.",
    SubroutineArguments,
    subroutine,
    ACTS,
)

CLOSE = Tool(
    "close",
    "Closes the session and its tabs.",
    CloseArguments,
    close,
    Hints(destructive=True, idempotent=True, open_world=False),
)

ASK_USER = Tool(
    "ask_user",
    "Asks the user, such as for a code sent to them. Never for passwords.",
    AskArguments,
    ask_user,
    Hints(read_only=True),
    is_default=False,
)
