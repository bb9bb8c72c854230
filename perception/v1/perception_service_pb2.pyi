import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MODE_UNSPECIFIED: _ClassVar[Mode]
    MODE_TEXT: _ClassVar[Mode]
    MODE_FUSED: _ClassVar[Mode]
    MODE_VISION: _ClassVar[Mode]

class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENGINE_UNSPECIFIED: _ClassVar[Engine]
    ENGINE_WALKER: _ClassVar[Engine]
    ENGINE_AX: _ClassVar[Engine]

class Scope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCOPE_UNSPECIFIED: _ClassVar[Scope]
    SCOPE_VIEWPORT: _ClassVar[Scope]
    SCOPE_PAGE: _ClassVar[Scope]

class View(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VIEW_UNSPECIFIED: _ClassVar[View]
    VIEW_FULL: _ClassVar[View]
    VIEW_INTERACTIVE: _ClassVar[View]
    VIEW_DIGEST: _ClassVar[View]

class TextStyle(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_STYLE_UNSPECIFIED: _ClassVar[TextStyle]
    TEXT_STYLE_ROLE_REF: _ClassVar[TextStyle]
    TEXT_STYLE_COMPACT: _ClassVar[TextStyle]

class ImageFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    IMAGE_FORMAT_UNSPECIFIED: _ClassVar[ImageFormat]
    IMAGE_FORMAT_PNG: _ClassVar[ImageFormat]
    IMAGE_FORMAT_JPEG: _ClassVar[ImageFormat]

class Stage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_UNSPECIFIED: _ClassVar[Stage]
    STAGE_WALK: _ClassVar[Stage]
    STAGE_PAINT: _ClassVar[Stage]
    STAGE_NAME: _ClassVar[Stage]
    STAGE_HIT_TEST: _ClassVar[Stage]
    STAGE_SCOPE: _ClassVar[Stage]
    STAGE_REF: _ClassVar[Stage]
    STAGE_RESIDUAL: _ClassVar[Stage]
    STAGE_DETECT: _ClassVar[Stage]
    STAGE_FUSE: _ClassVar[Stage]
    STAGE_VIEW: _ClassVar[Stage]
    STAGE_FOLD: _ClassVar[Stage]
    STAGE_BUDGET: _ClassVar[Stage]

class StageOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_OUTCOME_UNSPECIFIED: _ClassVar[StageOutcome]
    STAGE_OUTCOME_PASSED: _ClassVar[StageOutcome]
    STAGE_OUTCOME_CHANGED: _ClassVar[StageOutcome]
    STAGE_OUTCOME_DROPPED: _ClassVar[StageOutcome]
    STAGE_OUTCOME_SKIPPED: _ClassVar[StageOutcome]
MODE_UNSPECIFIED: Mode
MODE_TEXT: Mode
MODE_FUSED: Mode
MODE_VISION: Mode
ENGINE_UNSPECIFIED: Engine
ENGINE_WALKER: Engine
ENGINE_AX: Engine
SCOPE_UNSPECIFIED: Scope
SCOPE_VIEWPORT: Scope
SCOPE_PAGE: Scope
VIEW_UNSPECIFIED: View
VIEW_FULL: View
VIEW_INTERACTIVE: View
VIEW_DIGEST: View
TEXT_STYLE_UNSPECIFIED: TextStyle
TEXT_STYLE_ROLE_REF: TextStyle
TEXT_STYLE_COMPACT: TextStyle
IMAGE_FORMAT_UNSPECIFIED: ImageFormat
IMAGE_FORMAT_PNG: ImageFormat
IMAGE_FORMAT_JPEG: ImageFormat
STAGE_UNSPECIFIED: Stage
STAGE_WALK: Stage
STAGE_PAINT: Stage
STAGE_NAME: Stage
STAGE_HIT_TEST: Stage
STAGE_SCOPE: Stage
STAGE_REF: Stage
STAGE_RESIDUAL: Stage
STAGE_DETECT: Stage
STAGE_FUSE: Stage
STAGE_VIEW: Stage
STAGE_FOLD: Stage
STAGE_BUDGET: Stage
STAGE_OUTCOME_UNSPECIFIED: StageOutcome
STAGE_OUTCOME_PASSED: StageOutcome
STAGE_OUTCOME_CHANGED: StageOutcome
STAGE_OUTCOME_DROPPED: StageOutcome
STAGE_OUTCOME_SKIPPED: StageOutcome

class SnapshotOptions(_message.Message):
    __slots__ = ("mode", "engine", "scope", "view", "max_tokens", "detectors", "root", "include_selectors", "style", "settle_timeout", "reveal_sensitive", "include_boxes", "verify")
    MODE_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    DETECTORS_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SELECTORS_FIELD_NUMBER: _ClassVar[int]
    STYLE_FIELD_NUMBER: _ClassVar[int]
    SETTLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    REVEAL_SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_BOXES_FIELD_NUMBER: _ClassVar[int]
    VERIFY_FIELD_NUMBER: _ClassVar[int]
    mode: Mode
    engine: Engine
    scope: Scope
    view: View
    max_tokens: int
    detectors: _containers.RepeatedScalarFieldContainer[str]
    root: _types_pb2.Target
    include_selectors: bool
    style: TextStyle
    settle_timeout: _duration_pb2.Duration
    reveal_sensitive: bool
    include_boxes: bool
    verify: bool
    def __init__(self, mode: _Optional[_Union[Mode, str]] = ..., engine: _Optional[_Union[Engine, str]] = ..., scope: _Optional[_Union[Scope, str]] = ..., view: _Optional[_Union[View, str]] = ..., max_tokens: _Optional[int] = ..., detectors: _Optional[_Iterable[str]] = ..., root: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., include_selectors: bool = ..., style: _Optional[_Union[TextStyle, str]] = ..., settle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., reveal_sensitive: bool = ..., include_boxes: bool = ..., verify: bool = ...) -> None: ...

class CaptureSnapshotRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "options", "since_snapshot_id", "cursor", "include_screenshot", "include_annotated")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SINCE_SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SCREENSHOT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_ANNOTATED_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    options: SnapshotOptions
    since_snapshot_id: str
    cursor: str
    include_screenshot: bool
    include_annotated: bool
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., options: _Optional[_Union[SnapshotOptions, _Mapping]] = ..., since_snapshot_id: _Optional[str] = ..., cursor: _Optional[str] = ..., include_screenshot: bool = ..., include_annotated: bool = ...) -> None: ...

