"""Between the wire's messages and the project's values. Nothing is decided here."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from perception.browser.dialogs import Dialog
from perception.browser.downloads import Download, DownloadState
from perception.browser.navigate import Settled, WaitUntil
from perception.browser.policy import MAX_ORIGINS, Origin
from perception.browser.session import DEFAULT_VIEWPORT, SessionOptions, Tab
from perception.diff import Diff
from perception.errors import BadInputError
from perception.render.changes import ChangeText
from perception.render.select import depths
from perception.server.sessions import Lifetime, Session
from perception.server.settings import Settings
from perception.types import (
    Element,
    Engine,
    Mode,
    Reach,
    Scope,
    Scroll,
    Skipped,
    Snapshot,
    Source,
    TextStyle,
    View,
    Viewport,
)
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

Number = TypeVar("Number", bound=int)
Value = TypeVar("Value")

MAX_VIEWPORT_PX = 8192
"""Device pixels a side: what Chromium's software compositor still paints as one surface."""

MAX_DURATION_SECONDS = 315_576_000_000
"""Ten thousand years, as google.protobuf.Duration has it."""

MAX_STRING = 10_000
"""Characters of a name, value or text: one element must not fill an answer. Content as a whole is for reading rpcs."""

MIN_VIEWPORT_PX = 16
"""CSS px a side: in a smaller one Chromium paints no frame, and a screenshot never comes (1 x 1, Chromium 156)."""

_SOURCES = {
    Source.AX: pb.SOURCE_AX,
    Source.DOM: pb.SOURCE_DOM,
    Source.OCR: pb.SOURCE_OCR,
    Source.DETECTOR: pb.SOURCE_DETECTOR,
}
_REACHES = {
    Reach.UNSAID: pb.REACH_UNSPECIFIED,
    Reach.NOW: pb.REACH_NOW,
    Reach.COVERED: pb.REACH_COVERED,
    Reach.SCROLL: pb.REACH_SCROLL,
    Reach.NEVER: pb.REACH_NEVER,
}
MODES = {
    perception_pb.MODE_UNSPECIFIED: Mode.FUSED,
    perception_pb.MODE_TEXT: Mode.TEXT,
    perception_pb.MODE_FUSED: Mode.FUSED,
    perception_pb.MODE_VISION: Mode.VISION,
}
ENGINES = {
    perception_pb.ENGINE_UNSPECIFIED: Engine.WALKER,
    perception_pb.ENGINE_WALKER: Engine.WALKER,
    perception_pb.ENGINE_AX: Engine.AX,
}
SCOPES = {
    perception_pb.SCOPE_UNSPECIFIED: Scope.VIEWPORT,
    perception_pb.SCOPE_VIEWPORT: Scope.VIEWPORT,
    perception_pb.SCOPE_PAGE: Scope.PAGE,
}
VIEWS = {
    perception_pb.VIEW_UNSPECIFIED: View.FULL,
    perception_pb.VIEW_FULL: View.FULL,
    perception_pb.VIEW_INTERACTIVE: View.INTERACTIVE,
    perception_pb.VIEW_DIGEST: View.DIGEST,
}
STYLES = {
    perception_pb.TEXT_STYLE_UNSPECIFIED: TextStyle.ROLE_REF,
    perception_pb.TEXT_STYLE_ROLE_REF: TextStyle.ROLE_REF,
    perception_pb.TEXT_STYLE_COMPACT: TextStyle.COMPACT,
}
WAITS = {
    session_pb.WAIT_UNTIL_UNSPECIFIED: WaitUntil.SETTLED,
    session_pb.WAIT_UNTIL_SETTLED: WaitUntil.SETTLED,
    session_pb.WAIT_UNTIL_COMMIT: WaitUntil.COMMIT,
    session_pb.WAIT_UNTIL_DOM_CONTENT_LOADED: WaitUntil.DOM_CONTENT_LOADED,
    session_pb.WAIT_UNTIL_LOAD: WaitUntil.LOAD,
}
_DIALOG_KINDS = {
    "alert": pb.Dialog.KIND_ALERT,
    "confirm": pb.Dialog.KIND_CONFIRM,
    "prompt": pb.Dialog.KIND_PROMPT,
    "beforeunload": pb.Dialog.KIND_BEFORE_UNLOAD,
}
_DOWNLOAD_STATES = {
    DownloadState.IN_PROGRESS: pb.Download.STATE_IN_PROGRESS,
    DownloadState.COMPLETED: pb.Download.STATE_COMPLETED,
    DownloadState.FAILED: pb.Download.STATE_FAILED,
}
_SCHEMES = {
    session_pb.COLOR_SCHEME_UNSPECIFIED: "",
    session_pb.COLOR_SCHEME_LIGHT: "light",
    session_pb.COLOR_SCHEME_DARK: "dark",
}


