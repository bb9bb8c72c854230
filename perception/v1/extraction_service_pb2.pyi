import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExtractInteractablesRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "scope_selector", "include_hidden", "roles", "page_size", "page_token", "settle_timeout")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_HIDDEN_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SETTLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    scope_selector: str
    include_hidden: bool
    roles: _containers.RepeatedScalarFieldContainer[str]
    page_size: int
    page_token: str
    settle_timeout: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., scope_selector: _Optional[str] = ..., include_hidden: bool = ..., roles: _Optional[_Iterable[str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., settle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ExtractInteractablesResponse(_message.Message):
    __slots__ = ("interactables", "total_count", "scope_selector", "elapsed", "byte_count", "next_page_token", "tab_id", "url", "title", "text", "token_count", "skipped")
    INTERACTABLES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_FIELD_NUMBER: _ClassVar[int]
    BYTE_COUNT_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    interactables: _containers.RepeatedCompositeFieldContainer[Interactable]
    total_count: int
    scope_selector: str
    elapsed: _duration_pb2.Duration
    byte_count: int
    next_page_token: str
    tab_id: str
    url: str
    title: str
    text: str
    token_count: int
    skipped: _containers.RepeatedCompositeFieldContainer[_types_pb2.Skipped]
    def __init__(self, interactables: _Optional[_Iterable[_Union[Interactable, _Mapping]]] = ..., total_count: _Optional[int] = ..., scope_selector: _Optional[str] = ..., elapsed: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., byte_count: _Optional[int] = ..., next_page_token: _Optional[str] = ..., tab_id: _Optional[str] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ..., token_count: _Optional[int] = ..., skipped: _Optional[_Iterable[_Union[_types_pb2.Skipped, _Mapping]]] = ...) -> None: ...

class Interactable(_message.Message):
    __slots__ = ("selector", "playwright_selector", "type", "role", "name", "text", "enabled", "visible", "reachable", "input_type", "value", "placeholder", "ref", "stability", "stability_reason", "frame", "states", "hint")
    SELECTOR_FIELD_NUMBER: _ClassVar[int]
    PLAYWRIGHT_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_FIELD_NUMBER: _ClassVar[int]
    REACHABLE_FIELD_NUMBER: _ClassVar[int]
    INPUT_TYPE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PLACEHOLDER_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    STABILITY_FIELD_NUMBER: _ClassVar[int]
    STABILITY_REASON_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    selector: str
    playwright_selector: str
    type: str
    role: str
    name: str
    text: str
    enabled: bool
    visible: bool
    reachable: bool
    input_type: str
    value: str
    placeholder: str
    ref: str
    stability: float
    stability_reason: str
    frame: str
    states: _containers.RepeatedScalarFieldContainer[str]
    hint: str
    def __init__(self, selector: _Optional[str] = ..., playwright_selector: _Optional[str] = ..., type: _Optional[str] = ..., role: _Optional[str] = ..., name: _Optional[str] = ..., text: _Optional[str] = ..., enabled: bool = ..., visible: bool = ..., reachable: bool = ..., input_type: _Optional[str] = ..., value: _Optional[str] = ..., placeholder: _Optional[str] = ..., ref: _Optional[str] = ..., stability: _Optional[float] = ..., stability_reason: _Optional[str] = ..., frame: _Optional[str] = ..., states: _Optional[_Iterable[str]] = ..., hint: _Optional[str] = ...) -> None: ...

class ExtractContentRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "scope_selector", "main_content", "include_form_values", "max_tokens", "cursor", "settle_timeout", "save_raw_html")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    MAIN_CONTENT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_FORM_VALUES_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    SETTLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    SAVE_RAW_HTML_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    scope_selector: str
    main_content: bool
    include_form_values: bool
    max_tokens: int
    cursor: str
    settle_timeout: _duration_pb2.Duration
    save_raw_html: bool
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., scope_selector: _Optional[str] = ..., main_content: bool = ..., include_form_values: bool = ..., max_tokens: _Optional[int] = ..., cursor: _Optional[str] = ..., settle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., save_raw_html: bool = ...) -> None: ...

class ExtractContentResponse(_message.Message):
    __slots__ = ("markdown", "url", "title", "token_count", "next_cursor", "tab_id", "total_token_count", "elapsed", "skipped", "capture_time", "raw_html")
    MARKDOWN_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    RAW_HTML_FIELD_NUMBER: _ClassVar[int]
    markdown: str
    url: str
    title: str
    token_count: int
    next_cursor: str
    tab_id: str
    total_token_count: int
    elapsed: _duration_pb2.Duration
    skipped: _containers.RepeatedCompositeFieldContainer[_types_pb2.Skipped]
    capture_time: _timestamp_pb2.Timestamp
    raw_html: _types_pb2.Download
    def __init__(self, markdown: _Optional[str] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., token_count: _Optional[int] = ..., next_cursor: _Optional[str] = ..., tab_id: _Optional[str] = ..., total_token_count: _Optional[int] = ..., elapsed: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., skipped: _Optional[_Iterable[_Union[_types_pb2.Skipped, _Mapping]]] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., raw_html: _Optional[_Union[_types_pb2.Download, _Mapping]] = ...) -> None: ...
