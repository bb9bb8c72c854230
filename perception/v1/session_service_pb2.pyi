import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from perception.v1 import control_service_pb2 as _control_service_pb2
from perception.v1 import network_service_pb2 as _network_service_pb2
from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import perception_service_pb2 as _perception_service_pb2
from perception.v1 import types_pb2 as _types_pb2
from perception.v1 import video_service_pb2 as _video_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HumanControl(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HUMAN_CONTROL_UNSPECIFIED: _ClassVar[HumanControl]
    HUMAN_CONTROL_WAIT: _ClassVar[HumanControl]
    HUMAN_CONTROL_REFUSE: _ClassVar[HumanControl]

class ColorScheme(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLOR_SCHEME_UNSPECIFIED: _ClassVar[ColorScheme]
    COLOR_SCHEME_LIGHT: _ClassVar[ColorScheme]
    COLOR_SCHEME_DARK: _ClassVar[ColorScheme]

class WaitUntil(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WAIT_UNTIL_UNSPECIFIED: _ClassVar[WaitUntil]
    WAIT_UNTIL_COMMIT: _ClassVar[WaitUntil]
    WAIT_UNTIL_DOM_CONTENT_LOADED: _ClassVar[WaitUntil]
    WAIT_UNTIL_SETTLED: _ClassVar[WaitUntil]
    WAIT_UNTIL_LOAD: _ClassVar[WaitUntil]

class StateFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STATE_FORMAT_UNSPECIFIED: _ClassVar[StateFormat]
    STATE_FORMAT_PLAYWRIGHT: _ClassVar[StateFormat]
    STATE_FORMAT_NETSCAPE: _ClassVar[StateFormat]
    STATE_FORMAT_COOKIES_JSON: _ClassVar[StateFormat]
    STATE_FORMAT_CURL: _ClassVar[StateFormat]
HUMAN_CONTROL_UNSPECIFIED: HumanControl
HUMAN_CONTROL_WAIT: HumanControl
HUMAN_CONTROL_REFUSE: HumanControl
COLOR_SCHEME_UNSPECIFIED: ColorScheme
COLOR_SCHEME_LIGHT: ColorScheme
COLOR_SCHEME_DARK: ColorScheme
WAIT_UNTIL_UNSPECIFIED: WaitUntil
WAIT_UNTIL_COMMIT: WaitUntil
WAIT_UNTIL_DOM_CONTENT_LOADED: WaitUntil
WAIT_UNTIL_SETTLED: WaitUntil
WAIT_UNTIL_LOAD: WaitUntil
STATE_FORMAT_UNSPECIFIED: StateFormat
STATE_FORMAT_PLAYWRIGHT: StateFormat
STATE_FORMAT_NETSCAPE: StateFormat
STATE_FORMAT_COOKIES_JSON: StateFormat
STATE_FORMAT_CURL: StateFormat

class SessionOptions(_message.Message):
    __slots__ = ("viewport", "locale", "timezone", "color_scheme", "idle_timeout", "allow_evaluate", "allowed_origins", "dedicated_browser", "snapshot_defaults", "no_look_ahead", "state", "profile", "profile_read_only", "video", "record_network", "network_rules", "record_console", "device", "touch", "mobile", "user_agent", "conditions", "keep_call_pictures", "human_control", "upstream_proxy", "page_tool_origins")
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    TIMEZONE_FIELD_NUMBER: _ClassVar[int]
    COLOR_SCHEME_FIELD_NUMBER: _ClassVar[int]
    IDLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    ALLOW_EVALUATE_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    DEDICATED_BROWSER_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_DEFAULTS_FIELD_NUMBER: _ClassVar[int]
    NO_LOOK_AHEAD_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    VIDEO_FIELD_NUMBER: _ClassVar[int]
    RECORD_NETWORK_FIELD_NUMBER: _ClassVar[int]
    NETWORK_RULES_FIELD_NUMBER: _ClassVar[int]
    RECORD_CONSOLE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    MOBILE_FIELD_NUMBER: _ClassVar[int]
    USER_AGENT_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    KEEP_CALL_PICTURES_FIELD_NUMBER: _ClassVar[int]
    HUMAN_CONTROL_FIELD_NUMBER: _ClassVar[int]
    UPSTREAM_PROXY_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOOL_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    viewport: _types_pb2.Viewport
    locale: str
    timezone: str
    color_scheme: ColorScheme
    idle_timeout: _duration_pb2.Duration
    allow_evaluate: bool
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    dedicated_browser: bool
    snapshot_defaults: _perception_service_pb2.SnapshotOptions
    no_look_ahead: bool
    state: bytes
    profile: str
    profile_read_only: bool
    video: _video_service_pb2.VideoOptions
    record_network: bool
    network_rules: _containers.RepeatedCompositeFieldContainer[_network_service_pb2.NetworkRule]
    record_console: bool
    device: str
    touch: bool
    mobile: bool
    user_agent: UserAgent
    conditions: Conditions
    keep_call_pictures: bool
    human_control: HumanControl
    upstream_proxy: UpstreamProxy
    page_tool_origins: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, viewport: _Optional[_Union[_types_pb2.Viewport, _Mapping]] = ..., locale: _Optional[str] = ..., timezone: _Optional[str] = ..., color_scheme: _Optional[_Union[ColorScheme, str]] = ..., idle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., allow_evaluate: bool = ..., allowed_origins: _Optional[_Iterable[str]] = ..., dedicated_browser: bool = ..., snapshot_defaults: _Optional[_Union[_perception_service_pb2.SnapshotOptions, _Mapping]] = ..., no_look_ahead: bool = ..., state: _Optional[bytes] = ..., profile: _Optional[str] = ..., profile_read_only: bool = ..., video: _Optional[_Union[_video_service_pb2.VideoOptions, _Mapping]] = ..., record_network: bool = ..., network_rules: _Optional[_Iterable[_Union[_network_service_pb2.NetworkRule, _Mapping]]] = ..., record_console: bool = ..., device: _Optional[str] = ..., touch: bool = ..., mobile: bool = ..., user_agent: _Optional[_Union[UserAgent, _Mapping]] = ..., conditions: _Optional[_Union[Conditions, _Mapping]] = ..., keep_call_pictures: bool = ..., human_control: _Optional[_Union[HumanControl, str]] = ..., upstream_proxy: _Optional[_Union[UpstreamProxy, _Mapping]] = ..., page_tool_origins: _Optional[_Iterable[str]] = ...) -> None: ...

class UpstreamProxy(_message.Message):
    __slots__ = ("url", "secret")
    URL_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    url: str
    secret: str
    def __init__(self, url: _Optional[str] = ..., secret: _Optional[str] = ...) -> None: ...

class UserAgent(_message.Message):
    __slots__ = ("text", "client_hints")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CLIENT_HINTS_FIELD_NUMBER: _ClassVar[int]
    text: str
    client_hints: ClientHints
    def __init__(self, text: _Optional[str] = ..., client_hints: _Optional[_Union[ClientHints, _Mapping]] = ...) -> None: ...

class ClientHints(_message.Message):
    __slots__ = ("brands", "full_versions", "platform", "platform_version", "architecture", "model", "bitness", "mobile")
    class Brand(_message.Message):
        __slots__ = ("brand", "version")
        BRAND_FIELD_NUMBER: _ClassVar[int]
        VERSION_FIELD_NUMBER: _ClassVar[int]
        brand: str
        version: str
        def __init__(self, brand: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...
    BRANDS_FIELD_NUMBER: _ClassVar[int]
    FULL_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_VERSION_FIELD_NUMBER: _ClassVar[int]
    ARCHITECTURE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    BITNESS_FIELD_NUMBER: _ClassVar[int]
    MOBILE_FIELD_NUMBER: _ClassVar[int]
    brands: _containers.RepeatedCompositeFieldContainer[ClientHints.Brand]
    full_versions: _containers.RepeatedCompositeFieldContainer[ClientHints.Brand]
    platform: str
    platform_version: str
    architecture: str
    model: str
    bitness: str
    mobile: bool
    def __init__(self, brands: _Optional[_Iterable[_Union[ClientHints.Brand, _Mapping]]] = ..., full_versions: _Optional[_Iterable[_Union[ClientHints.Brand, _Mapping]]] = ..., platform: _Optional[str] = ..., platform_version: _Optional[str] = ..., architecture: _Optional[str] = ..., model: _Optional[str] = ..., bitness: _Optional[str] = ..., mobile: bool = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("session_id", "tabs", "create_time", "last_used_time", "options", "dialogs", "downloads", "expire_time", "file_choosers", "principal", "control", "closes_at_ms", "worker")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TABS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_TIME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DIALOGS_FIELD_NUMBER: _ClassVar[int]
    DOWNLOADS_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    FILE_CHOOSERS_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    CLOSES_AT_MS_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tabs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Tab]
    create_time: _timestamp_pb2.Timestamp
    last_used_time: _timestamp_pb2.Timestamp
    options: SessionOptions
    dialogs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Dialog]
    downloads: _containers.RepeatedCompositeFieldContainer[_types_pb2.Download]
    expire_time: _timestamp_pb2.Timestamp
    file_choosers: _containers.RepeatedCompositeFieldContainer[_types_pb2.FileChooser]
    principal: str
    control: _control_service_pb2.Control
    closes_at_ms: int
    worker: str
    def __init__(self, session_id: _Optional[str] = ..., tabs: _Optional[_Iterable[_Union[_types_pb2.Tab, _Mapping]]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_used_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., options: _Optional[_Union[SessionOptions, _Mapping]] = ..., dialogs: _Optional[_Iterable[_Union[_types_pb2.Dialog, _Mapping]]] = ..., downloads: _Optional[_Iterable[_Union[_types_pb2.Download, _Mapping]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., file_choosers: _Optional[_Iterable[_Union[_types_pb2.FileChooser, _Mapping]]] = ..., principal: _Optional[str] = ..., control: _Optional[_Union[_control_service_pb2.Control, _Mapping]] = ..., closes_at_ms: _Optional[int] = ..., worker: _Optional[str] = ...) -> None: ...

class CreateSessionRequest(_message.Message):
    __slots__ = ("options", "url", "cdp_endpoint", "cdp_target_id", "request_id")
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    CDP_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    CDP_TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    options: SessionOptions
    url: str
    cdp_endpoint: str
    cdp_target_id: str
    request_id: str
    def __init__(self, options: _Optional[_Union[SessionOptions, _Mapping]] = ..., url: _Optional[str] = ..., cdp_endpoint: _Optional[str] = ..., cdp_target_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session", "state_omitted")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    STATE_OMITTED_FIELD_NUMBER: _ClassVar[int]
    session: Session
    state_omitted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., state_omitted: _Optional[_Iterable[str]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "workers_missing")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_MISSING_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    workers_missing: int
    def __init__(self, sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ..., workers_missing: _Optional[int] = ...) -> None: ...

class CloseSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class CloseSessionResponse(_message.Message):
    __slots__ = ("profile_error", "profile_omitted")
    PROFILE_ERROR_FIELD_NUMBER: _ClassVar[int]
    PROFILE_OMITTED_FIELD_NUMBER: _ClassVar[int]
    profile_error: str
    profile_omitted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, profile_error: _Optional[str] = ..., profile_omitted: _Optional[_Iterable[str]] = ...) -> None: ...

class NavigationResult(_message.Message):
    __slots__ = ("url", "title", "http_status", "settle", "tab_id", "downloads")
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    HTTP_STATUS_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    DOWNLOADS_FIELD_NUMBER: _ClassVar[int]
    url: str
    title: str
    http_status: int
    settle: _types_pb2.Settle
    tab_id: str
    downloads: _containers.RepeatedCompositeFieldContainer[_types_pb2.Download]
    def __init__(self, url: _Optional[str] = ..., title: _Optional[str] = ..., http_status: _Optional[int] = ..., settle: _Optional[_Union[_types_pb2.Settle, _Mapping]] = ..., tab_id: _Optional[str] = ..., downloads: _Optional[_Iterable[_Union[_types_pb2.Download, _Mapping]]] = ...) -> None: ...

class NavigateRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "url", "wait_until")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    WAIT_UNTIL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    url: str
    wait_until: WaitUntil
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., url: _Optional[str] = ..., wait_until: _Optional[_Union[WaitUntil, str]] = ...) -> None: ...

class NavigateResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: NavigationResult
    def __init__(self, result: _Optional[_Union[NavigationResult, _Mapping]] = ...) -> None: ...

class GoBackRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "wait_until")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_UNTIL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    wait_until: WaitUntil
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., wait_until: _Optional[_Union[WaitUntil, str]] = ...) -> None: ...

class GoBackResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: NavigationResult
    def __init__(self, result: _Optional[_Union[NavigationResult, _Mapping]] = ...) -> None: ...

class GoForwardRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "wait_until")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_UNTIL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    wait_until: WaitUntil
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., wait_until: _Optional[_Union[WaitUntil, str]] = ...) -> None: ...

class GoForwardResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: NavigationResult
    def __init__(self, result: _Optional[_Union[NavigationResult, _Mapping]] = ...) -> None: ...

class ReloadRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "wait_until", "ignore_cache")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_UNTIL_FIELD_NUMBER: _ClassVar[int]
    IGNORE_CACHE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    wait_until: WaitUntil
    ignore_cache: bool
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., wait_until: _Optional[_Union[WaitUntil, str]] = ..., ignore_cache: bool = ...) -> None: ...

class ReloadResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: NavigationResult
    def __init__(self, result: _Optional[_Union[NavigationResult, _Mapping]] = ...) -> None: ...

class ListTabsRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ListTabsResponse(_message.Message):
    __slots__ = ("tabs",)
    TABS_FIELD_NUMBER: _ClassVar[int]
    tabs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Tab]
    def __init__(self, tabs: _Optional[_Iterable[_Union[_types_pb2.Tab, _Mapping]]] = ...) -> None: ...

class SelectTabRequest(_message.Message):
    __slots__ = ("session_id", "tab_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ...) -> None: ...

class SelectTabResponse(_message.Message):
    __slots__ = ("tab",)
    TAB_FIELD_NUMBER: _ClassVar[int]
    tab: _types_pb2.Tab
    def __init__(self, tab: _Optional[_Union[_types_pb2.Tab, _Mapping]] = ...) -> None: ...

class CloseTabRequest(_message.Message):
    __slots__ = ("session_id", "tab_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ...) -> None: ...

class CloseTabResponse(_message.Message):
    __slots__ = ("tabs",)
    TABS_FIELD_NUMBER: _ClassVar[int]
    tabs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Tab]
    def __init__(self, tabs: _Optional[_Iterable[_Union[_types_pb2.Tab, _Mapping]]] = ...) -> None: ...

class HandleDialogRequest(_message.Message):
    __slots__ = ("session_id", "dialog_id", "accept", "prompt_text", "prompt_empty")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    DIALOG_ID_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TEXT_FIELD_NUMBER: _ClassVar[int]
    PROMPT_EMPTY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    dialog_id: str
    accept: bool
    prompt_text: str
    prompt_empty: bool
    def __init__(self, session_id: _Optional[str] = ..., dialog_id: _Optional[str] = ..., accept: bool = ..., prompt_text: _Optional[str] = ..., prompt_empty: bool = ...) -> None: ...

class HandleDialogResponse(_message.Message):
    __slots__ = ("dialog", "file_chooser")
    DIALOG_FIELD_NUMBER: _ClassVar[int]
    FILE_CHOOSER_FIELD_NUMBER: _ClassVar[int]
    dialog: _types_pb2.Dialog
    file_chooser: _types_pb2.FileChooser
    def __init__(self, dialog: _Optional[_Union[_types_pb2.Dialog, _Mapping]] = ..., file_chooser: _Optional[_Union[_types_pb2.FileChooser, _Mapping]] = ...) -> None: ...

class ExportStateRequest(_message.Message):
    __slots__ = ("session_id", "origins", "without_indexed_db")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGINS_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_INDEXED_DB_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    origins: _containers.RepeatedScalarFieldContainer[str]
    without_indexed_db: bool
    def __init__(self, session_id: _Optional[str] = ..., origins: _Optional[_Iterable[str]] = ..., without_indexed_db: bool = ...) -> None: ...

class ExportStateResponse(_message.Message):
    __slots__ = ("state", "cookie_count", "origin_count", "omitted")
    STATE_FIELD_NUMBER: _ClassVar[int]
    COOKIE_COUNT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_COUNT_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    state: bytes
    cookie_count: int
    origin_count: int
    omitted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, state: _Optional[bytes] = ..., cookie_count: _Optional[int] = ..., origin_count: _Optional[int] = ..., omitted: _Optional[_Iterable[str]] = ...) -> None: ...

