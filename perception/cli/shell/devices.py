"""Commands for the screen of a session."""

from __future__ import annotations

from perception.cli.shell.context import Context
from perception.cli.shell.looking import whole_report
from perception.cli.shell.parsing import text_of
from perception.cli.shell.results import Result
from perception.errors import BadInputError
from perception.interaction.answers import lines
from perception.interaction.looks import look_at
from perception.interaction.report import screen_line


async def clipboard(context: Context) -> Result:
    """Reads or writes the clipboard of the session."""
    do, text = context.values["do"], context.values["text"]
    if (do == "write") == (text is None):
        raise BadInputError("clipboard: write needs a TEXT, and read takes none")
    session = context.session()
    if do == "write":
        given = text_of(text, "clipboard") if text == "-" else text
        await session.page.write_clipboard(given, timeout_s=context.left_s)
        return Result("written")
    content = await session.page.read_clipboard(timeout_s=context.left_s)
    return Result(session.state.fence.around(content.text) or "the clipboard is empty", content)


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
