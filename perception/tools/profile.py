"""What a profile of tools has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.interaction.answers import ToolNames
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
