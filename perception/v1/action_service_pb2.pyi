import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from perception.v1 import network_service_pb2 as _network_service_pb2
from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import perception_service_pb2 as _perception_service_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MouseButton(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MOUSE_BUTTON_UNSPECIFIED: _ClassVar[MouseButton]
    MOUSE_BUTTON_LEFT: _ClassVar[MouseButton]
    MOUSE_BUTTON_RIGHT: _ClassVar[MouseButton]
    MOUSE_BUTTON_MIDDLE: _ClassVar[MouseButton]

class Modifier(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MODIFIER_UNSPECIFIED: _ClassVar[Modifier]
    MODIFIER_ALT: _ClassVar[Modifier]
    MODIFIER_CONTROL: _ClassVar[Modifier]
    MODIFIER_META: _ClassVar[Modifier]
    MODIFIER_SHIFT: _ClassVar[Modifier]

class TextPosition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_POSITION_UNSPECIFIED: _ClassVar[TextPosition]
    TEXT_POSITION_END: _ClassVar[TextPosition]
    TEXT_POSITION_START: _ClassVar[TextPosition]
    TEXT_POSITION_CARET: _ClassVar[TextPosition]
MOUSE_BUTTON_UNSPECIFIED: MouseButton
MOUSE_BUTTON_LEFT: MouseButton
MOUSE_BUTTON_RIGHT: MouseButton
MOUSE_BUTTON_MIDDLE: MouseButton
MODIFIER_UNSPECIFIED: Modifier
MODIFIER_ALT: Modifier
MODIFIER_CONTROL: Modifier
MODIFIER_META: Modifier
MODIFIER_SHIFT: Modifier
TEXT_POSITION_UNSPECIFIED: TextPosition
TEXT_POSITION_END: TextPosition
TEXT_POSITION_START: TextPosition
TEXT_POSITION_CARET: TextPosition

class ActionOptions(_message.Message):
    __slots__ = ("settle_timeout", "skip_diff", "diff_max_tokens")
    SETTLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    SKIP_DIFF_FIELD_NUMBER: _ClassVar[int]
    DIFF_MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    settle_timeout: _duration_pb2.Duration
    skip_diff: bool
    diff_max_tokens: int
    def __init__(self, settle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., skip_diff: bool = ..., diff_max_tokens: _Optional[int] = ...) -> None: ...

class ActionResult(_message.Message):
    __slots__ = ("tab_id", "url", "navigated", "same_document", "point", "new_tabs", "dialogs", "timings", "diff", "downloads", "console_errors", "snapshot_id", "notes", "settle", "file_choosers")
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    NAVIGATED_FIELD_NUMBER: _ClassVar[int]
    SAME_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    POINT_FIELD_NUMBER: _ClassVar[int]
    NEW_TABS_FIELD_NUMBER: _ClassVar[int]
    DIALOGS_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    DOWNLOADS_FIELD_NUMBER: _ClassVar[int]
    CONSOLE_ERRORS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    FILE_CHOOSERS_FIELD_NUMBER: _ClassVar[int]
    tab_id: str
    url: str
    navigated: bool
    same_document: bool
    point: _types_pb2.Point
    new_tabs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Tab]
    dialogs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Dialog]
    timings: _containers.RepeatedCompositeFieldContainer[_types_pb2.Timing]
    diff: _types_pb2.SnapshotDiff
    downloads: _containers.RepeatedCompositeFieldContainer[_types_pb2.Download]
    console_errors: _containers.RepeatedScalarFieldContainer[str]
    snapshot_id: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    settle: _types_pb2.Settle
    file_choosers: _containers.RepeatedCompositeFieldContainer[_types_pb2.FileChooser]
    def __init__(self, tab_id: _Optional[str] = ..., url: _Optional[str] = ..., navigated: bool = ..., same_document: bool = ..., point: _Optional[_Union[_types_pb2.Point, _Mapping]] = ..., new_tabs: _Optional[_Iterable[_Union[_types_pb2.Tab, _Mapping]]] = ..., dialogs: _Optional[_Iterable[_Union[_types_pb2.Dialog, _Mapping]]] = ..., timings: _Optional[_Iterable[_Union[_types_pb2.Timing, _Mapping]]] = ..., diff: _Optional[_Union[_types_pb2.SnapshotDiff, _Mapping]] = ..., downloads: _Optional[_Iterable[_Union[_types_pb2.Download, _Mapping]]] = ..., console_errors: _Optional[_Iterable[str]] = ..., snapshot_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., settle: _Optional[_Union[_types_pb2.Settle, _Mapping]] = ..., file_choosers: _Optional[_Iterable[_Union[_types_pb2.FileChooser, _Mapping]]] = ...) -> None: ...

class ClickRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "button", "click_count", "modifiers", "request_id", "checked", "action_options", "hold")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    BUTTON_FIELD_NUMBER: _ClassVar[int]
    CLICK_COUNT_FIELD_NUMBER: _ClassVar[int]
    MODIFIERS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    button: MouseButton
    click_count: int
    modifiers: _containers.RepeatedScalarFieldContainer[Modifier]
    request_id: str
    checked: bool
    action_options: ActionOptions
    hold: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., button: _Optional[_Union[MouseButton, str]] = ..., click_count: _Optional[int] = ..., modifiers: _Optional[_Iterable[_Union[Modifier, str]]] = ..., request_id: _Optional[str] = ..., checked: bool = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ..., hold: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ClickResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class TapRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "hold", "request_id", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    hold: _duration_pb2.Duration
    request_id: str
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., hold: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class TapResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class HoverRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "request_id", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    request_id: str
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class HoverResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class DragRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "to", "request_id", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    to: _types_pb2.Target
    request_id: str
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., to: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ..., **kwargs) -> None: ...

class DragResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class TypeTextRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "text", "clear", "submit", "keystrokes", "request_id", "action_options", "secret", "position")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CLEAR_FIELD_NUMBER: _ClassVar[int]
    SUBMIT_FIELD_NUMBER: _ClassVar[int]
    KEYSTROKES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    text: str
    clear: bool
    submit: bool
    keystrokes: bool
    request_id: str
    action_options: ActionOptions
    secret: str
    position: TextPosition
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., text: _Optional[str] = ..., clear: bool = ..., submit: bool = ..., keystrokes: bool = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ..., secret: _Optional[str] = ..., position: _Optional[_Union[TextPosition, str]] = ...) -> None: ...

class TypeTextResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class PressKeyRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "key", "target", "request_id", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    key: str
    target: _types_pb2.Target
    request_id: str
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., key: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class PressKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class SelectOptionRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "options", "request_id", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    options: _containers.RepeatedScalarFieldContainer[str]
    request_id: str
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., options: _Optional[_Iterable[str]] = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class SelectOptionResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class ScrollRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "delta_x", "delta_y", "request_id", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DELTA_X_FIELD_NUMBER: _ClassVar[int]
    DELTA_Y_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    delta_x: float
    delta_y: float
    request_id: str
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., delta_x: _Optional[float] = ..., delta_y: _Optional[float] = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class ScrollResponse(_message.Message):
    __slots__ = ("result", "scroll", "moved")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SCROLL_FIELD_NUMBER: _ClassVar[int]
    MOVED_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    scroll: _types_pb2.Scroll
    moved: bool
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ..., scroll: _Optional[_Union[_types_pb2.Scroll, _Mapping]] = ..., moved: bool = ...) -> None: ...

class FileContent(_message.Message):
    __slots__ = ("name", "content")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    content: bytes
    def __init__(self, name: _Optional[str] = ..., content: _Optional[bytes] = ...) -> None: ...

class UploadFilesRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "target", "paths", "request_id", "files", "upload_ids", "drop", "data", "action_options")
    class DataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    PATHS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_IDS_FIELD_NUMBER: _ClassVar[int]
    DROP_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    target: _types_pb2.Target
    paths: _containers.RepeatedScalarFieldContainer[str]
    request_id: str
    files: _containers.RepeatedCompositeFieldContainer[FileContent]
    upload_ids: _containers.RepeatedScalarFieldContainer[str]
    drop: bool
    data: _containers.ScalarMap[str, str]
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., paths: _Optional[_Iterable[str]] = ..., request_id: _Optional[str] = ..., files: _Optional[_Iterable[_Union[FileContent, _Mapping]]] = ..., upload_ids: _Optional[_Iterable[str]] = ..., drop: bool = ..., data: _Optional[_Mapping[str, str]] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class UploadFilesResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...

class WaitForRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "element", "text", "url", "vanished", "settled", "response", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    VANISHED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    element: _types_pb2.Target
    text: str
    url: str
    vanished: _types_pb2.Target
    settled: bool
    response: ResponseCondition
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., element: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., text: _Optional[str] = ..., url: _Optional[str] = ..., vanished: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., settled: bool = ..., response: _Optional[_Union[ResponseCondition, _Mapping]] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class WaitForResponse(_message.Message):
    __slots__ = ("result", "settle", "response")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    settle: _types_pb2.Settle
    response: _network_service_pb2.NetworkRequest
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ..., settle: _Optional[_Union[_types_pb2.Settle, _Mapping]] = ..., response: _Optional[_Union[_network_service_pb2.NetworkRequest, _Mapping]] = ...) -> None: ...

class ResponseCondition(_message.Message):
    __slots__ = ("url_pattern", "status", "body_contains", "method", "since_request_id")
    URL_PATTERN_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    BODY_CONTAINS_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    SINCE_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    url_pattern: str
    status: int
    body_contains: str
    method: str
    since_request_id: str
    def __init__(self, url_pattern: _Optional[str] = ..., status: _Optional[int] = ..., body_contains: _Optional[str] = ..., method: _Optional[str] = ..., since_request_id: _Optional[str] = ...) -> None: ...

class EvaluateRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "expression", "target", "await_promise", "timeout", "engine", "request_id")
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ENGINE_UNSPECIFIED: _ClassVar[EvaluateRequest.Engine]
        ENGINE_AUTO: _ClassVar[EvaluateRequest.Engine]
        ENGINE_CDP: _ClassVar[EvaluateRequest.Engine]
        ENGINE_PLAYWRIGHT: _ClassVar[EvaluateRequest.Engine]
    ENGINE_UNSPECIFIED: EvaluateRequest.Engine
    ENGINE_AUTO: EvaluateRequest.Engine
    ENGINE_CDP: EvaluateRequest.Engine
    ENGINE_PLAYWRIGHT: EvaluateRequest.Engine
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    AWAIT_PROMISE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    expression: str
    target: _types_pb2.Target
    await_promise: bool
    timeout: _duration_pb2.Duration
    engine: EvaluateRequest.Engine
    request_id: str
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., expression: _Optional[str] = ..., target: _Optional[_Union[_types_pb2.Target, _Mapping]] = ..., await_promise: bool = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., engine: _Optional[_Union[EvaluateRequest.Engine, str]] = ..., request_id: _Optional[str] = ...) -> None: ...

class EvaluateResponse(_message.Message):
    __slots__ = ("value", "engine", "fallback_reason", "exception", "exception_stack", "timings", "dialogs", "notes")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_REASON_FIELD_NUMBER: _ClassVar[int]
    EXCEPTION_FIELD_NUMBER: _ClassVar[int]
    EXCEPTION_STACK_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    DIALOGS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    value: _struct_pb2.Value
    engine: EvaluateRequest.Engine
    fallback_reason: str
    exception: str
    exception_stack: str
    timings: _containers.RepeatedCompositeFieldContainer[_types_pb2.Timing]
    dialogs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Dialog]
    notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., engine: _Optional[_Union[EvaluateRequest.Engine, str]] = ..., fallback_reason: _Optional[str] = ..., exception: _Optional[str] = ..., exception_stack: _Optional[str] = ..., timings: _Optional[_Iterable[_Union[_types_pb2.Timing, _Mapping]]] = ..., dialogs: _Optional[_Iterable[_Union[_types_pb2.Dialog, _Mapping]]] = ..., notes: _Optional[_Iterable[str]] = ...) -> None: ...

class BatchRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "steps", "request_id", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    steps: _containers.RepeatedCompositeFieldContainer[BatchStep]
    request_id: str
    action_options: ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[BatchStep, _Mapping]]] = ..., request_id: _Optional[str] = ..., action_options: _Optional[_Union[ActionOptions, _Mapping]] = ...) -> None: ...

