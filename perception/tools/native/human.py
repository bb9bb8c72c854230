"""The tool that asks for a person."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from perception.interaction.answers import Answer
from perception.interaction.human import human_report, is_done
from perception.tools.arguments import InSession, Text
from perception.tools.tool import ACTS, Call, Tool


class HumanArguments(InSession):
    reason: Text
    """what they should do"""
    seconds: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] | None = None
    """300 by default"""


async def request_human(call: Call, given: HumanArguments) -> Answer:
    """Asks for a person, and says what changed when they give control back."""
    state = call.connection.session(given.session)
    answer = await state.page.request_human(given.reason, timeout_s=given.seconds)
    return Answer(human_report(answer), is_error=not is_done(answer))


TOOLS = (
    Tool(
        "request_human",
        "Asks a person to take over the browser, such as for a login or a captcha, and waits until they have done it.",
        HumanArguments,
        request_human,
        ACTS,
        is_default=False,
        group="human",
    ),
)