class CaptureSnapshotResponse(_message.Message):
    __slots__ = ("snapshot", "screenshot", "annotated")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    SCREENSHOT_FIELD_NUMBER: _ClassVar[int]
    ANNOTATED_FIELD_NUMBER: _ClassVar[int]
    snapshot: _types_pb2.Snapshot
    screenshot: _types_pb2.Image
    annotated: _types_pb2.Image
    def __init__(self, snapshot: _Optional[_Union[_types_pb2.Snapshot, _Mapping]] = ..., screenshot: _Optional[_Union[_types_pb2.Image, _Mapping]] = ..., annotated: _Optional[_Union[_types_pb2.Image, _Mapping]] = ...) -> None: ...

class WatchSnapshotsRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "options", "min_interval")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    MIN_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    options: SnapshotOptions
    min_interval: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., options: _Optional[_Union[SnapshotOptions, _Mapping]] = ..., min_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class WatchSnapshotsResponse(_message.Message):
    __slots__ = ("snapshot",)
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    snapshot: _types_pb2.Snapshot
    def __init__(self, snapshot: _Optional[_Union[_types_pb2.Snapshot, _Mapping]] = ...) -> None: ...

class CaptureScreenshotRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "format", "quality", "annotated", "options", "full_page", "reveal_sensitive")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    ANNOTATED_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FULL_PAGE_FIELD_NUMBER: _ClassVar[int]
    REVEAL_SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    format: ImageFormat
    quality: int
    annotated: bool
    options: SnapshotOptions
    full_page: bool
    reveal_sensitive: bool
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., format: _Optional[_Union[ImageFormat, str]] = ..., quality: _Optional[int] = ..., annotated: bool = ..., options: _Optional[_Union[SnapshotOptions, _Mapping]] = ..., full_page: bool = ..., reveal_sensitive: bool = ...) -> None: ...