class ImportStateRequest(_message.Message):
    __slots__ = ("session_id", "state", "format")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    state: bytes
    format: StateFormat
    def __init__(self, session_id: _Optional[str] = ..., state: _Optional[bytes] = ..., format: _Optional[_Union[StateFormat, str]] = ...) -> None: ...

class ImportStateResponse(_message.Message):
    __slots__ = ("format", "cookie_count", "origin_count", "omitted")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    COOKIE_COUNT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_COUNT_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    format: StateFormat
    cookie_count: int
    origin_count: int
    omitted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, format: _Optional[_Union[StateFormat, str]] = ..., cookie_count: _Optional[int] = ..., origin_count: _Optional[int] = ..., omitted: _Optional[_Iterable[str]] = ...) -> None: ...

class SetViewportRequest(_message.Message):
    __slots__ = ("session_id", "viewport", "device", "mobile", "touch")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    MOBILE_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    viewport: _types_pb2.Viewport
    device: str
    mobile: bool
    touch: bool
    def __init__(self, session_id: _Optional[str] = ..., viewport: _Optional[_Union[_types_pb2.Viewport, _Mapping]] = ..., device: _Optional[str] = ..., mobile: bool = ..., touch: bool = ...) -> None: ...

class SetViewportResponse(_message.Message):
    __slots__ = ("viewport", "mobile", "touch")
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    MOBILE_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    viewport: _types_pb2.Viewport
    mobile: bool
    touch: bool
    def __init__(self, viewport: _Optional[_Union[_types_pb2.Viewport, _Mapping]] = ..., mobile: bool = ..., touch: bool = ...) -> None: ...

