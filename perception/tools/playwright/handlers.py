"""How these tools are run: by the handlers of the default profile, wherever one does the same."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from time import monotonic
from typing import Any, TypeVar

import regex

from perception.client import RemoteError
from perception.deadline import loop_time
from perception.errors import BadInputError, DeadlineError
from perception.interaction.answers import Answer, lines
from perception.interaction.batch import DIFF_TOKENS
from perception.interaction.image import wire_target
from perception.interaction.looks import NOTHING_FITS, look_at, match_line, next_part
from perception.interaction.network_report import console_report, requests_report
from perception.interaction.report import action_report, navigation_report, snapshot_report, tab_lines
from perception.interaction.scripts import script_answer
from perception.interaction.session_state import SessionState
from perception.tools.native import acting, looking, managing
from perception.tools.native.network import NetworkArguments, network
from perception.tools.native.step import Step
from perception.tools.playwright import arguments as args
from perception.tools.tool import Call
from perception.v1 import network_service_pb2 as network_pb
from perception.v1 import perception_service_pb2 as perception_pb

LOOK_ON = "browser_snapshot with cursor={cursor}"

WHOLE_PAGE: dict[str, Any] = {"scope": "page", "max_tokens": 4000}
"""Snapshots are of the whole page, as those of Playwright MCP; two average pages fit."""

GONE_SECONDS = 10.0
"""Longest wait for a text to disappear, unless the call says it."""

POLL_SECONDS = 0.25

WAITING = "waiting"
"""The phase that errors of waits here name."""

FILE_FIELD = "input[type=file]"

_STATIC = ("image", "font", "stylesheet", "script", "media", "manifest")

_PATTERN = re.compile(r"/(.+)/([imsu]*)", re.DOTALL)

_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "u": regex.UNICODE}

_Item = TypeVar("_Item")

SEARCH_SECONDS = 2.0
"""How long a caller's regular expression may search: one that backtracks would hold up the other callers."""

LIMIT = 100
"""Lines of a list of requests or messages."""

LOADED = "performance.timeOrigin"

TOLERANCE_MS = 50.0
"""By which the clocks of a page and of its requests may differ. Chosen by hand."""


async def navigate(call: Call, given: args.Navigate) -> Answer:
    state = await call.connection.session_or_new(None)
    moved = await state.page.navigate(given.url, timeout_s=call.timeout_s)
    return await _shown(call, state, navigation_report(state, moved))


async def navigate_back(call: Call, given: args.Nothing) -> Answer:
    state = call.connection.session(None)
    await state.page.back(timeout_s=call.timeout_s)
    return await _shown(call, state)


async def snapshot(call: Call, given: args.Snapshot) -> Answer:
    state = call.connection.session(None)
    if given.cursor:
        part = await next_part(state, given.cursor, call.timeout_s)
        return Answer(snapshot_report(state, part, cursor_call=LOOK_ON))
    options: dict[str, Any] = {"include_boxes": True} if given.boxes else {}
    if given.target is not None:
        options["root"] = wire_target(given.target, state.image)
    taken = await look_at(state, WHOLE_PAGE | options, call.timeout_s)
    return Answer(snapshot_report(state, taken, cursor_call=LOOK_ON))


async def _shown(call: Call, state: SessionState, before: str = "") -> Answer:
    """The page as it is now."""
    taken = await look_at(state, WHOLE_PAGE, call.timeout_s)
    return Answer(lines(before, snapshot_report(state, taken, cursor_call=LOOK_ON)))


async def _step(call: Call, **fields: Any) -> Answer:
    """One step of the default profile's `act`."""
    return await acting.run_batch(call, call.connection.session(None), [Step(**fields)])


def step(do: str, **fields: str) -> Callable[[Call, Any], Awaitable[Answer]]:
    """The handler of a tool that is one step.

    Args:
        do: the verb.
        fields: of the step, and the arguments that give them.
    """

    async def run(call: Call, given: Any) -> Answer:
        return await _step(call, do=do, **{field: getattr(given, name) for field, name in fields.items()})

    return run


async def click(call: Call, given: args.Click) -> Answer:
    modifiers = ["control" if each == "ControlOrMeta" else each.lower() for each in given.modifiers or []]
    return await _step(
        call,
        do="click",
        target=given.target,
        button=given.button,
        count=2 if given.double_click else None,
        modifiers=modifiers or None,
    )


async def type_text(call: Call, given: args.Type) -> Answer:
    state = call.connection.session(None)
    result = await state.page.type_text(
        wire_target(given.target, state.image),
        given.text,
        clear=True,
        submit=bool(given.submit),
        keystrokes=bool(given.slowly),
        timeout_s=call.timeout_s,
        diff_max_tokens=DIFF_TOKENS,
    )
    return Answer(action_report(state, result) or "done")


async def fill_form(call: Call, given: args.FillForm) -> Answer:
    steps = [form_step(each) for each in given.fields]
    return await acting.run_batch(call, call.connection.session(None), steps)


