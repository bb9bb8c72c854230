"""Commands for the screen of a session."""

from __future__ import annotations

from perception.cli.shell.context import Context
from perception.cli.shell.looking import whole_report
from perception.cli.shell.results import Result
from perception.errors import BadInputError
from perception.interaction.answers import lines
from perception.interaction.looks import look_at
from perception.interaction.report import screen_line

_SAID = {"yes": True, "no": False, None: None}


async def viewport(context: Context) -> Result:
    """Shows the session on another screen, and prints the page."""
    values = context.values
    names = ("size", "device", "scale", "mobile", "touch")
    if not any(values[name] for name in names):
        raise BadInputError("viewport: nothing to change: give WIDTHxHEIGHT, --device, --scale, --mobile or --touch")
    session = context.session()
    width, height = values["size"] or (0, 0)
    screen = await session.page.set_viewport(
        width,
        height,
        values["scale"] or 0,
        device=values["device"] or "",
        mobile=_SAID[values["mobile"]],
        touch=_SAID[values["touch"]],
        timeout_s=context.left_s,
    )
    snapshot = await look_at(session.state, {}, context.left_s)
    context.keep(session)
    return Result(lines(screen_line(screen), whole_report(session.state, snapshot)), snapshot)