class Device(_message.Message):
    __slots__ = ("name", "viewport", "mobile", "touch", "user_agent", "engine")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    MOBILE_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    USER_AGENT_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    name: str
    viewport: _types_pb2.Viewport
    mobile: bool
    touch: bool
    user_agent: str
    engine: str
    def __init__(self, name: _Optional[str] = ..., viewport: _Optional[_Union[_types_pb2.Viewport, _Mapping]] = ..., mobile: bool = ..., touch: bool = ..., user_agent: _Optional[str] = ..., engine: _Optional[str] = ...) -> None: ...

class ListDevicesRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: str
    def __init__(self, query: _Optional[str] = ...) -> None: ...

class ListDevicesResponse(_message.Message):
    __slots__ = ("devices",)
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    devices: _containers.RepeatedCompositeFieldContainer[Device]
    def __init__(self, devices: _Optional[_Iterable[_Union[Device, _Mapping]]] = ...) -> None: ...

class Profile(_message.Message):
    __slots__ = ("name", "create_time", "save_time", "expire_time", "size_bytes", "cookie_count", "origin_count", "used_by_session_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    SAVE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    COOKIE_COUNT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_COUNT_FIELD_NUMBER: _ClassVar[int]
    USED_BY_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    create_time: _timestamp_pb2.Timestamp
    save_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    size_bytes: int
    cookie_count: int
    origin_count: int
    used_by_session_id: str
    def __init__(self, name: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., save_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., size_bytes: _Optional[int] = ..., cookie_count: _Optional[int] = ..., origin_count: _Optional[int] = ..., used_by_session_id: _Optional[str] = ...) -> None: ...

class ListProfilesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListProfilesResponse(_message.Message):
    __slots__ = ("profiles",)
    PROFILES_FIELD_NUMBER: _ClassVar[int]
    profiles: _containers.RepeatedCompositeFieldContainer[Profile]
    def __init__(self, profiles: _Optional[_Iterable[_Union[Profile, _Mapping]]] = ...) -> None: ...

class DeleteProfileRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DeleteProfileResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NewTabRequest(_message.Message):
    __slots__ = ("session_id", "url", "wait_until", "name", "background", "request_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    WAIT_UNTIL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    BACKGROUND_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    url: str
    wait_until: WaitUntil
    name: str
    background: bool
    request_id: str
    def __init__(self, session_id: _Optional[str] = ..., url: _Optional[str] = ..., wait_until: _Optional[_Union[WaitUntil, str]] = ..., name: _Optional[str] = ..., background: bool = ..., request_id: _Optional[str] = ...) -> None: ...

class NewTabResponse(_message.Message):
    __slots__ = ("tab", "result")
    TAB_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    tab: _types_pb2.Tab
    result: NavigationResult
    def __init__(self, tab: _Optional[_Union[_types_pb2.Tab, _Mapping]] = ..., result: _Optional[_Union[NavigationResult, _Mapping]] = ...) -> None: ...

class NameTabRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "name")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    name: str
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class NameTabResponse(_message.Message):
    __slots__ = ("tab",)
    TAB_FIELD_NUMBER: _ClassVar[int]
    tab: _types_pb2.Tab
    def __init__(self, tab: _Optional[_Union[_types_pb2.Tab, _Mapping]] = ...) -> None: ...

class MoveTabRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "index")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    index: int
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., index: _Optional[int] = ...) -> None: ...

