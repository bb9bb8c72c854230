"""Snapshots: what is asked for, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perception.browser.page.navigation import Settled
from perception.engine.request import SnapshotOptions
from perception.errors import BadInputError
from perception.geometry import Point
from perception.render.token_budget import MIN_TOKENS, check_budget
from perception.render.untrusted import PAIR_TOKENS, room_within
from perception.search.find import Question
from perception.server.convert.enums import decode_enum, enum_members
from perception.server.convert.message_fields import (
    duration_message,
    require_within,
    seconds_of,
    skipped_messages,
    timing_messages,
)
from perception.server.convert.targets import decode_target
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.snapshot import Snapshot
from perception.types import Engine, Mode, Scope, Scroll, TextStyle, View, Viewport
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

DEFAULT_MATCHES = 10
"""Elements that FindElements returns where the request names no limit."""

MAX_QUERY = 1000
"""Characters of a query or name: longer ones do not describe one element."""

MAX_PAGE_DIGITS = 6
"""Most digits of the number of a snapshot's page."""

PLAIN = SnapshotOptions()
"""How a session looks whose client gave no defaults."""

_MODES = {perception_pb.MODE_UNSPECIFIED: Mode.FUSED} | enum_members(perception_pb.Mode, Mode)
_ENGINES = {perception_pb.ENGINE_UNSPECIFIED: Engine.WALKER} | enum_members(perception_pb.Engine, Engine)
_SCOPES = {perception_pb.SCOPE_UNSPECIFIED: Scope.VIEWPORT} | enum_members(perception_pb.Scope, Scope)
_VIEWS = {perception_pb.VIEW_UNSPECIFIED: View.FULL} | enum_members(perception_pb.View, View)
_STYLES = {perception_pb.TEXT_STYLE_UNSPECIFIED: TextStyle.ROLE_REF} | enum_members(perception_pb.TextStyle, TextStyle)


def decode_mode(options: perception_pb.SnapshotOptions, defaults: SnapshotOptions = PLAIN) -> Mode:
    """The mode that the options name, else that of the defaults."""
    return decode_enum(_MODES, options.mode, "options.mode") if options.mode else defaults.mode


def snapshot_options(
    options: perception_pb.SnapshotOptions,
    snapshots: KeptSnapshots,
    detectors: tuple[str, ...],
    *,
    with_pixels: bool = False,
    scope: Scope | None = None,
    view: View | None = None,
) -> SnapshotOptions:
    """What the options ask for; what they leave unset is that of the session's defaults.

    Args:
        snapshots: those that a root's coordinate may be read from.
        detectors: to run.
        scope, view: in place of the defaults', where the options name none. Of a root everything is listed.

    Raises:
        BadInputError: this version does not serve it.
        UnknownSnapshotError: the root is from a snapshot that is not kept.
    """
    defaults = snapshots.defaults or PLAIN
    max_tokens = room_within(options.max_tokens, MIN_TOKENS, field="options.max_tokens")
    check_budget(max_tokens)
    if options.HasField("root"):
        scope = Scope.PAGE
    return SnapshotOptions(
        mode=decode_mode(options, defaults),
        engine=decode_enum(_ENGINES, options.engine, "options.engine") if options.engine else defaults.engine,
        scope=decode_enum(_SCOPES, options.scope, "options.scope") if options.scope else scope or defaults.scope,
        view=decode_enum(_VIEWS, options.view, "options.view") if options.view else view or defaults.view,
        style=decode_enum(_STYLES, options.style, "options.style") if options.style else defaults.style,
        max_tokens=max_tokens or defaults.max_tokens,
        detectors=detectors,
        with_pixels=with_pixels,
        reveal=options.reveal_sensitive,
        settle_s=seconds_of(options, "settle_timeout", defaults.settle_s, within="options."),
        selectors=options.include_selectors or defaults.selectors,
        boxes=options.include_boxes or defaults.boxes,
        verify=options.verify or defaults.verify,
        root=decode_target(options.root, snapshots) if options.HasField("root") else None,
    )


def defaults_message(defaults: SnapshotOptions) -> perception_pb.SnapshotOptions:
    """The defaults of a session, as its client may give them."""
    return perception_pb.SnapshotOptions(
        mode=_key_of(_MODES, defaults.mode),
        engine=_key_of(_ENGINES, defaults.engine),
        scope=_key_of(_SCOPES, defaults.scope),
        view=_key_of(_VIEWS, defaults.view),
        style=_key_of(_STYLES, defaults.style),
        max_tokens=defaults.max_tokens + PAIR_TOKENS if defaults.max_tokens else 0,
        detectors=defaults.detectors,
        settle_timeout=duration_message(defaults.settle_s),
        include_selectors=defaults.selectors,
        include_boxes=defaults.boxes,
        verify=defaults.verify,
    )