def seconds_of(message: Message, name: str, default: float = 0.0, *, within: str = "") -> float:
    """A Duration field in seconds, `default` where it is absent.

    Args:
        within: how the request calls the message, with a dot after it.

    Raises:
        BadInputError: it is negative, or none that a Duration may say.
    """
    if not message.HasField(name):
        return default
    given = getattr(message, name)
    seconds = given.seconds + given.nanos / 1e9
    if not 0 <= seconds <= MAX_DURATION_SECONDS or not 0 <= given.nanos < 10**9:
        raise BadInputError(f"{name} is {seconds:g} s: give 0 or more, or leave it out", field=within + name)
    return float(seconds)


def skipped_messages(skipped: Iterable[Skipped]) -> list[pb.Skipped]:
    return [pb.Skipped(name=each.name, reason=each.reason) for each in skipped]


def session_options(message: session_pb.SessionOptions) -> SessionOptions:
    """Raises BadInputError for a viewport that no browser has, or for options this version does not serve."""
    viewport = DEFAULT_VIEWPORT
    if message.HasField("viewport"):
        given = message.viewport
        viewport = Viewport(given.width, given.height, given.device_scale_factor or 1.0)
        longest = max(viewport.width, viewport.height) * viewport.scale
        if (
            min(viewport.width, viewport.height) < MIN_VIEWPORT_PX
            or not 0.25 <= viewport.scale <= 8
            or longest > MAX_VIEWPORT_PX
        ):
            raise BadInputError(
                f"a viewport of {given.width} x {given.height} at scale {viewport.scale:g} cannot be shown: "
                f"use {MIN_VIEWPORT_PX} to {MAX_VIEWPORT_PX} device pixels a side and a scale of 0.25 to 8",
                field="options.viewport",
            )
    return SessionOptions(
        viewport,
        message.locale,
        message.timezone,
        known(_SCHEMES, message.color_scheme, "options.color_scheme"),
        allow_evaluate=message.allow_evaluate,
        dedicated_browser=message.dedicated_browser,
        allowed_origins=_origins(message.allowed_origins),
    )


def _origins(texts: Sequence[str]) -> tuple[Origin, ...]:
    if len(texts) > MAX_ORIGINS:
        raise BadInputError(
            f"{len(texts)} origins are more than the {MAX_ORIGINS} that a session takes: use https://*.NAME for many",
            field="options.allowed_origins",
        )
    origins = []
    for index, text in enumerate(texts):
        try:
            origins.append(Origin.parse(text))
        except ValueError as exc:
            raise BadInputError(
                f"{text[:100]!r} is no origin: {exc}, as in https://shop.example:8443 or https://*.example.org",
                field=f"options.allowed_origins[{index}]",
            ) from exc
    return tuple(origins)


def lifetime_of(message: session_pb.SessionOptions, settings: Settings) -> Lifetime:
    """Raises BadInputError for an idle timeout that is none, or longer than the service's own."""
    most = settings.session_idle_s
    idle_s = seconds_of(message, "idle_timeout", most, within="options.")
    if not 0 < idle_s <= most:
        raise BadInputError(
            f"options.idle_timeout is {idle_s:g} s: give more than 0, up to this service's {most:g} s, or leave it out",
            field="options.idle_timeout",
        )
    return Lifetime(idle_s, settings.session_age_s)


def known(table: Mapping[Number, Value], value: Number, field: str) -> Value:
    """What an enum's number means here. Raises BadInputError for a number of another version."""
    if value not in table:
        raise BadInputError(f"{field} {value} is not known to this version", field=field)
    return table[value]


def session_message(session: Session, tabs: Sequence[pb.Tab]) -> session_pb.Session:
    return session_pb.Session(
        session_id=session.session_id,
        tabs=tabs,
        create_time=_timestamp(session.lifetime.created_s),
        last_used_time=_timestamp(session.lifetime.used_s),
        expire_time=_timestamp(time.time() + session.lifetime.remaining_s),
        options=session_pb.SessionOptions(
            viewport=viewport_message(session.options.viewport),
            locale=session.options.locale,
            timezone=session.options.timezone,
            color_scheme=next(key for key, value in _SCHEMES.items() if value == session.options.color_scheme),
            idle_timeout=_duration(session.lifetime.idle_s),
            allow_evaluate=session.options.allow_evaluate,
            dedicated_browser=session.options.dedicated_browser,
            allowed_origins=[origin.text for origin in session.options.allowed_origins],
        ),
        dialogs=dialog_messages(session.browser.tabs),
        downloads=[download_message(each) for each in session.browser.downloads.since(0)],
    )


