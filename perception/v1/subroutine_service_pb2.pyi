import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from perception.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlanKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_KIND_UNSPECIFIED: _ClassVar[PlanKind]
    PLAN_KIND_DOM: _ClassVar[PlanKind]
    PLAN_KIND_NETWORK: _ClassVar[PlanKind]
    PLAN_KIND_HYBRID: _ClassVar[PlanKind]
PLAN_KIND_UNSPECIFIED: PlanKind
PLAN_KIND_DOM: PlanKind
PLAN_KIND_NETWORK: PlanKind
PLAN_KIND_HYBRID: PlanKind

class StartRecordingRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "include_person")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PERSON_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    include_person: bool
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., include_person: bool = ...) -> None: ...

class StartRecordingResponse(_message.Message):
    __slots__ = ("recording_id",)
    RECORDING_ID_FIELD_NUMBER: _ClassVar[int]
    recording_id: str
    def __init__(self, recording_id: _Optional[str] = ...) -> None: ...

class StopRecordingRequest(_message.Message):
    __slots__ = ("session_id", "recording_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    RECORDING_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    recording_id: str
    def __init__(self, session_id: _Optional[str] = ..., recording_id: _Optional[str] = ...) -> None: ...

class StopRecordingResponse(_message.Message):
    __slots__ = ("recording_id", "event_count", "request_count", "steps", "candidates", "context", "left_out", "open_requests")
    RECORDING_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_COUNT_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    OPEN_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    recording_id: str
    event_count: int
    request_count: int
    steps: _containers.RepeatedScalarFieldContainer[str]
    candidates: _containers.RepeatedCompositeFieldContainer[RequestCandidate]
    context: str
    left_out: _containers.RepeatedScalarFieldContainer[str]
    open_requests: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, recording_id: _Optional[str] = ..., event_count: _Optional[int] = ..., request_count: _Optional[int] = ..., steps: _Optional[_Iterable[str]] = ..., candidates: _Optional[_Iterable[_Union[RequestCandidate, _Mapping]]] = ..., context: _Optional[str] = ..., left_out: _Optional[_Iterable[str]] = ..., open_requests: _Optional[_Iterable[str]] = ...) -> None: ...

class RequestCandidate(_message.Message):
    __slots__ = ("method", "url", "status", "score", "reasons", "volatile")
    METHOD_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    VOLATILE_FIELD_NUMBER: _ClassVar[int]
    method: str
    url: str
    status: int
    score: int
    reasons: _containers.RepeatedScalarFieldContainer[str]
    volatile: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, method: _Optional[str] = ..., url: _Optional[str] = ..., status: _Optional[int] = ..., score: _Optional[int] = ..., reasons: _Optional[_Iterable[str]] = ..., volatile: _Optional[_Iterable[str]] = ...) -> None: ...

class Subroutine(_message.Message):
    __slots__ = ("subroutine_id", "name", "description", "origin", "plan", "plan_reason", "parameters_schema", "body", "create_time", "recording_ids", "changed_by_hand", "context", "parameter_names", "success_condition", "etag")
    SUBROUTINE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    PLAN_REASON_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    RECORDING_IDS_FIELD_NUMBER: _ClassVar[int]
    CHANGED_BY_HAND_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PARAMETER_NAMES_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_CONDITION_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    subroutine_id: str
    name: str
    description: str
    origin: str
    plan: PlanKind
    plan_reason: str
    parameters_schema: _struct_pb2.Struct
    body: str
    create_time: _timestamp_pb2.Timestamp
    recording_ids: _containers.RepeatedScalarFieldContainer[str]
    changed_by_hand: bool
    context: str
    parameter_names: _containers.RepeatedScalarFieldContainer[str]
    success_condition: _containers.RepeatedScalarFieldContainer[str]
    etag: str
    def __init__(self, subroutine_id: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., origin: _Optional[str] = ..., plan: _Optional[_Union[PlanKind, str]] = ..., plan_reason: _Optional[str] = ..., parameters_schema: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., body: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., recording_ids: _Optional[_Iterable[str]] = ..., changed_by_hand: bool = ..., context: _Optional[str] = ..., parameter_names: _Optional[_Iterable[str]] = ..., success_condition: _Optional[_Iterable[str]] = ..., etag: _Optional[str] = ...) -> None: ...

class CreateSubroutineRequest(_message.Message):
    __slots__ = ("recording_ids", "name", "description", "plan", "rename")
    class RenameEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RECORDING_IDS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    RENAME_FIELD_NUMBER: _ClassVar[int]
    recording_ids: _containers.RepeatedScalarFieldContainer[str]
    name: str
    description: str
    plan: PlanKind
    rename: _containers.ScalarMap[str, str]
    def __init__(self, recording_ids: _Optional[_Iterable[str]] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., plan: _Optional[_Union[PlanKind, str]] = ..., rename: _Optional[_Mapping[str, str]] = ...) -> None: ...

