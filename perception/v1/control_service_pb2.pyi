import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from perception.v1 import action_service_pb2 as _action_service_pb2
from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ControlState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTROL_STATE_UNSPECIFIED: _ClassVar[ControlState]
    CONTROL_STATE_FREE: _ClassVar[ControlState]
    CONTROL_STATE_REQUESTED: _ClassVar[ControlState]
    CONTROL_STATE_TAKING: _ClassVar[ControlState]
    CONTROL_STATE_HELD: _ClassVar[ControlState]

class ReleaseOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RELEASE_OUTCOME_UNSPECIFIED: _ClassVar[ReleaseOutcome]
    RELEASE_OUTCOME_DONE: _ClassVar[ReleaseOutcome]
    RELEASE_OUTCOME_CANCELLED: _ClassVar[ReleaseOutcome]
    RELEASE_OUTCOME_REFUSED: _ClassVar[ReleaseOutcome]
CONTROL_STATE_UNSPECIFIED: ControlState
CONTROL_STATE_FREE: ControlState
CONTROL_STATE_REQUESTED: ControlState
CONTROL_STATE_TAKING: ControlState
CONTROL_STATE_HELD: ControlState
RELEASE_OUTCOME_UNSPECIFIED: ReleaseOutcome
RELEASE_OUTCOME_DONE: ReleaseOutcome
RELEASE_OUTCOME_CANCELLED: ReleaseOutcome
RELEASE_OUTCOME_REFUSED: ReleaseOutcome

class Control(_message.Message):
    __slots__ = ("state", "holder", "expire_time", "reason", "request_expire_time", "waiting_calls", "request_tab_id", "calls_under_way")
    STATE_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    WAITING_CALLS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_TAB_ID_FIELD_NUMBER: _ClassVar[int]
    CALLS_UNDER_WAY_FIELD_NUMBER: _ClassVar[int]
    state: ControlState
    holder: str
    expire_time: _timestamp_pb2.Timestamp
    reason: str
    request_expire_time: _timestamp_pb2.Timestamp
    waiting_calls: int
    request_tab_id: str
    calls_under_way: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, state: _Optional[_Union[ControlState, str]] = ..., holder: _Optional[str] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ..., request_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., waiting_calls: _Optional[int] = ..., request_tab_id: _Optional[str] = ..., calls_under_way: _Optional[_Iterable[str]] = ...) -> None: ...

class TakeControlRequest(_message.Message):
    __slots__ = ("session_id", "lease", "holder")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    lease: _duration_pb2.Duration
    holder: str
    def __init__(self, session_id: _Optional[str] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., holder: _Optional[str] = ...) -> None: ...

class TakeControlResponse(_message.Message):
    __slots__ = ("lease_id", "control")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    control: Control
    def __init__(self, lease_id: _Optional[str] = ..., control: _Optional[_Union[Control, _Mapping]] = ...) -> None: ...

class RenewControlRequest(_message.Message):
    __slots__ = ("session_id", "lease_id", "lease")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    lease_id: str
    lease: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., lease_id: _Optional[str] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RenewControlResponse(_message.Message):
    __slots__ = ("control",)
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    control: Control
    def __init__(self, control: _Optional[_Union[Control, _Mapping]] = ...) -> None: ...

class ReleaseControlRequest(_message.Message):
    __slots__ = ("session_id", "lease_id", "outcome", "note")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    lease_id: str
    outcome: ReleaseOutcome
    note: str
    def __init__(self, session_id: _Optional[str] = ..., lease_id: _Optional[str] = ..., outcome: _Optional[_Union[ReleaseOutcome, str]] = ..., note: _Optional[str] = ...) -> None: ...

class ReleaseControlResponse(_message.Message):
    __slots__ = ("control",)
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    control: Control
    def __init__(self, control: _Optional[_Union[Control, _Mapping]] = ...) -> None: ...

class SendInputRequest(_message.Message):
    __slots__ = ("session_id", "lease_id", "tab_id", "number", "mouse", "key", "wheel", "touch", "paste", "text")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    MOUSE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    WHEEL_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    PASTE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    lease_id: str
    tab_id: str
    number: int
    mouse: MouseInput
    key: KeyInput
    wheel: WheelInput
    touch: TouchInput
    paste: PasteInput
    text: TextInput
    def __init__(self, session_id: _Optional[str] = ..., lease_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., number: _Optional[int] = ..., mouse: _Optional[_Union[MouseInput, _Mapping]] = ..., key: _Optional[_Union[KeyInput, _Mapping]] = ..., wheel: _Optional[_Union[WheelInput, _Mapping]] = ..., touch: _Optional[_Union[TouchInput, _Mapping]] = ..., paste: _Optional[_Union[PasteInput, _Mapping]] = ..., text: _Optional[_Union[TextInput, _Mapping]] = ...) -> None: ...

class SendInputResponse(_message.Message):
    __slots__ = ("number", "error", "dialog", "file_chooser")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    DIALOG_FIELD_NUMBER: _ClassVar[int]
    FILE_CHOOSER_FIELD_NUMBER: _ClassVar[int]
    number: int
    error: str
    dialog: _types_pb2.Dialog
    file_chooser: _types_pb2.FileChooser
    def __init__(self, number: _Optional[int] = ..., error: _Optional[str] = ..., dialog: _Optional[_Union[_types_pb2.Dialog, _Mapping]] = ..., file_chooser: _Optional[_Union[_types_pb2.FileChooser, _Mapping]] = ...) -> None: ...

