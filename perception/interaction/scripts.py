"""Scripts in the page of a session, and their values as text."""

from __future__ import annotations

import json
from typing import Any

from perception.client import ScriptError
from perception.interaction.answers import Answer, words
from perception.interaction.session_state import SessionState
from perception.invisible import without_invisible

MAX_EXCEPTION = 500
"""Characters of a script's exception that are shown."""

MAX_RESULT = 20_000
"""Characters of a script's value that are shown."""


async def script_answer(state: SessionState, script: str, target: Any, timeout_s: float) -> Answer:
    """The value of a script; one that throws is an error without its stack."""
    try:
        value = await state.page.evaluate(script, target, timeout_s=timeout_s)
    except ScriptError as exc:
        return Answer(f"SCRIPT: {words(state.fence, str(exc), MAX_EXCEPTION)}", is_error=True)
    return Answer(value_report(state, value))


def value_report(state: SessionState, value: Any) -> str:
    """A script's value as JSON, between the marks of the page's words."""
    shown = json.dumps(value, ensure_ascii=False)
    if len(shown) > MAX_RESULT:
        shown = f"{shown[:MAX_RESULT]}\n… {len(shown) - MAX_RESULT} characters more: return less"
    return state.fence.around(without_invisible(shown))
