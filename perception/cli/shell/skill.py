"""`perception skill`: what a coding agent has to know of these commands."""

from __future__ import annotations

from pathlib import Path

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result

SKILL = Path(__file__).with_name("SKILL.md")


async def skill(context: Context) -> Result:
    """The text of the skill file."""
    text = _text()
    return Result(text, data={"skill": text})


def _text() -> str:
    return SKILL.read_text("utf-8")
