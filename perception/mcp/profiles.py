"""The profiles of a server: its own tools, or those of Playwright MCP by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.mcp.native import table as native
from perception.mcp.playwright import table as playwright
from perception.mcp.toolbox import Tool


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of tools.

    Attributes:
        tools: all that there are.
        instructions: for the model, on how to use them.
        open_tool: the name of the tool that opens a session.
        script_tools: names of tools that need sessions with `allow_evaluate`.
    """

    tools: Sequence[Tool]
    instructions: str
    open_tool: str
    script_tools: frozenset[str]


PROFILES = {
    "default": Profile(native.TOOLS, native.INSTRUCTIONS, "open", frozenset({"evaluate"})),
    "playwright": Profile(
        playwright.TOOLS,
        playwright.INSTRUCTIONS,
        "browser_navigate",
        frozenset({"browser_evaluate", "browser_network_requests", "browser_tabs"}),
    ),
}
"""By the name on the command line."""
