"""The tool for the tools that a page offers itself."""

from __future__ import annotations

from perception.interaction.answers import Answer
from perception.interaction.page_tools import call_report, list_report
from perception.tools.native import arguments as args
from perception.tools.tool import Call


async def page(call: Call, given: args.PageArguments) -> Answer:
    """Lists the page's tools, or calls one."""
    state = call.connection.session(given.session)
    timeout_s = given.seconds or call.timeout_s
    if given.name is None:
        return Answer(list_report(state, await state.page.page_tools(timeout_s=timeout_s)))
    done = await state.page.call_page_tool(given.name, given.arguments or {}, timeout_s=timeout_s)
    return Answer(call_report(state, done), is_error=done.is_error)
