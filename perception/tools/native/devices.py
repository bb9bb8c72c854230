"""The tool for the screen of a session."""

from __future__ import annotations

from typing import Any

from perception.errors import BadInputError
from perception.interaction.answers import Answer, lines
from perception.interaction.batch import NamedStep, run_steps
from perception.interaction.report import screen_line
from perception.interaction.steps import Step, prepare_step, step_words
from perception.tools.native import arguments as args
from perception.tools.tool import Call


async def devices(call: Call, given: args.DevicesArguments) -> Answer:
    """Sets the screen of the session, which is opened where there is none; then touches what is to be touched."""
    told = lines(await _set_screen(call, given), await _use_clipboard(call, given))
    if given.tap is None:
        if given.hold is not None:
            raise BadInputError("devices: hold is for tap: give what to touch", field="hold")
        return Answer(told or "nothing was changed: give a device, a size, mobile, touch, tap or clipboard")
    state = call.connection.session(given.session)
    step = Step("tap", given.tap, hold=given.hold)
    steps = [NamedStep(step_words(step), prepare_step(step, state))]
    outcome = await run_steps(state, steps, call.timeout_s, call.connection.names)
    return Answer(lines(told, outcome.text), is_error=not outcome.is_complete)


async def _use_clipboard(call: Call, given: args.DevicesArguments) -> str:
    """What the clipboard has, or has taken; empty where nothing is asked."""
    if given.copy_text is None and given.clipboard is None:
        return ""
    state = call.connection.session(given.session)
    if given.copy_text is not None:
        await state.page.write_clipboard(given.copy_text, timeout_s=call.timeout_s)
        return "the text is on the clipboard"
    content = await state.page.read_clipboard(timeout_s=call.timeout_s)
    return state.fence.around(content.text) or "the clipboard is empty"


async def _set_screen(call: Call, given: args.DevicesArguments) -> str:
    """The new screen in words; empty where nothing is to be changed."""
    asked = (given.device, given.width, given.height, given.scale, given.mobile, given.touch)
    if all(each is None for each in asked):
        return ""
    device = given.device or ""
    if not given.session and not call.connection.default:
        # A new session also calls itself by the device's name.
        options: dict[str, Any] = {"device": device} if device else {}
        state = await call.connection.session_or_new(None, **options)
    else:
        state = call.connection.session(given.session)
    screen = await state.page.set_viewport(
        given.width or 0,
        given.height or 0,
        given.scale or 0,
        device=device,
        mobile=given.mobile,
        touch=given.touch,
        timeout_s=call.timeout_s,
    )
    return screen_line(screen)