def form_step(field: args.FormField) -> Step:
    """The step that gives a field its value. Raises BadInputError for a checkbox that is neither true nor false."""
    if field.type in ("checkbox", "radio"):
        wanted = field.value.strip().lower()
        if wanted not in ("true", "false"):
            raise BadInputError(f"fields: the value of a {field.type} is true or false, not {field.value[:60]!r}")
        return Step(do="check" if wanted == "true" else "uncheck", target=field.target)
    if field.type == "combobox":
        return Step(do="select", target=field.target, options=[field.value])
    return Step(do="fill", target=field.target, text=field.value)


async def file_upload(call: Call, given: args.FileUpload) -> Answer:
    return await _step(call, do="upload", target=given.target or FILE_FIELD, paths=given.paths)


async def drop(call: Call, given: args.Drop) -> Answer:
    if not given.paths and not given.data:
        raise BadInputError("browser_drop: give paths, data or both", field="paths")
    state = call.connection.session(None)
    target = wire_target(given.target, state.image)
    result = await state.page.upload(
        target,
        *(given.paths or ()),
        drop=True,
        data=given.data,
        timeout_s=call.timeout_s,
        diff_max_tokens=DIFF_TOKENS,
    )
    return Answer(action_report(state, result) or "done")


async def handle_dialog(call: Call, given: args.HandleDialog) -> Answer:
    state = call.connection.session(None)
    return await managing.answer_dialog(state, given.accept, given.prompt_text, "", call.timeout_s)


async def wait_for(call: Call, given: args.WaitFor) -> Answer:
    """Waits for a text, until one is gone, or for a time."""
    state = call.connection.session(None)
    if given.text and given.text_gone:
        raise BadInputError("browser_wait_for: give text or textGone, not both")
    seconds = given.time or GONE_SECONDS
    if given.text:
        result = await state.page.wait_for(text=given.text, timeout_s=seconds, diff_max_tokens=DIFF_TOKENS)
        return Answer(action_report(state, result) or "done")
    if given.text_gone:
        await _until_gone(state, given.text_gone, seconds)
    elif given.time:
        await asyncio.sleep(given.time)
    else:
        raise BadInputError("browser_wait_for: give time, text or textGone")
    return await _shown(call, state)


async def _until_gone(state: SessionState, text: str, seconds: float) -> None:
    """Returns as soon as no element has the text. Raises DeadlineError while one has."""
    end_s = loop_time() + seconds
    while (left_s := end_s - loop_time()) > 0:
        try:
            if not await state.page.find(text=text, limit=1, mode="text", scope="viewport", timeout_s=left_s):
                return
        except RemoteError as exc:
            if exc.code.name != "DEADLINE_EXCEEDED":  # said by the service or by our own clock
                raise
            break
        await asyncio.sleep(POLL_SECONDS)
    raise DeadlineError(f"the text {text[:60]!r} was not seen to go within {seconds:g} s", phase=WAITING)


async def evaluate(call: Call, given: args.Evaluate) -> Answer:
    state = call.connection.session(None)
    target = wire_target(given.target, state.image) if given.target is not None else None
    return await script_answer(state, given.function, target, call.timeout_s)


async def take_screenshot(call: Call, given: args.TakeScreenshot) -> Answer:
    state = call.connection.session(None)
    png = given.type == "png"
    if given.target is None:
        return await looking.picture(call, state, full_page=bool(given.full_page), annotated=False, png=png)
    if given.full_page:
        raise BadInputError("browser_take_screenshot: give a target or fullPage, not both", field="fullPage")
    target = wire_target(given.target, state.image)
    await state.page.scroll(target=target, skip_diff=True, timeout_s=call.timeout_s)
    inside = (await state.page.snapshot(root=target, scope="page", mode="text", timeout_s=call.timeout_s)).elements
    if not inside:
        raise BadInputError("browser_take_screenshot: nothing of the target is listed", field="target")
    box = inside[0].box
    return await looking.picture(call, state, full_page=False, annotated=False, png=png, part=box)


async def tabs(call: Call, given: args.Tabs) -> Answer:
    """Lists, opens, selects or closes tabs; by index, as they are listed."""
    if given.action == "new":
        return await _new_tab(call, given.url)
    state = call.connection.session(None)
    there = await state.page.tabs(timeout_s=call.timeout_s)
    if given.action != "list" and given.index is not None and given.index >= len(there):
        raise BadInputError(
            f"browser_tabs: there is no tab {given.index}: there are 0 to {len(there) - 1}", field="index"
        )
    if given.action == "select":
        if given.index is None:
            raise BadInputError("browser_tabs: give the index of the tab to select", field="index")
        await state.page.select_tab(there[given.index].tab_id, timeout_s=call.timeout_s)
    if given.action == "close":
        tab_id = "" if given.index is None else there[given.index].tab_id
        await state.page.close_tab(tab_id, timeout_s=call.timeout_s)
    return Answer(tab_lines(state, await state.page.tabs(timeout_s=call.timeout_s), by_index=True))