class MouseInput(_message.Message):
    __slots__ = ("kind", "x", "y", "button", "click_count", "modifiers")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[MouseInput.Kind]
        KIND_MOVE: _ClassVar[MouseInput.Kind]
        KIND_DOWN: _ClassVar[MouseInput.Kind]
        KIND_UP: _ClassVar[MouseInput.Kind]
    KIND_UNSPECIFIED: MouseInput.Kind
    KIND_MOVE: MouseInput.Kind
    KIND_DOWN: MouseInput.Kind
    KIND_UP: MouseInput.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    BUTTON_FIELD_NUMBER: _ClassVar[int]
    CLICK_COUNT_FIELD_NUMBER: _ClassVar[int]
    MODIFIERS_FIELD_NUMBER: _ClassVar[int]
    kind: MouseInput.Kind
    x: float
    y: float
    button: _action_service_pb2.MouseButton
    click_count: int
    modifiers: _containers.RepeatedScalarFieldContainer[_action_service_pb2.Modifier]
    def __init__(self, kind: _Optional[_Union[MouseInput.Kind, str]] = ..., x: _Optional[float] = ..., y: _Optional[float] = ..., button: _Optional[_Union[_action_service_pb2.MouseButton, str]] = ..., click_count: _Optional[int] = ..., modifiers: _Optional[_Iterable[_Union[_action_service_pb2.Modifier, str]]] = ...) -> None: ...

class KeyInput(_message.Message):
    __slots__ = ("kind", "key", "code", "modifiers", "repeat")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[KeyInput.Kind]
        KIND_DOWN: _ClassVar[KeyInput.Kind]
        KIND_UP: _ClassVar[KeyInput.Kind]
    KIND_UNSPECIFIED: KeyInput.Kind
    KIND_DOWN: KeyInput.Kind
    KIND_UP: KeyInput.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MODIFIERS_FIELD_NUMBER: _ClassVar[int]
    REPEAT_FIELD_NUMBER: _ClassVar[int]
    kind: KeyInput.Kind
    key: str
    code: str
    modifiers: _containers.RepeatedScalarFieldContainer[_action_service_pb2.Modifier]
    repeat: bool
    def __init__(self, kind: _Optional[_Union[KeyInput.Kind, str]] = ..., key: _Optional[str] = ..., code: _Optional[str] = ..., modifiers: _Optional[_Iterable[_Union[_action_service_pb2.Modifier, str]]] = ..., repeat: bool = ...) -> None: ...

class WheelInput(_message.Message):
    __slots__ = ("x", "y", "delta_x", "delta_y", "modifiers")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    DELTA_X_FIELD_NUMBER: _ClassVar[int]
    DELTA_Y_FIELD_NUMBER: _ClassVar[int]
    MODIFIERS_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    delta_x: float
    delta_y: float
    modifiers: _containers.RepeatedScalarFieldContainer[_action_service_pb2.Modifier]
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., delta_x: _Optional[float] = ..., delta_y: _Optional[float] = ..., modifiers: _Optional[_Iterable[_Union[_action_service_pb2.Modifier, str]]] = ...) -> None: ...

class TouchInput(_message.Message):
    __slots__ = ("kind", "points")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[TouchInput.Kind]
        KIND_START: _ClassVar[TouchInput.Kind]
        KIND_MOVE: _ClassVar[TouchInput.Kind]
        KIND_END: _ClassVar[TouchInput.Kind]
        KIND_CANCEL: _ClassVar[TouchInput.Kind]
    KIND_UNSPECIFIED: TouchInput.Kind
    KIND_START: TouchInput.Kind
    KIND_MOVE: TouchInput.Kind
    KIND_END: TouchInput.Kind
    KIND_CANCEL: TouchInput.Kind
    class Point(_message.Message):
        __slots__ = ("id", "x", "y")
        ID_FIELD_NUMBER: _ClassVar[int]
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        id: int
        x: float
        y: float
        def __init__(self, id: _Optional[int] = ..., x: _Optional[float] = ..., y: _Optional[float] = ...) -> None: ...
    KIND_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    kind: TouchInput.Kind
    points: _containers.RepeatedCompositeFieldContainer[TouchInput.Point]
    def __init__(self, kind: _Optional[_Union[TouchInput.Kind, str]] = ..., points: _Optional[_Iterable[_Union[TouchInput.Point, _Mapping]]] = ...) -> None: ...

class PasteInput(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class TextInput(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class WatchControlRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class WatchControlResponse(_message.Message):
    __slots__ = ("control",)
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    control: Control
    def __init__(self, control: _Optional[_Union[Control, _Mapping]] = ...) -> None: ...

class RequestHumanRequest(_message.Message):
    __slots__ = ("session_id", "reason", "tab_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    reason: str
    tab_id: str
    def __init__(self, session_id: _Optional[str] = ..., reason: _Optional[str] = ..., tab_id: _Optional[str] = ...) -> None: ...

class RequestHumanResponse(_message.Message):
    __slots__ = ("outcome", "note", "duration", "diff", "text")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    outcome: ReleaseOutcome
    note: str
    duration: _duration_pb2.Duration
    diff: _types_pb2.SnapshotDiff
    text: str
    def __init__(self, outcome: _Optional[_Union[ReleaseOutcome, str]] = ..., note: _Optional[str] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., diff: _Optional[_Union[_types_pb2.SnapshotDiff, _Mapping]] = ..., text: _Optional[str] = ...) -> None: ...
