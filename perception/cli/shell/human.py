"""The command that asks for a person."""

from __future__ import annotations

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result
from perception.errors import NoHumanError
from perception.interaction.human import human_report, is_done


async def request_human(context: Context) -> Result:
    """Asks for a person, and prints what became of it when they give control back."""
    session = context.session()
    answer = await session.page.request_human(context.values["reason"], timeout_s=context.left_s)
    if answer.diff.since_snapshot_id:
        context.keep(session)
    if not is_done(answer):
        return Result("", message=answer, error=NoHumanError(answer.text))
    return Result(human_report(answer), message=answer)
