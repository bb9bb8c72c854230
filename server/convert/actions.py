"""Actions: what is asked for, and what an action did."""

from __future__ import annotations

import math
from collections.abc import Sequence

from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value

from perception.browser.evaluate.evaluator import EvaluateEngine, Script
from perception.browser.input.text_entry import TextPosition
from perception.browser.page.navigation import Settled
from perception.browser.traffic.request_facts import RequestFacts
from perception.browser.traffic.request_log import RequestLog
from perception.errors import BadInputError
from perception.render.token_budget import MIN_TOKENS
from perception.render.untrusted import Fence, room_within
from perception.server.actions.action_context import DIFF_SETTLE_SECONDS, DIFF_TOKENS, AnswerOptions
from perception.server.actions.effects import ActionEffects
from perception.server.actions.pointer import ClickOptions, Scrolled
from perception.server.actions.scripts import ScriptOutcome
from perception.server.actions.upload import FileContent
from perception.server.actions.waiting import Condition, ElementGone, ElementShown, PageSettled, TextShown, UrlShown
from perception.server.convert.elements import diff_message
from perception.server.convert.enums import decode_enum, enum_members, enum_numbers, enum_words
from perception.server.convert.message_fields import require_within, seconds_of, timing_messages
from perception.server.convert.network import request_message
from perception.server.convert.responses import check_response, decode_response
from perception.server.convert.sessions import (
    dialog_message,
    download_message,
    file_chooser_message,
    tab_message,
)
from perception.server.convert.snapshots import scroll_message, settle_message
from perception.server.convert.targets import decode_target
from perception.server.sessions.session import Session
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2

_BUTTONS = {pb.MOUSE_BUTTON_UNSPECIFIED: "left"} | enum_words(pb.MouseButton)
_MODIFIERS = {number: word.title() for number, word in enum_words(pb.Modifier).items()}
_POSITIONS = {pb.TEXT_POSITION_UNSPECIFIED: None} | enum_members(pb.TextPosition, TextPosition)
_ENGINES = {pb.EvaluateRequest.ENGINE_UNSPECIFIED: EvaluateEngine.AUTO} | enum_members(
    pb.EvaluateRequest.Engine, EvaluateEngine
)
_USED_ENGINES = enum_numbers(pb.EvaluateRequest.Engine, EvaluateEngine)
MAX_CLICKS = 3
"""A triple click is the most that means anything to a browser."""

MAX_HOLD_SECONDS = 10.0
"""How long a finger or button stays at most: pages take half a second for a long press."""

MAX_WHEEL = 100_000
"""CSS px in one call; a page is scrolled further by several."""

MAX_SCRIPT = 1_000_000
"""Characters; a library is larger than what is meant to be run for one answer."""


def answer_options(options: pb.ActionOptions, settle_s: float = DIFF_SETTLE_SECONDS) -> AnswerOptions:
    """What an answer says. `settle_s`: how long its diff waits unless the caller says. Raises BadInputError."""
    return AnswerOptions(
        with_diff=not options.skip_diff,
        settle_s=seconds_of(options, "settle_timeout", settle_s, within="action_options."),
        diff_tokens=_diff_tokens(options),
        always_settles=options.HasField("settle_timeout"),
    )


def _diff_tokens(options: pb.ActionOptions) -> int:
    """Limit for the text of an answer's diff without the lines that mark it; 0 for none. Raises BadInputError."""
    field = "action_options.diff_max_tokens"
    given = options.diff_max_tokens if options.HasField("diff_max_tokens") else DIFF_TOKENS
    if given < 0:
        raise BadInputError(f"{field} is negative: use 0 for no limit", field=field)
    return room_within(given, MIN_TOKENS, field=field)


def click_options(request: pb.ClickRequest) -> ClickOptions:
    """Raises BadInputError for what no mouse does."""
    require_within(request.click_count, 0, MAX_CLICKS, "click_count")
    modifiers = tuple(decode_enum(_MODIFIERS, key, "modifiers") for key in request.modifiers)
    return ClickOptions(
        button=decode_enum(_BUTTONS, request.button, "button"),
        count=request.click_count or 1,
        modifiers=modifiers,
        checked=request.checked if request.HasField("checked") else None,
        hold_s=hold_seconds(request),
    )


def hold_seconds(request: pb.ClickRequest | pb.TapRequest) -> float:
    """How long the button or the finger stays down, s; 0 for a short press.

    Raises:
        BadInputError: it is too long, or negative.
    """
    hold_s = seconds_of(request, "hold", 0.0)
    require_within(hold_s, 0, MAX_HOLD_SECONDS, "hold", unit=" s")
    return hold_s


def text_position(request: pb.TypeTextRequest) -> TextPosition | None:
    """Where in the existing text; None where the request leaves it open."""
    return decode_enum(_POSITIONS, request.position, "position")


