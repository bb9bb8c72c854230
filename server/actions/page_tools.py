"""Tools that a page offers itself: `document.modelContext`, of the browser or of a polyfill.

Rule 1: whether the page has such an object is asked without running any of its code. Listing and calling run it in the
page's own world, where its tools are.
Rule 2: what the page answers is checked and cut here: its own functions may lie about length and type.
Rule 3: a tool is called only in the document whose origin was permitted; the script itself makes sure, by what no page
can replace.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.evaluate.evaluator import Evaluated, EvaluateEngine, Evaluator, Script
from perception.deadline import Deadline
from perception.errors import PageChangingError, PageToolsNotAllowedError, UnknownPageToolError
from perception.page_words import page_words, quoted_words

MAX_TOOLS = 100
MAX_NAME = 200
MAX_DESCRIPTION = 2000
MAX_SCHEMA = 16_384
MAX_OUTPUT = 100_000
"""Characters; what a model can read of one answer is far less."""

MAX_SHOWN = 10
"""Names that an error lists."""

_PRESENT = "'modelContext' in document || 'modelContext' in navigator"

_PRELUDE = """
const context = document.modelContext || navigator.modelContext;
const list = !context ? [] : typeof context.getTools === 'function' ? await context.getTools()
  : typeof context.listTools === 'function' ? await context.listTools() : [];
const tools = Array.isArray(list) ? list : list && Array.isArray(list.tools) ? list.tools : [];
"""

_LIST = f"""async () => {{
  {_PRELUDE}
  const text = (value, most) => typeof value === 'string' ? value.slice(0, most + 1) : '';
  const schema = (value) => typeof value === 'string' ? value : value ? JSON.stringify(value) : '';
  return {{origin: location.origin, count: tools.length, tools: tools.slice(0, {MAX_TOOLS}).map((tool) => ({{
    name: text(tool.name, {MAX_NAME}), title: text(tool.title, {MAX_NAME}),
    description: text(tool.description, {MAX_DESCRIPTION}), schema: text(schema(tool.inputSchema), {MAX_SCHEMA}),
    readOnly: Boolean(tool.annotations && tool.annotations.readOnlyHint),
  }}))}};
}}"""


def _call_script(origin: str, name: str, arguments: Mapping[str, Any]) -> str:
    """Calls one tool. Chromium 156's own `executeTool` takes an object, that of polyfills the same as JSON."""
    return f"""async () => {{
  if (location.origin !== {json.dumps(origin)}) return {{moved: location.origin}};
  {_PRELUDE}
  const name = {json.dumps(name)}, given = {json.dumps(arguments)};
  const tool = tools.find((each) => each && each.name === name);
  if (!tool) return {{names: tools.slice(0, 20).map((each) => String(each && each.name).slice(0, {MAX_NAME}))}};
  const isNative = typeof context.executeTool === 'function'
    && /\\[native code\\]/.test(Function.prototype.toString.call(context.executeTool));
  const result = typeof context.executeTool === 'function'
    ? await context.executeTool(tool, isNative ? given : JSON.stringify(given))
    : typeof context.callTool === 'function' ? await context.callTool({{name, arguments: given}})
    : typeof tool.execute === 'function' ? await tool.execute(given) : null;
  const shown = typeof result === 'string' ? result : JSON.stringify(result) || '';
  return {{output: shown.slice(0, {MAX_OUTPUT + 1})}};
}}"""


