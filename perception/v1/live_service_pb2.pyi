import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WatchFramesRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "max_width", "max_height", "quality", "max_fps", "acknowledged", "lease_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_WIDTH_FIELD_NUMBER: _ClassVar[int]
    MAX_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    MAX_FPS_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGED_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    max_width: int
    max_height: int
    quality: int
    max_fps: float
    acknowledged: int
    lease_id: str
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., max_width: _Optional[int] = ..., max_height: _Optional[int] = ..., quality: _Optional[int] = ..., max_fps: _Optional[float] = ..., acknowledged: _Optional[int] = ..., lease_id: _Optional[str] = ...) -> None: ...

class WatchFramesResponse(_message.Message):
    __slots__ = ("number", "jpeg", "width", "height", "viewport", "scroll", "tab_id", "url", "title", "time", "note")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    JPEG_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    SCROLL_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    number: int
    jpeg: bytes
    width: int
    height: int
    viewport: _types_pb2.Viewport
    scroll: _types_pb2.Scroll
    tab_id: str
    url: str
    title: str
    time: _timestamp_pb2.Timestamp
    note: str
    def __init__(self, number: _Optional[int] = ..., jpeg: _Optional[bytes] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., viewport: _Optional[_Union[_types_pb2.Viewport, _Mapping]] = ..., scroll: _Optional[_Union[_types_pb2.Scroll, _Mapping]] = ..., tab_id: _Optional[str] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., note: _Optional[str] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("number", "rpc", "what", "start_time", "duration", "tab_id", "url", "code", "reason", "message", "snapshot_id", "has_snapshot", "has_pictures", "by_person")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RPC_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    HAS_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    HAS_PICTURES_FIELD_NUMBER: _ClassVar[int]
    BY_PERSON_FIELD_NUMBER: _ClassVar[int]
    number: int
    rpc: str
    what: str
    start_time: _timestamp_pb2.Timestamp
    duration: _duration_pb2.Duration
    tab_id: str
    url: str
    code: str
    reason: str
    message: str
    snapshot_id: str
    has_snapshot: bool
    has_pictures: bool
    by_person: bool
    def __init__(self, number: _Optional[int] = ..., rpc: _Optional[str] = ..., what: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., tab_id: _Optional[str] = ..., url: _Optional[str] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., snapshot_id: _Optional[str] = ..., has_snapshot: bool = ..., has_pictures: bool = ..., by_person: bool = ...) -> None: ...

class WatchCallsRequest(_message.Message):
    __slots__ = ("session_id", "after_number", "pictures", "kept_only")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_NUMBER_FIELD_NUMBER: _ClassVar[int]
    PICTURES_FIELD_NUMBER: _ClassVar[int]
    KEPT_ONLY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_number: int
    pictures: bool
    kept_only: bool
    def __init__(self, session_id: _Optional[str] = ..., after_number: _Optional[int] = ..., pictures: bool = ..., kept_only: bool = ...) -> None: ...

class WatchCallsResponse(_message.Message):
    __slots__ = ("call",)
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: Call
    def __init__(self, call: _Optional[_Union[Call, _Mapping]] = ...) -> None: ...

class GetCallRequest(_message.Message):
    __slots__ = ("session_id", "number")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    number: int
    def __init__(self, session_id: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class GetCallResponse(_message.Message):
    __slots__ = ("call", "snapshot", "text", "before", "after", "request_json")
    CALL_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_JSON_FIELD_NUMBER: _ClassVar[int]
    call: Call
    snapshot: _types_pb2.Snapshot
    text: str
    before: _types_pb2.Image
    after: _types_pb2.Image
    request_json: str
    def __init__(self, call: _Optional[_Union[Call, _Mapping]] = ..., snapshot: _Optional[_Union[_types_pb2.Snapshot, _Mapping]] = ..., text: _Optional[str] = ..., before: _Optional[_Union[_types_pb2.Image, _Mapping]] = ..., after: _Optional[_Union[_types_pb2.Image, _Mapping]] = ..., request_json: _Optional[str] = ...) -> None: ...
