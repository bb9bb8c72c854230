"""The tool for the screen of a session."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from perception.errors import BadInputError
from perception.interaction.answers import Answer, lines
from perception.interaction.batch import NamedStep, run_steps
from perception.interaction.report import screen_line
from perception.interaction.step import Step
from perception.interaction.steps import prepare_step, step_words
from perception.tools.arguments import AsChoice, InSession, Target, Text
from perception.tools.tool import ACTS, Call, Tool


class DevicesArguments(InSession):
    device: Text | None = None
    """such as iPhone 15"""
    width: Annotated[int | None, Field(ge=1, le=8192)] = None
    height: Annotated[int | None, Field(ge=1, le=8192)] = None
    """CSS px"""
    scale: Annotated[float | None, Field(gt=0, le=8, allow_inf_nan=False)] = None
    mobile: bool | None = None
    """lay pages out as on a phone"""
    touch: bool | None = None
    tap: Target | None = None
    """touch this afterwards"""
    hold: Annotated[float | None, Field(ge=0, le=10, allow_inf_nan=False)] = None
    """seconds, for tap"""
    clipboard: Annotated[Literal["read"] | None, AsChoice] = None
    copy_text: Text | None = None
    """onto the session's clipboard, to be pasted by Control+V"""


async def devices(call: Call, given: DevicesArguments) -> Answer:
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


async def _use_clipboard(call: Call, given: DevicesArguments) -> str:
    """What the clipboard has, or has taken; empty where nothing is asked."""
    if given.copy_text is None and given.clipboard is None:
        return ""
    state = call.connection.session(given.session)
    if given.copy_text is not None:
        await state.page.write_clipboard(given.copy_text, timeout_s=call.timeout_s)
        return "the text is on the clipboard"
    content = await state.page.read_clipboard(timeout_s=call.timeout_s)
    return state.fence.around(content.text) or "the clipboard is empty"


async def _set_screen(call: Call, given: DevicesArguments) -> str:
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


TOOLS = (
    Tool(
        "devices",
        "Sets the screen of your session: a device by name, or its size. Opened with a device, a session also calls "
        "itself so.",
        DevicesArguments,
        devices,
        ACTS,
        is_default=False,
    ),
)
