"""What the client's methods take by keyword, for editors and type checkers. See docs/wire.md.

Made from proto/ by .ci/client_fields.py. Not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, TypedDict

from google.protobuf.message import Message

from perception.client import choices
from perception.client.message_fields import TargetLike
from perception.client.requests import StateLike
from perception.v1 import types_pb2 as pb

ColorScheme = choices.ColorScheme | int
ConsoleMessageLevel = choices.ConsoleMessageLevel | int
Engine = choices.Engine | int
EvaluateRequestEngine = choices.EvaluateRequestEngine | int
HumanControl = choices.HumanControl | int
Mode = choices.Mode | int
Modifier = choices.Modifier | int
MouseButton = choices.MouseButton | int
Paper = choices.Paper | int
Scope = choices.Scope | int
TextPosition = choices.TextPosition | int
TextStyle = choices.TextStyle | int
VideoFormat = choices.VideoFormat | int
View = choices.View | int


class ActionFields(TypedDict, total=False):
    """Of any action."""

    diff_max_tokens: int | None
    request_id: str | None
    settle_timeout: float | timedelta | None
    skip_diff: bool | None
    tab_id: str | None


class SnapshotFields(TypedDict, total=False):
    """How to look."""

    detectors: Sequence[str] | None
    engine: Engine | None
    include_boxes: bool | None
    include_selectors: bool | None
    max_tokens: int | None
    mode: Mode | None
    reveal_sensitive: bool | None
    root: TargetLike | None
    scope: Scope | None
    settle_timeout: float | timedelta | None
    style: TextStyle | None
    tab_id: str | None
    verify: bool | None
    view: View | None


class SessionFields(TypedDict, total=False):
    """Of a new session."""

    allow_evaluate: bool | None
    allowed_origins: Sequence[str] | None
    color_scheme: ColorScheme | None
    conditions: Mapping[str, Any] | Message | None
    dedicated_browser: bool | None
    device: str | None
    human_control: HumanControl | None
    idle_timeout: float | timedelta | None
    keep_call_pictures: bool | None
    locale: str | None
    mobile: bool | None
    network_rules: Sequence[Mapping[str, Any] | Message] | None
    no_look_ahead: bool | None
    page_tool_origins: Sequence[str] | None
    profile: str | None
    profile_read_only: bool | None
    record_console: bool | None
    record_network: bool | None
    snapshot_defaults: Mapping[str, Any] | Message | None
    state: StateLike | None
    timezone: str | None
    touch: bool | None
    upstream_proxy: str | Mapping[str, Any] | Message | None
    user_agent: Mapping[str, Any] | Message | None
    video: Mapping[str, Any] | Message | None
    viewport: tuple[int, int] | tuple[int, int, float] | Mapping[str, Any] | pb.Viewport | None


class ConditionsFields(TypedDict, total=False):
    """What pages meet."""

    cpu_slowdown: float | None
    geolocation: Mapping[str, Any] | Message | None
    media: Mapping[str, Any] | Message | None
    network: Mapping[str, Any] | Message | None
    permissions: Sequence[Mapping[str, Any] | Message] | None


class PdfFields(TypedDict, total=False):
    """How to print; lengths in mm."""

    background: bool | None
    landscape: bool | None
    margins: float | tuple[float, float, float, float] | None
    page_ranges: str | None
    paper: Paper | None
    paper_size: tuple[float, float] | None
    prefer_css_page_size: bool | None
    scale: float | None


class VideoFields(TypedDict, total=False):
    """How to film."""

    format: VideoFormat | None
    max_bytes: int | None
    max_duration: float | timedelta | None
    max_fps: float | None
    max_height: int | None
    max_width: int | None


class FrameFields(TypedDict, total=False):
    """How to watch."""

    lease_id: str | None
    max_fps: float | None
    max_height: int | None
    max_width: int | None
    quality: int | None
    tab_id: str | None


class EvaluateFields(TypedDict, total=False):
    """Of a script."""

    await_promise: bool | None
    engine: EvaluateRequestEngine | None
    request_id: str | None
    tab_id: str | None
    timeout: float | timedelta | None


class InteractablesFields(TypedDict, total=False):
    """Of a list of interactables."""

    page_size: int | None
    settle_timeout: float | timedelta | None
    tab_id: str | None


class StepFields(TypedDict, total=False):
    """Of any step of a batch."""

    timeout: float | timedelta | None
    may_navigate: bool | None