def check_scroll(request: pb.ScrollRequest) -> None:
    """Raises BadInputError for a delta that is too large, or where there is nothing to do."""
    if not (abs(request.delta_x) <= MAX_WHEEL and abs(request.delta_y) <= MAX_WHEEL):
        raise BadInputError(f"a delta is over {MAX_WHEEL} CSS px: scroll in several steps", field="delta_y")
    if not (request.delta_x or request.delta_y) and not request.HasField("target"):
        raise BadInputError("nothing to do: give a delta, or a target to bring into view", field="target")


def check_condition(request: pb.WaitForRequest) -> None:
    """Raises BadInputError for a condition that says nothing."""
    kind = request.WhichOneof("condition")
    if kind is None:
        raise BadInputError(
            "nothing to wait for: give element, text, url, vanished, settled or response", field="condition"
        )
    if kind == "response":
        check_response(request.response)
    if kind in ("text", "url") and not getattr(request, kind).strip():
        raise BadInputError(f"{kind} is empty: say what to wait for", field=kind)
    if kind == "settled" and not request.settled:
        raise BadInputError("settled is false: give true, or another condition", field="settled")


def decode_condition(request: pb.WaitForRequest, session: Session) -> Condition:
    """The condition of a request that was checked. Raises as `decode_target` and `decode_response`."""
    snapshots = session.shown.snapshots
    match request.WhichOneof("condition"):
        case "element":
            return ElementShown(decode_target(request.element, snapshots))
        case "vanished":
            return ElementGone(decode_target(request.vanished, snapshots))
        case "text":
            return TextShown(request.text)
        case "url":
            return UrlShown(request.url)
        case "response":
            return decode_response(request.response, session)
    return PageSettled()


def file_contents(files: Sequence[pb.FileContent]) -> list[FileContent]:
    return [FileContent(each.name, each.content) for each in files]


def script_of(request: pb.EvaluateRequest) -> Script:
    """Raises BadInputError for what cannot be run on any page."""
    if not request.expression.strip() or len(request.expression) > MAX_SCRIPT:
        raise BadInputError(
            f"expression is empty or over {MAX_SCRIPT} characters: give a script, a long one in parts",
            field="expression",
        )
    engine = decode_enum(_ENGINES, request.engine, "engine")
    timeout_s = seconds_of(request, "timeout", math.inf)
    if timeout_s <= 0:
        raise BadInputError(f"timeout is {timeout_s:g} s: give more than 0, or leave it out", field="timeout")
    return Script(request.expression, timeout_s, await_promise=request.await_promise, engine=engine)


def action_result(effects: ActionEffects, fence: Fence) -> pb.ActionResult:
    """What an action did. `fence` marks the page's words."""
    point = effects.point
    return pb.ActionResult(
        tab_id=effects.tab_id,
        url=effects.url,
        navigated=effects.navigated,
        same_document=effects.same_document,
        point=types_pb2.Point(x=point.x, y=point.y) if point else None,
        new_tabs=[tab_message(each) for each in effects.new_tabs],
        dialogs=[dialog_message(each.tab_id, each.dialog) for each in effects.dialogs],
        file_choosers=[file_chooser_message(each.tab_id, each.chooser) for each in effects.file_choosers],
        downloads=[download_message(each) for each in effects.downloads],
        console_errors=effects.console_errors,
        notes=[fence.mark(note) for note in effects.notes],
        timings=timing_messages(effects.timings_ms),
        snapshot_id=effects.snapshot_id,
        diff=diff_message(effects.changes, fence) if effects.changes is not None else None,
        settle=settle_message(effects.settled) if effects.settled is not None else None,
    )


def scroll_response(result: pb.ActionResult, scrolled: Scrolled | None) -> pb.ScrollResponse:
    """`scrolled` is None where a dialog interrupted it."""
    if scrolled is None:
        return pb.ScrollResponse(result=result)
    return pb.ScrollResponse(result=result, scroll=scroll_message(scrolled.scroll), moved=scrolled.moved)


def wait_response(
    result: pb.ActionResult, found: Settled | RequestFacts | None, log: RequestLog | None
) -> pb.WaitForResponse:
    """What was waited for: how the page came to rest, a response, or neither."""
    message = pb.WaitForResponse(result=result)
    if isinstance(found, Settled):
        message.settle.CopyFrom(settle_message(found))
    elif found is not None and log is not None:
        message.response.CopyFrom(request_message(found, log.tab_id_of(found.entry)))
    return message


def evaluate_response(outcome: ScriptOutcome) -> pb.EvaluateResponse:
    done = outcome.evaluated
    return pb.EvaluateResponse(
        value=ParseDict(done.value, Value()) if not done.exception else None,
        engine=_USED_ENGINES[done.engine],
        fallback_reason=done.fallback,
        exception=done.exception,
        exception_stack=done.stack,
        timings=timing_messages(outcome.timings_ms),
        dialogs=[dialog_message(outcome.tab_id, each) for each in done.dialogs],
        notes=outcome.notes,
    )
