import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from perception.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ResourceType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOURCE_TYPE_UNSPECIFIED: _ClassVar[ResourceType]
    RESOURCE_TYPE_DOCUMENT: _ClassVar[ResourceType]
    RESOURCE_TYPE_STYLESHEET: _ClassVar[ResourceType]
    RESOURCE_TYPE_IMAGE: _ClassVar[ResourceType]
    RESOURCE_TYPE_MEDIA: _ClassVar[ResourceType]
    RESOURCE_TYPE_FONT: _ClassVar[ResourceType]
    RESOURCE_TYPE_SCRIPT: _ClassVar[ResourceType]
    RESOURCE_TYPE_XHR: _ClassVar[ResourceType]
    RESOURCE_TYPE_FETCH: _ClassVar[ResourceType]
    RESOURCE_TYPE_EVENT_SOURCE: _ClassVar[ResourceType]
    RESOURCE_TYPE_WEB_SOCKET: _ClassVar[ResourceType]
    RESOURCE_TYPE_MANIFEST: _ClassVar[ResourceType]
    RESOURCE_TYPE_PING: _ClassVar[ResourceType]
    RESOURCE_TYPE_PREFLIGHT: _ClassVar[ResourceType]
    RESOURCE_TYPE_PREFETCH: _ClassVar[ResourceType]
    RESOURCE_TYPE_OTHER: _ClassVar[ResourceType]
RESOURCE_TYPE_UNSPECIFIED: ResourceType
RESOURCE_TYPE_DOCUMENT: ResourceType
RESOURCE_TYPE_STYLESHEET: ResourceType
RESOURCE_TYPE_IMAGE: ResourceType
RESOURCE_TYPE_MEDIA: ResourceType
RESOURCE_TYPE_FONT: ResourceType
RESOURCE_TYPE_SCRIPT: ResourceType
RESOURCE_TYPE_XHR: ResourceType
RESOURCE_TYPE_FETCH: ResourceType
RESOURCE_TYPE_EVENT_SOURCE: ResourceType
RESOURCE_TYPE_WEB_SOCKET: ResourceType
RESOURCE_TYPE_MANIFEST: ResourceType
RESOURCE_TYPE_PING: ResourceType
RESOURCE_TYPE_PREFLIGHT: ResourceType
RESOURCE_TYPE_PREFETCH: ResourceType
RESOURCE_TYPE_OTHER: ResourceType