@dataclass(frozen=True, slots=True)
class PageTool:
    """A tool in its page's words, cut to their limits. `schema` is JSON text, empty where there is none or too much."""

    name: str
    title: str
    description: str
    schema: str
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class PageToolList:
    """The tools of a document, its origin, and how many tools were left out."""

    origin: str
    tools: tuple[PageTool, ...]
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool returned, or the message of its error."""

    text: str
    is_error: bool = False
    is_truncated: bool = False
    note: str = ""


async def list_page_tools(tab: Tab, evaluator: Evaluator, timeout_s: float, deadline: Deadline) -> PageToolList:
    """The tools of a tab's top document.

    Raises:
        PageChangingError: the page's own list fails.
        As `Evaluator.run`.
    """
    origin = await origin_of(tab, deadline)
    if not await _has_tools(tab, deadline):
        return PageToolList(origin, ())
    done = await evaluator.run(tab, _script(_LIST, timeout_s), deadline)
    if done.exception:
        raise PageChangingError(f"the page's list of tools failed: {quoted_words(done.exception)}")
    return _read_list(origin, done.value)


async def call_page_tool(
    tab: Tab,
    evaluator: Evaluator,
    name: str,
    arguments: Mapping[str, Any],
    origin: str,
    timeout_s: float,
    deadline: Deadline,
) -> ToolOutput:
    """Calls a tool of a tab's top document, which has to be of an origin that was permitted.

    Raises:
        UnknownPageToolError: the page has no such tool; names those there are.
        PageToolsNotAllowedError: the tab has gone to a document of another origin.
        As `Evaluator.run`.
    """
    if not await _has_tools(tab, deadline):
        raise UnknownPageToolError(f"the page has no tool {name[:MAX_NAME]!r}: it offers none")
    try:
        done = await evaluator.run(tab, _script(_call_script(origin, name, arguments), timeout_s), deadline)
    except PageChangingError:
        if not deadline.dispatched:
            raise
        return ToolOutput("", note="the tool took the tab to another document before it answered")
    return _read_output(name, done)


async def origin_of(tab: Tab, deadline: Deadline) -> str:
    """The origin of the tab's top document: `https://shop.example`; `null` where it has none. Raises
    PageChangingError."""
    try:
        reply = await tab.link.evaluate(
            tab.link.main_frame, "location.origin", deadline, "reading the page's origin", returnByValue=True
        )
    except CdpCallError as exc:
        raise PageChangingError("the page went away while its origin was read: try again") from exc
    return str(reply.get("value", ""))


async def _has_tools(tab: Tab, deadline: Deadline) -> bool:
    """Whether the page has an object for tools. No code of the page runs: what has side effects throws, and counts as
    none."""
    try:
        reply = await tab.link.session.call(
            "Runtime.evaluate",
            deadline,
            "looking for the page's tools",
            expression=_PRESENT,
            throwOnSideEffect=True,
            returnByValue=True,
        )
    except CdpCallError as exc:
        raise PageChangingError("the page went away while it was asked for its tools: try again") from exc
    return "exceptionDetails" not in reply and bool(reply["result"].get("value"))


def _script(source: str, timeout_s: float = math.inf) -> Script:
    return Script(source, timeout_s, await_promise=True, engine=EvaluateEngine.CDP)


def _read_list(origin: str, answer: Any) -> PageToolList:
    given = answer.get("tools") if isinstance(answer, dict) else None
    found = [each for each in (given if isinstance(given, list) else []) if isinstance(each, dict)][:MAX_TOOLS]
    tools = tuple(tool for each in found if (tool := _read_tool(each)) is not None)
    count = answer.get("count") if isinstance(answer, dict) else 0
    told = int(count) if isinstance(count, int | float) and 0 <= count < 1e9 else 0
    return PageToolList(origin, tools, max(told, len(found)) - len(tools))


def _read_tool(given: Mapping[str, Any]) -> PageTool | None:
    """None for one without a name, or with one that is too long to be given back."""
    name = _text(given, "name")
    if not name or len(name) > MAX_NAME:
        return None
    schema = _text(given, "schema")
    return PageTool(
        name,
        _text(given, "title")[:MAX_NAME],
        _text(given, "description")[:MAX_DESCRIPTION],
        schema if len(schema) <= MAX_SCHEMA else "",
        given.get("readOnly") is True,
    )


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _read_output(name: str, done: Evaluated) -> ToolOutput:
    if done.exception:
        return ToolOutput(done.exception[:MAX_OUTPUT], is_error=True, is_truncated=len(done.exception) > MAX_OUTPUT)
    answer = done.value if isinstance(done.value, dict) else {}
    if "moved" in answer:
        raise PageToolsNotAllowedError(
            f"the tab went to {page_words(str(answer['moved']), MAX_NAME)} meanwhile: nothing was called"
        )
    if isinstance(names := answer.get("names"), list):
        shown = ", ".join(quoted_words(str(each)) for each in names[:MAX_SHOWN])
        raise UnknownPageToolError(f"the page has no tool {name[:MAX_NAME]!r}: it offers {shown or 'none'}")
    output = answer.get("output")
    text = output if isinstance(output, str) else ""
    return ToolOutput(text[:MAX_OUTPUT], is_truncated=len(text) > MAX_OUTPUT)
