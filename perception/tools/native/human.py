"""The tool that asks for a person."""

from __future__ import annotations

from perception.interaction.answers import Answer
from perception.interaction.human import human_report, is_done
from perception.tools.native import arguments as args
from perception.tools.tool import Call


async def request_human(call: Call, given: args.HumanArguments) -> Answer:
    """Asks for a person, and says what changed when they give control back."""
    state = call.connection.session(given.session)
    answer = await state.page.request_human(given.reason, timeout_s=given.seconds)
    return Answer(human_report(answer), is_error=not is_done(answer))