class CaptureScreenshotResponse(_message.Message):
    __slots__ = ("image", "viewport", "scroll", "snapshot_id", "page_visible")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    SCROLL_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_VISIBLE_FIELD_NUMBER: _ClassVar[int]
    image: _types_pb2.Image
    viewport: _types_pb2.Viewport
    scroll: _types_pb2.Scroll
    snapshot_id: str
    page_visible: bool
    def __init__(self, image: _Optional[_Union[_types_pb2.Image, _Mapping]] = ..., viewport: _Optional[_Union[_types_pb2.Viewport, _Mapping]] = ..., scroll: _Optional[_Union[_types_pb2.Scroll, _Mapping]] = ..., snapshot_id: _Optional[str] = ..., page_visible: bool = ...) -> None: ...

class FindElementsRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "query", "role", "name", "text", "at", "limit", "options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    query: str
    role: str
    name: str
    text: str
    at: _types_pb2.Point
    limit: int
    options: SnapshotOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., query: _Optional[str] = ..., role: _Optional[str] = ..., name: _Optional[str] = ..., text: _Optional[str] = ..., at: _Optional[_Union[_types_pb2.Point, _Mapping]] = ..., limit: _Optional[int] = ..., options: _Optional[_Union[SnapshotOptions, _Mapping]] = ...) -> None: ...

class FindElementsResponse(_message.Message):
    __slots__ = ("matches", "snapshot_id")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[ElementMatch]
    snapshot_id: str
    def __init__(self, matches: _Optional[_Iterable[_Union[ElementMatch, _Mapping]]] = ..., snapshot_id: _Optional[str] = ...) -> None: ...

class ElementMatch(_message.Message):
    __slots__ = ("element", "score", "reason")
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    element: _types_pb2.Element
    score: float
    reason: str
    def __init__(self, element: _Optional[_Union[_types_pb2.Element, _Mapping]] = ..., score: _Optional[float] = ..., reason: _Optional[str] = ...) -> None: ...

class ExplainElementRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "text", "options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    text: str
    options: SnapshotOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., text: _Optional[str] = ..., options: _Optional[_Union[SnapshotOptions, _Mapping]] = ...) -> None: ...

class ExplainElementResponse(_message.Message):
    __slots__ = ("summary", "listed", "element", "stages")
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    LISTED_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    summary: str
    listed: bool
    element: _types_pb2.Element
    stages: _containers.RepeatedCompositeFieldContainer[ExplainStage]
    def __init__(self, summary: _Optional[str] = ..., listed: bool = ..., element: _Optional[_Union[_types_pb2.Element, _Mapping]] = ..., stages: _Optional[_Iterable[_Union[ExplainStage, _Mapping]]] = ...) -> None: ...

class ExplainStage(_message.Message):
    __slots__ = ("stage", "outcome", "reason", "facts")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    stage: Stage
    outcome: StageOutcome
    reason: str
    facts: _containers.RepeatedCompositeFieldContainer[Fact]
    def __init__(self, stage: _Optional[_Union[Stage, str]] = ..., outcome: _Optional[_Union[StageOutcome, str]] = ..., reason: _Optional[str] = ..., facts: _Optional[_Iterable[_Union[Fact, _Mapping]]] = ...) -> None: ...

class Fact(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