class BatchStep(_message.Message):
    __slots__ = ("click", "hover", "drag", "type_text", "press_key", "select_option", "scroll", "upload_files", "wait_for", "evaluate", "capture_snapshot", "tap", "may_navigate", "timeout")
    CLICK_FIELD_NUMBER: _ClassVar[int]
    HOVER_FIELD_NUMBER: _ClassVar[int]
    DRAG_FIELD_NUMBER: _ClassVar[int]
    TYPE_TEXT_FIELD_NUMBER: _ClassVar[int]
    PRESS_KEY_FIELD_NUMBER: _ClassVar[int]
    SELECT_OPTION_FIELD_NUMBER: _ClassVar[int]
    SCROLL_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_FILES_FIELD_NUMBER: _ClassVar[int]
    WAIT_FOR_FIELD_NUMBER: _ClassVar[int]
    EVALUATE_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    TAP_FIELD_NUMBER: _ClassVar[int]
    MAY_NAVIGATE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    click: ClickRequest
    hover: HoverRequest
    drag: DragRequest
    type_text: TypeTextRequest
    press_key: PressKeyRequest
    select_option: SelectOptionRequest
    scroll: ScrollRequest
    upload_files: UploadFilesRequest
    wait_for: WaitForRequest
    evaluate: EvaluateRequest
    capture_snapshot: _perception_service_pb2.CaptureSnapshotRequest
    tap: TapRequest
    may_navigate: bool
    timeout: _duration_pb2.Duration
    def __init__(self, click: _Optional[_Union[ClickRequest, _Mapping]] = ..., hover: _Optional[_Union[HoverRequest, _Mapping]] = ..., drag: _Optional[_Union[DragRequest, _Mapping]] = ..., type_text: _Optional[_Union[TypeTextRequest, _Mapping]] = ..., press_key: _Optional[_Union[PressKeyRequest, _Mapping]] = ..., select_option: _Optional[_Union[SelectOptionRequest, _Mapping]] = ..., scroll: _Optional[_Union[ScrollRequest, _Mapping]] = ..., upload_files: _Optional[_Union[UploadFilesRequest, _Mapping]] = ..., wait_for: _Optional[_Union[WaitForRequest, _Mapping]] = ..., evaluate: _Optional[_Union[EvaluateRequest, _Mapping]] = ..., capture_snapshot: _Optional[_Union[_perception_service_pb2.CaptureSnapshotRequest, _Mapping]] = ..., tap: _Optional[_Union[TapRequest, _Mapping]] = ..., may_navigate: bool = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class BatchStepResult(_message.Message):
    __slots__ = ("result", "scroll", "moved", "evaluate", "capture_snapshot")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SCROLL_FIELD_NUMBER: _ClassVar[int]
    MOVED_FIELD_NUMBER: _ClassVar[int]
    EVALUATE_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    result: ActionResult
    scroll: _types_pb2.Scroll
    moved: bool
    evaluate: EvaluateResponse
    capture_snapshot: _perception_service_pb2.CaptureSnapshotResponse
    def __init__(self, result: _Optional[_Union[ActionResult, _Mapping]] = ..., scroll: _Optional[_Union[_types_pb2.Scroll, _Mapping]] = ..., moved: bool = ..., evaluate: _Optional[_Union[EvaluateResponse, _Mapping]] = ..., capture_snapshot: _Optional[_Union[_perception_service_pb2.CaptureSnapshotResponse, _Mapping]] = ...) -> None: ...

class BatchStop(_message.Message):
    __slots__ = ("cause", "step", "message", "code", "reason", "metadata", "retry_after")
    class Cause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CAUSE_UNSPECIFIED: _ClassVar[BatchStop.Cause]
        CAUSE_FAILED: _ClassVar[BatchStop.Cause]
        CAUSE_NAVIGATED: _ClassVar[BatchStop.Cause]
        CAUSE_DIALOG: _ClassVar[BatchStop.Cause]
    CAUSE_UNSPECIFIED: BatchStop.Cause
    CAUSE_FAILED: BatchStop.Cause
    CAUSE_NAVIGATED: BatchStop.Cause
    CAUSE_DIALOG: BatchStop.Cause
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    cause: BatchStop.Cause
    step: int
    message: str
    code: int
    reason: str
    metadata: _containers.ScalarMap[str, str]
    retry_after: _duration_pb2.Duration
    def __init__(self, cause: _Optional[_Union[BatchStop.Cause, str]] = ..., step: _Optional[int] = ..., message: _Optional[str] = ..., code: _Optional[int] = ..., reason: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class BatchResponse(_message.Message):
    __slots__ = ("results", "stop", "result")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[BatchStepResult]
    stop: BatchStop
    result: ActionResult
    def __init__(self, results: _Optional[_Iterable[_Union[BatchStepResult, _Mapping]]] = ..., stop: _Optional[_Union[BatchStop, _Mapping]] = ..., result: _Optional[_Union[ActionResult, _Mapping]] = ...) -> None: ...