class CreateSubroutineResponse(_message.Message):
    __slots__ = ("subroutine",)
    SUBROUTINE_FIELD_NUMBER: _ClassVar[int]
    subroutine: Subroutine
    def __init__(self, subroutine: _Optional[_Union[Subroutine, _Mapping]] = ...) -> None: ...

class ListSubroutinesRequest(_message.Message):
    __slots__ = ("origin",)
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    origin: str
    def __init__(self, origin: _Optional[str] = ...) -> None: ...

class ListSubroutinesResponse(_message.Message):
    __slots__ = ("subroutines",)
    SUBROUTINES_FIELD_NUMBER: _ClassVar[int]
    subroutines: _containers.RepeatedCompositeFieldContainer[Subroutine]
    def __init__(self, subroutines: _Optional[_Iterable[_Union[Subroutine, _Mapping]]] = ...) -> None: ...

class RunSubroutineRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "subroutine_id", "parameters", "request_id", "all_requests")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    SUBROUTINE_ID_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ALL_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    subroutine_id: str
    parameters: _struct_pb2.Struct
    request_id: str
    all_requests: bool
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., subroutine_id: _Optional[str] = ..., parameters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., request_id: _Optional[str] = ..., all_requests: bool = ...) -> None: ...

class RunSubroutineResponse(_message.Message):
    __slots__ = ("success", "data", "error", "steps", "requests", "elapsed", "reason", "failed_step", "sent", "before", "after", "fell_back", "confirmed_by")
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FAILED_STEP_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    FELL_BACK_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_BY_FIELD_NUMBER: _ClassVar[int]
    success: bool
    data: _struct_pb2.Value
    error: str
    steps: _containers.RepeatedCompositeFieldContainer[SubroutineStep]
    requests: _containers.RepeatedCompositeFieldContainer[SubroutineHttpExchange]
    elapsed: _duration_pb2.Duration
    reason: str
    failed_step: int
    sent: bool
    before: str
    after: str
    fell_back: str
    confirmed_by: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, success: bool = ..., data: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., error: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[SubroutineStep, _Mapping]]] = ..., requests: _Optional[_Iterable[_Union[SubroutineHttpExchange, _Mapping]]] = ..., elapsed: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., reason: _Optional[str] = ..., failed_step: _Optional[int] = ..., sent: bool = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., fell_back: _Optional[str] = ..., confirmed_by: _Optional[_Iterable[str]] = ...) -> None: ...

class SubroutineStep(_message.Message):
    __slots__ = ("index", "description", "done", "error")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    index: int
    description: str
    done: bool
    error: str
    def __init__(self, index: _Optional[int] = ..., description: _Optional[str] = ..., done: bool = ..., error: _Optional[str] = ...) -> None: ...

class SubroutineHttpExchange(_message.Message):
    __slots__ = ("method", "url", "status")
    METHOD_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    method: str
    url: str
    status: int
    def __init__(self, method: _Optional[str] = ..., url: _Optional[str] = ..., status: _Optional[int] = ...) -> None: ...

class DeleteSubroutineRequest(_message.Message):
    __slots__ = ("subroutine_id",)
    SUBROUTINE_ID_FIELD_NUMBER: _ClassVar[int]
    subroutine_id: str
    def __init__(self, subroutine_id: _Optional[str] = ...) -> None: ...

class DeleteSubroutineResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetSubroutineRequest(_message.Message):
    __slots__ = ("subroutine_id",)
    SUBROUTINE_ID_FIELD_NUMBER: _ClassVar[int]
    subroutine_id: str
    def __init__(self, subroutine_id: _Optional[str] = ...) -> None: ...

class GetSubroutineResponse(_message.Message):
    __slots__ = ("subroutine",)
    SUBROUTINE_FIELD_NUMBER: _ClassVar[int]
    subroutine: Subroutine
    def __init__(self, subroutine: _Optional[_Union[Subroutine, _Mapping]] = ...) -> None: ...

class UpdateSubroutineRequest(_message.Message):
    __slots__ = ("subroutine_id", "body", "description", "rename", "parameter_descriptions", "etag", "validate_only")
    class RenameEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class ParameterDescriptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SUBROUTINE_ID_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    RENAME_FIELD_NUMBER: _ClassVar[int]
    PARAMETER_DESCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    subroutine_id: str
    body: str
    description: str
    rename: _containers.ScalarMap[str, str]
    parameter_descriptions: _containers.ScalarMap[str, str]
    etag: str
    validate_only: bool
    def __init__(self, subroutine_id: _Optional[str] = ..., body: _Optional[str] = ..., description: _Optional[str] = ..., rename: _Optional[_Mapping[str, str]] = ..., parameter_descriptions: _Optional[_Mapping[str, str]] = ..., etag: _Optional[str] = ..., validate_only: bool = ...) -> None: ...

class UpdateSubroutineResponse(_message.Message):
    __slots__ = ("subroutine",)
    SUBROUTINE_FIELD_NUMBER: _ClassVar[int]
    subroutine: Subroutine
    def __init__(self, subroutine: _Optional[_Union[Subroutine, _Mapping]] = ...) -> None: ...