def dialog_messages(tabs: Iterable[Tab]) -> list[pb.Dialog]:
    """Those that are open."""
    return [dialog_message(tab.tab_id, tab.link.dialogs.open) for tab in tabs if tab.link.dialogs.open is not None]


def dialog_message(tab_id: str, dialog: Dialog) -> pb.Dialog:
    return pb.Dialog(
        dialog_id=f"{tab_id}.d{dialog.number}",
        tab_id=tab_id,
        kind=_DIALOG_KINDS[dialog.kind],
        message=_cut(dialog.message),
        default_value=_cut(dialog.default_value),
    )


def download_message(download: Download) -> pb.Download:
    return pb.Download(
        path=str(download.path or ""),
        url=_cut(download.url),
        size_bytes=download.size_bytes,
        name=download.name,
        state=_DOWNLOAD_STATES[download.state],
        failure=download.failure,
    )


def element_messages(elements: Sequence[Element], indices: Iterable[int] | None = None) -> list[pb.Element]:
    """Those at the indices, all without any."""
    depth = depths(elements)
    return [_element(elements[index], depth[index]) for index in (range(len(depth)) if indices is None else indices)]


def diff_message(since_snapshot_id: str, new: Sequence[Element], diff: Diff, text: ChangeText) -> pb.SnapshotDiff:
    """`new` is the list that the diff leads to."""
    messages = element_messages(new)
    return pb.SnapshotDiff(
        since_snapshot_id=since_snapshot_id,
        added=[messages[index] for index in diff.added],
        added_at=diff.added,
        changed=[
            pb.ElementChange(
                element=messages[change.index], fields=change.fields, index=change.index, from_index=change.from_index
            )
            for change in diff.changed
        ],
        removed_at=diff.removed,
        removed_refs=diff.removed_refs,
        text=text.text,
        token_count=text.token_count,
    )


def _element(element: Element, depth: int) -> pb.Element:
    box, point, left = element.box, element.click_point, element.scrollable
    return pb.Element(
        ref=element.ref,
        role=element.role,
        name=_cut(element.name),
        nth=element.nth,
        value=_cut(element.value),
        states=element.states,
        box=pb.Box(x=box.left, y=box.top, width=box.width, height=box.height),
        sources=[_SOURCES[source] for source in element.sources],
        confidence=element.confidence,
        text=_cut(element.text),
        backend_node_id=element.backend_node_id,
        frame=element.frame,
        in_viewport=element.in_viewport,
        reachable=element.reachable,
        covered_by=element.blocker,
        visible=element.visible,
        selector=element.selector,
        click_point=pb.Point(x=point.x, y=point.y) if point else None,
        depth=depth,
        hint=element.hint,
        unseen_text=bool(element.name) and not element.visible,
        reach=_REACHES[element.reach],
        scrollable=pb.Scrollable(up=left.up, down=left.down, left=left.left, right=left.right) if left else None,
        options=[_cut(option) for option in element.options],
    )


def _cut(text: str) -> str:
    return text if len(text) <= MAX_STRING else text[: MAX_STRING - 1] + "…"


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
        settle=settle_message(Settled(snapshot.pending, snapshot.waited_s)),
        page_visible=snapshot.page_visible,
    )


def viewport_message(viewport: Viewport) -> pb.Viewport:
    return pb.Viewport(width=viewport.width, height=viewport.height, device_scale_factor=viewport.scale)


def scroll_message(scroll: Scroll) -> pb.Scroll:
    return pb.Scroll(x=scroll.x, y=scroll.y, page_width=scroll.page_width, page_height=scroll.page_height)


def timing_messages(timings_ms: Mapping[str, float]) -> list[pb.Timing]:
    return [pb.Timing(stage=stage, milliseconds=round(spent, 3)) for stage, spent in timings_ms.items()]


def settle_message(settled: Settled) -> pb.Settle:
    verdict = pb.Settle.VERDICT_PENDING if settled.pending else pb.Settle.VERDICT_SETTLED
    return pb.Settle(verdict=verdict, pending=settled.pending, waited_milliseconds=settled.waited_s * 1000)


def _duration(seconds: float) -> Duration:
    message = Duration()
    message.FromTimedelta(timedelta(seconds=seconds))
    return message


def _timestamp(seconds: float) -> Timestamp:
    return Timestamp(seconds=int(seconds), nanos=int(seconds % 1 * 1e9))
