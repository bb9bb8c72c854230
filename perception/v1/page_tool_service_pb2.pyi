import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from perception.v1 import action_service_pb2 as _action_service_pb2
from perception.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PageTool(_message.Message):
    __slots__ = ("name", "title", "description", "input_schema", "read_only_hint")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_HINT_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    description: str
    input_schema: str
    read_only_hint: bool
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., description: _Optional[str] = ..., input_schema: _Optional[str] = ..., read_only_hint: bool = ...) -> None: ...

class ListPageToolsRequest(_message.Message):
    __slots__ = ("session_id", "tab_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ...) -> None: ...

class ListPageToolsResponse(_message.Message):
    __slots__ = ("tools", "origin", "is_allowed", "omitted_count", "text")
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    IS_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    OMITTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[PageTool]
    origin: str
    is_allowed: bool
    omitted_count: int
    text: str
    def __init__(self, tools: _Optional[_Iterable[_Union[PageTool, _Mapping]]] = ..., origin: _Optional[str] = ..., is_allowed: bool = ..., omitted_count: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class CallPageToolRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "name", "arguments", "request_id", "timeout", "action_options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    ACTION_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    name: str
    arguments: _struct_pb2.Struct
    request_id: str
    timeout: _duration_pb2.Duration
    action_options: _action_service_pb2.ActionOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., name: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., request_id: _Optional[str] = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., action_options: _Optional[_Union[_action_service_pb2.ActionOptions, _Mapping]] = ...) -> None: ...

class CallPageToolResponse(_message.Message):
    __slots__ = ("output", "text", "is_error", "is_truncated", "result")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    IS_ERROR_FIELD_NUMBER: _ClassVar[int]
    IS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    output: str
    text: str
    is_error: bool
    is_truncated: bool
    result: _action_service_pb2.ActionResult
    def __init__(self, output: _Optional[str] = ..., text: _Optional[str] = ..., is_error: bool = ..., is_truncated: bool = ..., result: _Optional[_Union[_action_service_pb2.ActionResult, _Mapping]] = ...) -> None: ...
