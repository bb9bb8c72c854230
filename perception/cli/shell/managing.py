"""Commands for what is around a page: tabs, dialogs, the sessions."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from perception.cli.shell import store
from perception.cli.shell.context import Context, explained, is_lost
from perception.cli.shell.results import Result
from perception.errors import BadInputError, PerceptionError
from perception.interaction.answers import lines, place
from perception.interaction.closing import closing_words
from perception.interaction.report import answered_words, dialog_line, tab_lines
from perception.render.untrusted import Fence
from perception.v1 import session_service_pb2 as session_pb

CHECK_SECONDS = 5.0
"""For one session of a list: others are to be listed as well."""


async def tabs(context: Context) -> Result:
    """Selects or closes a tab, then lists them."""
    select, close_id = context.values["select"], context.values["close"]
    if select and close_id:
        raise BadInputError("tabs: give --select or --close, not both")
    session = context.session()
    if select:
        await session.page.select_tab(select, timeout_s=context.left_s)
    if close_id:
        await session.page.close_tab(close_id, timeout_s=context.left_s)
    there = await session.page.tabs(timeout_s=context.left_s)
    return Result(tab_lines(session.state, there), session_pb.ListTabsResponse(tabs=there))


async def tab(context: Context) -> Result:
    """Opens, names or moves a tab, then lists all."""
    values = context.values
    do, value, tab_id = values["do"], values["value"] or "", values["tab"] or ""
    if do != "new" and (values["name"] or values["background"]):
        raise BadInputError(f"tab {do}: --name and --background are for a new tab")
    if do == "new" and tab_id:
        raise BadInputError("tab new: --tab is for naming and moving")
    if do == "move" and not value.isdecimal():
        raise BadInputError("tab move: give the place, a whole number from 0 on")
    page = context.session().page
    if do == "new":
        await page.new_tab(value, name=values["name"] or "", background=values["background"], timeout_s=context.left_s)
    elif do == "name":
        await page.name_tab(value, tab_id, timeout_s=context.left_s)
    else:
        await page.move_tab(int(value), tab_id, timeout_s=context.left_s)
    there = await page.tabs(timeout_s=context.left_s)
    return Result(tab_lines(context.session().state, there), session_pb.ListTabsResponse(tabs=there))


async def dialog(context: Context) -> Result:
    """Answers an open dialog."""
    values = context.values
    session = context.session()
    accept = values["answer"] == "accept"
    text = values["text"]
    answered = await session.page.handle_dialog(
        accept, text or "", values["id"] or "", text == "", timeout_s=context.left_s
    )
    left = await session.page.dialogs(timeout_s=context.left_s)
    done = answered_words(session.state, accept, answered)
    return Result(lines(done, *(dialog_line(session.state, each) for each in left)), answered)


async def sessions(context: Context) -> Result:
    """The sessions, with the page of each."""
    told, data, fence = [], [], Fence()
    for known in store.all_known(context.folder):
        found: dict[str, Any] = {"name": known.name, "sessionId": known.session_id, "address": known.address}
        try:
            state = await context.session_of(known).page.state(timeout_s=min(context.left_s, CHECK_SECONDS))
        except PerceptionError as exc:
            found |= {"open": False, "error": str(explained(exc, known.name))}
            shown = "lost" if is_lost(exc) else found["error"]
        else:
            tab = next((each for each in state.tabs if each.selected), None)
            found |= {"open": True, "url": tab.url if tab else "", "title": tab.title if tab else ""}
            shown = place(fence, found["url"], found["title"])
            if state.worker:
                found["worker"] = state.worker
            if state.HasField("closes_at_ms"):
                found["closesAtMs"] = state.closes_at_ms
                shown += f" ({closing_words(state.closes_at_ms / 1000, state.worker)})"
        mark = "*" if known.name == context.name else " "
        told.append(f"{mark} {known.name}: {shown}")
        data.append(found | {"current": known.name == context.name})
    return Result(lines(*told) or "there is no session: open one with `perception open URL`", data={"sessions": data})


async def close(context: Context) -> Result:
    """Closes the session; with --all every one, and the service."""
    if context.values["all"]:
        return await _close_all(context)
    try:
        known = context.known()
    except BadInputError:
        known = None
    closed = []
    if known is not None:
        try:
            await context.session_of(known).page.close(timeout_s=context.left_s)
        except PerceptionError as exc:
            if not is_lost(exc):
                raise
        closed.append(known.name)
    store.forget(context.folder, context.name)
    text = f"session {context.name!r} is closed" if closed else f"session {context.name!r} was not open"
    return Result(text, data={"closed": closed})


async def _close_all(context: Context) -> Result:
    all_known = store.all_known(context.folder)
    for known in all_known:
        if not known.is_own:  # those of the own service end with it
            with suppress(PerceptionError):
                await context.session_of(known).page.close(timeout_s=min(context.left_s, CHECK_SECONDS))
    had_service = context.own_service().end()
    for path in context.folder.glob("*.session"):
        path.unlink(missing_ok=True)
    closed = [each.name for each in all_known]
    ended = "the service has ended" if had_service else "no service was running"
    return Result(f"{len(closed)} sessions are closed; {ended}", data={"closed": closed, "service": had_service})