def _key_of(names: Mapping[Any, Any], value: object) -> Any:
    """The wire's last name of a value: the first is that of an unset field."""
    return [key for key, each in names.items() if each is value][-1]


def check_defaults(defaults: perception_pb.SnapshotOptions) -> None:
    """Raises BadInputError for an option that can be no default."""
    for field, why in (("root", "a part of one page"), ("reveal_sensitive", "a choice for each look")):
        if getattr(defaults, field) and (field != "root" or defaults.HasField("root")):
            raise BadInputError(
                f"snapshot_defaults.{field} is {why}: give it with the look", field=f"options.snapshot_defaults.{field}"
            )


def decode_cursor(cursor: str) -> tuple[str, int]:
    """The snapshot's id and the number of its page in a cursor such as `s3.1`. Raises BadInputError."""
    snapshot_id, _, page = cursor.partition(".")
    if not page.isdecimal() or len(page) > MAX_PAGE_DIGITS:
        raise BadInputError(f"{cursor[:40]!r} is not a cursor: use the next_cursor of a snapshot", field="cursor")
    return snapshot_id, int(page)


def find_question(request: perception_pb.FindElementsRequest) -> Question:
    """What is looked for.

    Raises:
        BadInputError: nothing is, or it cannot be.
    """
    if request.limit < 0:
        raise BadInputError(f"limit is {request.limit}: give how many elements at most, or 0 for ten", field="limit")
    for field in ("query", "role", "name", "text"):
        if len(getattr(request, field)) > MAX_QUERY:
            raise BadInputError(f"{field} is longer than {MAX_QUERY} characters: describe one element", field=field)
    parts = {field: getattr(request, field).strip() for field in ("query", "role", "name", "text")}
    if not any(parts.values()) and not request.HasField("at"):
        raise BadInputError("nothing to look for: give a query, role, name, text or point", field="query")
    return Question(**parts, limit=request.limit or DEFAULT_MATCHES)


def find_point(request: perception_pb.FindElementsRequest) -> Point | None:
    """The point that is asked about, CSS px of the viewport; None for none."""
    return Point(request.at.x, request.at.y) if request.HasField("at") else None


def jpeg_quality(request: perception_pb.CaptureScreenshotRequest) -> int:
    """1 to 100; 0 for a PNG. Raises BadInputError."""
    if request.format != perception_pb.IMAGE_FORMAT_JPEG:
        return 0
    require_within(request.quality, 0, 100, "quality")
    return request.quality or 80


def annotated_options(request: perception_pb.CaptureScreenshotRequest) -> perception_pb.SnapshotOptions:
    """The options of an annotated screenshot: by default what can be acted on."""
    options = request.options
    if not request.HasField("options"):
        options = perception_pb.SnapshotOptions(view=perception_pb.VIEW_INTERACTIVE)
    if request.reveal_sensitive and not options.reveal_sensitive:
        options = _copy(options)
        options.reveal_sensitive = True
    return options


def _copy(options: perception_pb.SnapshotOptions) -> perception_pb.SnapshotOptions:
    copied = perception_pb.SnapshotOptions()
    copied.CopyFrom(options)
    return copied


def snapshot_message(snapshot: Snapshot, tab_id: str) -> pb.Snapshot:
    """Without its elements and text: those depend on the page of it that is served."""
    return pb.Snapshot(
        snapshot_id=snapshot.snapshot_id,
        url=snapshot.url,
        title=snapshot.title,
        viewport=viewport_message(snapshot.viewport),
        scroll=scroll_message(snapshot.scroll),
        skipped=skipped_messages(snapshot.skipped),
        timings=timing_messages(snapshot.timings_ms),
        tab_id=tab_id,
        torn=snapshot.torn,
        settle=settle_message(Settled(snapshot.pending, snapshot.waited_s, snapshot.background)),
        page_visible=snapshot.page_visible,
        notes=snapshot.notes,
    )


def viewport_message(viewport: Viewport) -> pb.Viewport:
    return pb.Viewport(width=viewport.width, height=viewport.height, device_scale_factor=viewport.scale)


def scroll_message(scroll: Scroll) -> pb.Scroll:
    return pb.Scroll(x=scroll.x, y=scroll.y, page_width=scroll.page_width, page_height=scroll.page_height)


def settle_message(settled: Settled) -> pb.Settle:
    verdict = pb.Settle.VERDICT_PENDING if settled.pending else pb.Settle.VERDICT_SETTLED
    return pb.Settle(
        verdict=verdict,
        pending=settled.pending,
        waited_milliseconds=settled.waited_s * 1000,
        background=settled.background,
    )