class MoveTabResponse(_message.Message):
    __slots__ = ("tabs",)
    TABS_FIELD_NUMBER: _ClassVar[int]
    tabs: _containers.RepeatedCompositeFieldContainer[_types_pb2.Tab]
    def __init__(self, tabs: _Optional[_Iterable[_Union[_types_pb2.Tab, _Mapping]]] = ...) -> None: ...

class ReadClipboardRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ReadClipboardResponse(_message.Message):
    __slots__ = ("text", "html")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    HTML_FIELD_NUMBER: _ClassVar[int]
    text: str
    html: str
    def __init__(self, text: _Optional[str] = ..., html: _Optional[str] = ...) -> None: ...

class WriteClipboardRequest(_message.Message):
    __slots__ = ("session_id", "text", "html")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    HTML_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    text: str
    html: str
    def __init__(self, session_id: _Optional[str] = ..., text: _Optional[str] = ..., html: _Optional[str] = ...) -> None: ...

class WriteClipboardResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Conditions(_message.Message):
    __slots__ = ("geolocation", "permissions", "network", "cpu_slowdown", "media")
    GEOLOCATION_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CPU_SLOWDOWN_FIELD_NUMBER: _ClassVar[int]
    MEDIA_FIELD_NUMBER: _ClassVar[int]
    geolocation: Geolocation
    permissions: _containers.RepeatedCompositeFieldContainer[PermissionRule]
    network: NetworkConditions
    cpu_slowdown: float
    media: Media
    def __init__(self, geolocation: _Optional[_Union[Geolocation, _Mapping]] = ..., permissions: _Optional[_Iterable[_Union[PermissionRule, _Mapping]]] = ..., network: _Optional[_Union[NetworkConditions, _Mapping]] = ..., cpu_slowdown: _Optional[float] = ..., media: _Optional[_Union[Media, _Mapping]] = ...) -> None: ...