class NetworkRequest(_message.Message):
    __slots__ = ("request_id", "tab_id", "method", "url", "type", "state", "status", "status_text", "content_type", "failure", "blocked_by", "blocked_reason", "start_time", "timing", "transferred_bytes", "body_bytes", "cache", "initiator", "redirect_url", "document_url", "protocol", "rule")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[NetworkRequest.State]
        STATE_PENDING: _ClassVar[NetworkRequest.State]
        STATE_FINISHED: _ClassVar[NetworkRequest.State]
        STATE_FAILED: _ClassVar[NetworkRequest.State]
        STATE_BLOCKED: _ClassVar[NetworkRequest.State]
        STATE_CANCELLED: _ClassVar[NetworkRequest.State]
    STATE_UNSPECIFIED: NetworkRequest.State
    STATE_PENDING: NetworkRequest.State
    STATE_FINISHED: NetworkRequest.State
    STATE_FAILED: NetworkRequest.State
    STATE_BLOCKED: NetworkRequest.State
    STATE_CANCELLED: NetworkRequest.State
    class BlockedBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        BLOCKED_BY_UNSPECIFIED: _ClassVar[NetworkRequest.BlockedBy]
        BLOCKED_BY_EGRESS: _ClassVar[NetworkRequest.BlockedBy]
        BLOCKED_BY_RULE: _ClassVar[NetworkRequest.BlockedBy]
        BLOCKED_BY_BROWSER: _ClassVar[NetworkRequest.BlockedBy]
    BLOCKED_BY_UNSPECIFIED: NetworkRequest.BlockedBy
    BLOCKED_BY_EGRESS: NetworkRequest.BlockedBy
    BLOCKED_BY_RULE: NetworkRequest.BlockedBy
    BLOCKED_BY_BROWSER: NetworkRequest.BlockedBy
    class Cache(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CACHE_UNSPECIFIED: _ClassVar[NetworkRequest.Cache]
        CACHE_MEMORY: _ClassVar[NetworkRequest.Cache]
        CACHE_DISK: _ClassVar[NetworkRequest.Cache]
        CACHE_PREFETCH: _ClassVar[NetworkRequest.Cache]
        CACHE_SERVICE_WORKER: _ClassVar[NetworkRequest.Cache]
    CACHE_UNSPECIFIED: NetworkRequest.Cache
    CACHE_MEMORY: NetworkRequest.Cache
    CACHE_DISK: NetworkRequest.Cache
    CACHE_PREFETCH: NetworkRequest.Cache
    CACHE_SERVICE_WORKER: NetworkRequest.Cache
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STATUS_TEXT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_BY_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_REASON_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    TRANSFERRED_BYTES_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    CACHE_FIELD_NUMBER: _ClassVar[int]
    INITIATOR_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_URL_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_URL_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tab_id: str
    method: str
    url: str
    type: ResourceType
    state: NetworkRequest.State
    status: int
    status_text: str
    content_type: str
    failure: str
    blocked_by: NetworkRequest.BlockedBy
    blocked_reason: str
    start_time: _timestamp_pb2.Timestamp
    timing: RequestTiming
    transferred_bytes: int
    body_bytes: int
    cache: NetworkRequest.Cache
    initiator: RequestInitiator
    redirect_url: str
    document_url: str
    protocol: str
    rule: str
    def __init__(self, request_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., method: _Optional[str] = ..., url: _Optional[str] = ..., type: _Optional[_Union[ResourceType, str]] = ..., state: _Optional[_Union[NetworkRequest.State, str]] = ..., status: _Optional[int] = ..., status_text: _Optional[str] = ..., content_type: _Optional[str] = ..., failure: _Optional[str] = ..., blocked_by: _Optional[_Union[NetworkRequest.BlockedBy, str]] = ..., blocked_reason: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., timing: _Optional[_Union[RequestTiming, _Mapping]] = ..., transferred_bytes: _Optional[int] = ..., body_bytes: _Optional[int] = ..., cache: _Optional[_Union[NetworkRequest.Cache, str]] = ..., initiator: _Optional[_Union[RequestInitiator, _Mapping]] = ..., redirect_url: _Optional[str] = ..., document_url: _Optional[str] = ..., protocol: _Optional[str] = ..., rule: _Optional[str] = ...) -> None: ...

class RequestTiming(_message.Message):
    __slots__ = ("blocked_ms", "connect_ms", "tls_ms", "send_ms", "wait_ms", "receive_ms", "total_ms")
    BLOCKED_MS_FIELD_NUMBER: _ClassVar[int]
    CONNECT_MS_FIELD_NUMBER: _ClassVar[int]
    TLS_MS_FIELD_NUMBER: _ClassVar[int]
    SEND_MS_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    RECEIVE_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    blocked_ms: float
    connect_ms: float
    tls_ms: float
    send_ms: float
    wait_ms: float
    receive_ms: float
    total_ms: float
    def __init__(self, blocked_ms: _Optional[float] = ..., connect_ms: _Optional[float] = ..., tls_ms: _Optional[float] = ..., send_ms: _Optional[float] = ..., wait_ms: _Optional[float] = ..., receive_ms: _Optional[float] = ..., total_ms: _Optional[float] = ...) -> None: ...

class RequestInitiator(_message.Message):
    __slots__ = ("type", "url", "line", "column")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    type: str
    url: str
    line: int
    column: int
    def __init__(self, type: _Optional[str] = ..., url: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ...) -> None: ...

class RequestFilter(_message.Message):
    __slots__ = ("tab_id", "url_pattern", "types", "methods", "min_status", "max_status", "only_failed", "since_request_id")
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    URL_PATTERN_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    METHODS_FIELD_NUMBER: _ClassVar[int]
    MIN_STATUS_FIELD_NUMBER: _ClassVar[int]
    MAX_STATUS_FIELD_NUMBER: _ClassVar[int]
    ONLY_FAILED_FIELD_NUMBER: _ClassVar[int]
    SINCE_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    tab_id: str
    url_pattern: str
    types: _containers.RepeatedScalarFieldContainer[ResourceType]
    methods: _containers.RepeatedScalarFieldContainer[str]
    min_status: int
    max_status: int
    only_failed: bool
    since_request_id: str
    def __init__(self, tab_id: _Optional[str] = ..., url_pattern: _Optional[str] = ..., types: _Optional[_Iterable[_Union[ResourceType, str]]] = ..., methods: _Optional[_Iterable[str]] = ..., min_status: _Optional[int] = ..., max_status: _Optional[int] = ..., only_failed: bool = ..., since_request_id: _Optional[str] = ...) -> None: ...

class ListRequestsRequest(_message.Message):
    __slots__ = ("session_id", "filter", "page_size", "page_token")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    filter: RequestFilter
    page_size: int
    page_token: str
    def __init__(self, session_id: _Optional[str] = ..., filter: _Optional[_Union[RequestFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRequestsResponse(_message.Message):
    __slots__ = ("requests", "next_page_token", "last_request_id", "dropped_count")
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LAST_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DROPPED_COUNT_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[NetworkRequest]
    next_page_token: str
    last_request_id: str
    dropped_count: int
    def __init__(self, requests: _Optional[_Iterable[_Union[NetworkRequest, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., last_request_id: _Optional[str] = ..., dropped_count: _Optional[int] = ...) -> None: ...

class HttpHeader(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class HttpBody(_message.Message):
    __slots__ = ("text", "data", "total_bytes", "truncated", "missing")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    text: str
    data: bytes
    total_bytes: int
    truncated: bool
    missing: str
    def __init__(self, text: _Optional[str] = ..., data: _Optional[bytes] = ..., total_bytes: _Optional[int] = ..., truncated: bool = ..., missing: _Optional[str] = ...) -> None: ...

class GetRequestRequest(_message.Message):
    __slots__ = ("session_id", "request_id", "max_body_bytes")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    request_id: str
    max_body_bytes: int
    def __init__(self, session_id: _Optional[str] = ..., request_id: _Optional[str] = ..., max_body_bytes: _Optional[int] = ...) -> None: ...

class GetRequestResponse(_message.Message):
    __slots__ = ("request", "request_headers", "response_headers", "request_body", "response_body")
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    REQUEST_HEADERS_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_HEADERS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_BODY_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_BODY_FIELD_NUMBER: _ClassVar[int]
    request: NetworkRequest
    request_headers: _containers.RepeatedCompositeFieldContainer[HttpHeader]
    response_headers: _containers.RepeatedCompositeFieldContainer[HttpHeader]
    request_body: HttpBody
    response_body: HttpBody
    def __init__(self, request: _Optional[_Union[NetworkRequest, _Mapping]] = ..., request_headers: _Optional[_Iterable[_Union[HttpHeader, _Mapping]]] = ..., response_headers: _Optional[_Iterable[_Union[HttpHeader, _Mapping]]] = ..., request_body: _Optional[_Union[HttpBody, _Mapping]] = ..., response_body: _Optional[_Union[HttpBody, _Mapping]] = ...) -> None: ...

class NetworkRule(_message.Message):
    __slots__ = ("name", "url_pattern", "types", "methods", "block", "answer", "headers")
    class Block(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Answer(_message.Message):
        __slots__ = ("status", "content_type", "headers", "body")
        STATUS_FIELD_NUMBER: _ClassVar[int]
        CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
        HEADERS_FIELD_NUMBER: _ClassVar[int]
        BODY_FIELD_NUMBER: _ClassVar[int]
        status: int
        content_type: str
        headers: _containers.RepeatedCompositeFieldContainer[HttpHeader]
        body: bytes
        def __init__(self, status: _Optional[int] = ..., content_type: _Optional[str] = ..., headers: _Optional[_Iterable[_Union[HttpHeader, _Mapping]]] = ..., body: _Optional[bytes] = ...) -> None: ...
    class Headers(_message.Message):
        __slots__ = ("set_request", "remove_request", "set_response", "remove_response")
        SET_REQUEST_FIELD_NUMBER: _ClassVar[int]
        REMOVE_REQUEST_FIELD_NUMBER: _ClassVar[int]
        SET_RESPONSE_FIELD_NUMBER: _ClassVar[int]
        REMOVE_RESPONSE_FIELD_NUMBER: _ClassVar[int]
        set_request: _containers.RepeatedCompositeFieldContainer[HttpHeader]
        remove_request: _containers.RepeatedScalarFieldContainer[str]
        set_response: _containers.RepeatedCompositeFieldContainer[HttpHeader]
        remove_response: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, set_request: _Optional[_Iterable[_Union[HttpHeader, _Mapping]]] = ..., remove_request: _Optional[_Iterable[str]] = ..., set_response: _Optional[_Iterable[_Union[HttpHeader, _Mapping]]] = ..., remove_response: _Optional[_Iterable[str]] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    URL_PATTERN_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    METHODS_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    url_pattern: str
    types: _containers.RepeatedScalarFieldContainer[ResourceType]
    methods: _containers.RepeatedScalarFieldContainer[str]
    block: NetworkRule.Block
    answer: NetworkRule.Answer
    headers: NetworkRule.Headers
    def __init__(self, name: _Optional[str] = ..., url_pattern: _Optional[str] = ..., types: _Optional[_Iterable[_Union[ResourceType, str]]] = ..., methods: _Optional[_Iterable[str]] = ..., block: _Optional[_Union[NetworkRule.Block, _Mapping]] = ..., answer: _Optional[_Union[NetworkRule.Answer, _Mapping]] = ..., headers: _Optional[_Union[NetworkRule.Headers, _Mapping]] = ...) -> None: ...

class SetNetworkRulesRequest(_message.Message):
    __slots__ = ("session_id", "rules")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    rules: _containers.RepeatedCompositeFieldContainer[NetworkRule]
    def __init__(self, session_id: _Optional[str] = ..., rules: _Optional[_Iterable[_Union[NetworkRule, _Mapping]]] = ...) -> None: ...

class SetNetworkRulesResponse(_message.Message):
    __slots__ = ("rules",)
    RULES_FIELD_NUMBER: _ClassVar[int]
    rules: _containers.RepeatedCompositeFieldContainer[NetworkRule]
    def __init__(self, rules: _Optional[_Iterable[_Union[NetworkRule, _Mapping]]] = ...) -> None: ...

class GetNetworkRulesRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class GetNetworkRulesResponse(_message.Message):
    __slots__ = ("rules",)
    RULES_FIELD_NUMBER: _ClassVar[int]
    rules: _containers.RepeatedCompositeFieldContainer[NetworkRule]
    def __init__(self, rules: _Optional[_Iterable[_Union[NetworkRule, _Mapping]]] = ...) -> None: ...

class ExportHarRequest(_message.Message):
    __slots__ = ("session_id", "filter", "max_body_bytes")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    MAX_BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    filter: RequestFilter
    max_body_bytes: int
    def __init__(self, session_id: _Optional[str] = ..., filter: _Optional[_Union[RequestFilter, _Mapping]] = ..., max_body_bytes: _Optional[int] = ...) -> None: ...

class ExportHarResponse(_message.Message):
    __slots__ = ("data", "entry_count", "missing_body_count", "is_last")
    DATA_FIELD_NUMBER: _ClassVar[int]
    ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    MISSING_BODY_COUNT_FIELD_NUMBER: _ClassVar[int]
    IS_LAST_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    entry_count: int
    missing_body_count: int
    is_last: bool
    def __init__(self, data: _Optional[bytes] = ..., entry_count: _Optional[int] = ..., missing_body_count: _Optional[int] = ..., is_last: bool = ...) -> None: ...

class ConsoleMessage(_message.Message):
    __slots__ = ("message_id", "level", "kind", "text", "url", "line", "column", "stack", "count", "first_time", "last_time")
    class Level(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        LEVEL_UNSPECIFIED: _ClassVar[ConsoleMessage.Level]
        LEVEL_DEBUG: _ClassVar[ConsoleMessage.Level]
        LEVEL_INFO: _ClassVar[ConsoleMessage.Level]
        LEVEL_WARNING: _ClassVar[ConsoleMessage.Level]
        LEVEL_ERROR: _ClassVar[ConsoleMessage.Level]
    LEVEL_UNSPECIFIED: ConsoleMessage.Level
    LEVEL_DEBUG: ConsoleMessage.Level
    LEVEL_INFO: ConsoleMessage.Level
    LEVEL_WARNING: ConsoleMessage.Level
    LEVEL_ERROR: ConsoleMessage.Level
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[ConsoleMessage.Kind]
        KIND_CONSOLE: _ClassVar[ConsoleMessage.Kind]
        KIND_EXCEPTION: _ClassVar[ConsoleMessage.Kind]
        KIND_BROWSER: _ClassVar[ConsoleMessage.Kind]
    KIND_UNSPECIFIED: ConsoleMessage.Kind
    KIND_CONSOLE: ConsoleMessage.Kind
    KIND_EXCEPTION: ConsoleMessage.Kind
    KIND_BROWSER: ConsoleMessage.Kind
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    STACK_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRST_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_TIME_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    level: ConsoleMessage.Level
    kind: ConsoleMessage.Kind
    text: str
    url: str
    line: int
    column: int
    stack: _containers.RepeatedCompositeFieldContainer[StackFrame]
    count: int
    first_time: _timestamp_pb2.Timestamp
    last_time: _timestamp_pb2.Timestamp
    def __init__(self, message_id: _Optional[str] = ..., level: _Optional[_Union[ConsoleMessage.Level, str]] = ..., kind: _Optional[_Union[ConsoleMessage.Kind, str]] = ..., text: _Optional[str] = ..., url: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ..., stack: _Optional[_Iterable[_Union[StackFrame, _Mapping]]] = ..., count: _Optional[int] = ..., first_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class StackFrame(_message.Message):
    __slots__ = ("function", "url", "line", "column")
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    function: str
    url: str
    line: int
    column: int
    def __init__(self, function: _Optional[str] = ..., url: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ...) -> None: ...

class ListConsoleRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "min_level", "kinds", "since_message_id", "page_size", "page_token")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    MIN_LEVEL_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SINCE_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    min_level: ConsoleMessage.Level
    kinds: _containers.RepeatedScalarFieldContainer[ConsoleMessage.Kind]
    since_message_id: str
    page_size: int
    page_token: str
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., min_level: _Optional[_Union[ConsoleMessage.Level, str]] = ..., kinds: _Optional[_Iterable[_Union[ConsoleMessage.Kind, str]]] = ..., since_message_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListConsoleResponse(_message.Message):
    __slots__ = ("messages", "next_page_token", "last_message_id", "dropped_count", "incomplete", "tab_id")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LAST_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    DROPPED_COUNT_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[ConsoleMessage]
    next_page_token: str
    last_message_id: str
    dropped_count: int
    incomplete: str
    tab_id: str
    def __init__(self, messages: _Optional[_Iterable[_Union[ConsoleMessage, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., last_message_id: _Optional[str] = ..., dropped_count: _Optional[int] = ..., incomplete: _Optional[str] = ..., tab_id: _Optional[str] = ...) -> None: ...