async def _new_tab(call: Call, url: str | None) -> Answer:
    """Opens a tab beside the others and selects it."""
    state = await call.connection.session_or_new(None)
    await state.page.new_tab(url or "", timeout_s=call.timeout_s)
    return await _shown(call, state)


async def resize(call: Call, given: args.Resize) -> Answer:
    """The size of the pages, of a new session where no session is open."""
    if not call.connection.default:
        await call.connection.session_or_new(None, viewport=(given.width, given.height))
        return Answer(f"a session of {given.width}×{given.height} CSS px is open")
    state = call.connection.session(None)
    await state.page.set_viewport(given.width, given.height, timeout_s=call.timeout_s)
    return await _shown(call, state)


async def console_messages(call: Call, given: args.ConsoleMessages) -> Answer:
    state = call.connection.session(None)
    found = await state.page.console(min_level=given.level or "info", timeout_s=call.timeout_s)
    if not given.all:
        loaded_ms = await _loaded_ms(call, state)
        found = [each for each in found if each.last_time.ToMilliseconds() >= loaded_ms]
    return Answer(console_report(state, found, LIMIT))


async def network_requests(call: Call, given: args.NetworkRequests) -> Answer:
    """The requests of the selected tab since its page was loaded; of static ones those that failed."""
    state = call.connection.session(None)
    name = "browser_network_requests: filter"
    pattern = _regular(given.filter, name) if given.filter else None
    selected = next(each for each in await state.page.tabs(timeout_s=call.timeout_s) if each.selected)
    loaded_ms = await _loaded_ms(call, state)
    found = [
        each
        for each in await state.page.requests(tab_id=selected.tab_id, timeout_s=call.timeout_s)
        if each.start_time.ToMilliseconds() >= loaded_ms and (given.static or not _is_static(each))
    ]
    if pattern is not None:
        found = await _fitting(pattern, name, found, lambda request: (request.url,))
    return Answer(requests_report(state, found, LIMIT))


async def network_request(call: Call, given: args.NetworkRequest) -> Answer:
    index = given.index.strip().removeprefix("r")
    return await network(call, NetworkArguments(id=f"r{index}"))


async def _loaded_ms(call: Call, state: SessionState) -> float:
    """When the page began to load, in ms since 1970."""
    return float(await state.page.evaluate(LOADED, timeout_s=call.timeout_s)) - TOLERANCE_MS


def _is_static(request: network_pb.NetworkRequest) -> bool:
    kind = network_pb.ResourceType.Name(request.type).removeprefix("RESOURCE_TYPE_").lower()
    return kind in _STATIC and 0 < request.status < 400


def _regular(text: str, name: str) -> regex.Pattern[str]:
    """A regular expression, between slashes or not. Raises BadInputError for any other text."""
    written = _PATTERN.fullmatch(text)
    source, flags = (written[1], written[2]) if written else (text, "")
    try:
        return regex.compile(source, sum(_FLAGS[each] for each in set(flags)))
    except regex.error as exc:
        raise BadInputError(f"{name} is not a regular expression: {exc}") from exc


async def _fitting(
    pattern: regex.Pattern[str], name: str, items: Sequence[_Item], texts_of: Callable[[_Item], Iterable[str]]
) -> list[_Item]:
    """Those with a text that a regular expression fits. Raises BadInputError when it takes more than SEARCH_SECONDS."""

    def search() -> list[_Item]:
        ends_s = monotonic() + SEARCH_SECONDS
        return [
            item
            for item in items
            if any(pattern.search(text, timeout=max(ends_s - monotonic(), 0.001)) for text in texts_of(item))
        ]

    try:
        return await asyncio.to_thread(search)
    except TimeoutError as exc:
        raise BadInputError(
            f"{name} takes more than {SEARCH_SECONDS:g} s to search with: write it without a repetition in a"
            " repetition, such as (a+)+"
        ) from exc


async def find(call: Call, given: args.Find) -> Answer:
    if _PATTERN.fullmatch(given.text.strip()):
        return await _find_by_pattern(call, given)
    return await looking.find(call, looking.FindArguments(query=given.text, limit=given.max_results))


async def _find_by_pattern(call: Call, given: args.Find) -> Answer:
    """The elements with a name, text or value that a regular expression fits, in the page's order."""
    state = call.connection.session(None)
    name = "browser_find: text"
    pattern = _regular(given.text.strip(), name)
    taken = await look_at(state, {"scope": "page", "max_tokens": 0}, call.timeout_s)
    fitting = await _fitting(pattern, name, taken.elements, lambda each: (each.name, each.text, each.value))
    if not fitting:
        return Answer(NOTHING_FITS)
    found = [perception_pb.ElementMatch(element=each, reason=f"fits {given.text.strip()}") for each in fitting]
    return Answer(state.fence.around(lines(*map(match_line, found[: given.max_results or LIMIT]))))


async def close(call: Call, given: args.Nothing) -> Answer:
    return await managing.close(call, managing.CloseArguments())