class Geolocation(_message.Message):
    __slots__ = ("latitude", "longitude", "accuracy")
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    ACCURACY_FIELD_NUMBER: _ClassVar[int]
    latitude: float
    longitude: float
    accuracy: float
    def __init__(self, latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., accuracy: _Optional[float] = ...) -> None: ...

class PermissionRule(_message.Message):
    __slots__ = ("name", "setting", "origin")
    class Setting(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SETTING_UNSPECIFIED: _ClassVar[PermissionRule.Setting]
        SETTING_GRANT: _ClassVar[PermissionRule.Setting]
        SETTING_DENY: _ClassVar[PermissionRule.Setting]
        SETTING_ASK: _ClassVar[PermissionRule.Setting]
    SETTING_UNSPECIFIED: PermissionRule.Setting
    SETTING_GRANT: PermissionRule.Setting
    SETTING_DENY: PermissionRule.Setting
    SETTING_ASK: PermissionRule.Setting
    NAME_FIELD_NUMBER: _ClassVar[int]
    SETTING_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    name: str
    setting: PermissionRule.Setting
    origin: str
    def __init__(self, name: _Optional[str] = ..., setting: _Optional[_Union[PermissionRule.Setting, str]] = ..., origin: _Optional[str] = ...) -> None: ...

class NetworkConditions(_message.Message):
    __slots__ = ("offline", "latency", "download_bytes_per_s", "upload_bytes_per_s")
    OFFLINE_FIELD_NUMBER: _ClassVar[int]
    LATENCY_FIELD_NUMBER: _ClassVar[int]
    DOWNLOAD_BYTES_PER_S_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_BYTES_PER_S_FIELD_NUMBER: _ClassVar[int]
    offline: bool
    latency: _duration_pb2.Duration
    download_bytes_per_s: float
    upload_bytes_per_s: float
    def __init__(self, offline: bool = ..., latency: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., download_bytes_per_s: _Optional[float] = ..., upload_bytes_per_s: _Optional[float] = ...) -> None: ...

class Media(_message.Message):
    __slots__ = ("printing", "reduced_motion", "forced_colors", "contrast")
    class ReducedMotion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REDUCED_MOTION_UNSPECIFIED: _ClassVar[Media.ReducedMotion]
        REDUCED_MOTION_REDUCE: _ClassVar[Media.ReducedMotion]
        REDUCED_MOTION_NO_PREFERENCE: _ClassVar[Media.ReducedMotion]
    REDUCED_MOTION_UNSPECIFIED: Media.ReducedMotion
    REDUCED_MOTION_REDUCE: Media.ReducedMotion
    REDUCED_MOTION_NO_PREFERENCE: Media.ReducedMotion
    class ForcedColors(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        FORCED_COLORS_UNSPECIFIED: _ClassVar[Media.ForcedColors]
        FORCED_COLORS_ACTIVE: _ClassVar[Media.ForcedColors]
        FORCED_COLORS_NONE: _ClassVar[Media.ForcedColors]
    FORCED_COLORS_UNSPECIFIED: Media.ForcedColors
    FORCED_COLORS_ACTIVE: Media.ForcedColors
    FORCED_COLORS_NONE: Media.ForcedColors
    class Contrast(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CONTRAST_UNSPECIFIED: _ClassVar[Media.Contrast]
        CONTRAST_MORE: _ClassVar[Media.Contrast]
        CONTRAST_LESS: _ClassVar[Media.Contrast]
        CONTRAST_NO_PREFERENCE: _ClassVar[Media.Contrast]
    CONTRAST_UNSPECIFIED: Media.Contrast
    CONTRAST_MORE: Media.Contrast
    CONTRAST_LESS: Media.Contrast
    CONTRAST_NO_PREFERENCE: Media.Contrast
    PRINTING_FIELD_NUMBER: _ClassVar[int]
    REDUCED_MOTION_FIELD_NUMBER: _ClassVar[int]
    FORCED_COLORS_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_FIELD_NUMBER: _ClassVar[int]
    printing: bool
    reduced_motion: Media.ReducedMotion
    forced_colors: Media.ForcedColors
    contrast: Media.Contrast
    def __init__(self, printing: bool = ..., reduced_motion: _Optional[_Union[Media.ReducedMotion, str]] = ..., forced_colors: _Optional[_Union[Media.ForcedColors, str]] = ..., contrast: _Optional[_Union[Media.Contrast, str]] = ...) -> None: ...

class SetConditionsRequest(_message.Message):
    __slots__ = ("session_id", "conditions")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    conditions: Conditions
    def __init__(self, session_id: _Optional[str] = ..., conditions: _Optional[_Union[Conditions, _Mapping]] = ...) -> None: ...

class SetConditionsResponse(_message.Message):
    __slots__ = ("conditions",)
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    conditions: Conditions
    def __init__(self, conditions: _Optional[_Union[Conditions, _Mapping]] = ...) -> None: ...
