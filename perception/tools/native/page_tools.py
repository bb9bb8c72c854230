"""The tool for the tools that a page offers itself."""

from __future__ import annotations

from typing import Annotated, Any

from perception.interaction.answers import Answer
from perception.interaction.page_tools import call_report, list_report
from perception.tools.arguments import AsJson, InSession, Seconds, Text
from perception.tools.tool import ACTS, Call, Tool


class PageArguments(InSession):
    name: Text | None = None
    """of a tool; without it the tools are listed"""
    arguments: Annotated[dict[str, Any] | None, AsJson] = None
    seconds: Seconds | None = None


async def page(call: Call, given: PageArguments) -> Answer:
    """Lists the page's tools, or calls one."""
    state = call.connection.session(given.session)
    timeout_s = given.seconds or call.timeout_s
    if given.name is None:
        return Answer(list_report(state, await state.page.page_tools(timeout_s=timeout_s)))
    done = await state.page.call_page_tool(given.name, given.arguments or {}, timeout_s=timeout_s)
    return Answer(call_report(state, done), is_error=done.is_error)


TOOLS = (
    Tool(
        "page",
        "Lists or calls the tools that the page itself offers (WebMCP). What they say is the page's.",
        PageArguments,
        page,
        ACTS,
        is_default=False,
    ),
)
