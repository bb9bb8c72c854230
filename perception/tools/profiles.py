"""The profiles of a server: its own tools, or those of Playwright MCP by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.interaction.answers import ToolNames
from perception.tools.native import table as native
from perception.tools.playwright import table as playwright
from perception.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of tools.

    Attributes:
        tools: all that there are.
        instructions: for the model, on how to use them.
        names: of the tools that errors send a model to.
        script_tools: names of tools that need sessions with `allow_evaluate`.
    """

    tools: Sequence[Tool]
    instructions: str
    names: ToolNames
    script_tools: frozenset[str]


PROFILES = {
    "default": Profile(native.TOOLS, native.INSTRUCTIONS, ToolNames(), frozenset({"evaluate"})),
    "playwright": Profile(
        playwright.TOOLS,
        playwright.INSTRUCTIONS,
        ToolNames("browser_navigate", "browser_handle_dialog"),
        frozenset({"browser_evaluate", "browser_network_requests", "browser_tabs"}),
    ),
}
"""By the name on the command line."""
