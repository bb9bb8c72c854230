from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
RULES_FIELD_NUMBER: _ClassVar[int]
rules: _descriptor.FieldDescriptor
NEEDED_FIELD_NUMBER: _ClassVar[int]
needed: _descriptor.FieldDescriptor

class MethodRules(_message.Message):
    __slots__ = ("right", "right_by_lease", "way", "read_only", "listing", "load", "beside_person", "for_watchers", "leaves_session_idle", "beside_file_chooser", "quiet", "words")
    class Right(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        RIGHT_UNSPECIFIED: _ClassVar[MethodRules.Right]
        RIGHT_VIEW: _ClassVar[MethodRules.Right]
        RIGHT_CONTROL: _ClassVar[MethodRules.Right]
        RIGHT_ALL: _ClassVar[MethodRules.Right]
    RIGHT_UNSPECIFIED: MethodRules.Right
    RIGHT_VIEW: MethodRules.Right
    RIGHT_CONTROL: MethodRules.Right
    RIGHT_ALL: MethodRules.Right
    class Way(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        WAY_UNSPECIFIED: _ClassVar[MethodRules.Way]
        WAY_FREE_SLOT: _ClassVar[MethodRules.Way]
        WAY_ALL_WORKERS: _ClassVar[MethodRules.Way]
    WAY_UNSPECIFIED: MethodRules.Way
    WAY_FREE_SLOT: MethodRules.Way
    WAY_ALL_WORKERS: MethodRules.Way
    class Listing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        LISTING_UNSPECIFIED: _ClassVar[MethodRules.Listing]
        LISTING_AGENT: _ClassVar[MethodRules.Listing]
        LISTING_NONE: _ClassVar[MethodRules.Listing]
    LISTING_UNSPECIFIED: MethodRules.Listing
    LISTING_AGENT: MethodRules.Listing
    LISTING_NONE: MethodRules.Listing
    class Load(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        LOAD_UNSPECIFIED: _ClassVar[MethodRules.Load]
        LOAD_RELIEF: _ClassVar[MethodRules.Load]
        LOAD_WATCH: _ClassVar[MethodRules.Load]
        LOAD_TRANSFER: _ClassVar[MethodRules.Load]
    LOAD_UNSPECIFIED: MethodRules.Load
    LOAD_RELIEF: MethodRules.Load
    LOAD_WATCH: MethodRules.Load
    LOAD_TRANSFER: MethodRules.Load
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    RIGHT_BY_LEASE_FIELD_NUMBER: _ClassVar[int]
    WAY_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    LISTING_FIELD_NUMBER: _ClassVar[int]
    LOAD_FIELD_NUMBER: _ClassVar[int]
    BESIDE_PERSON_FIELD_NUMBER: _ClassVar[int]
    FOR_WATCHERS_FIELD_NUMBER: _ClassVar[int]
    LEAVES_SESSION_IDLE_FIELD_NUMBER: _ClassVar[int]
    BESIDE_FILE_CHOOSER_FIELD_NUMBER: _ClassVar[int]
    QUIET_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    right: MethodRules.Right
    right_by_lease: bool
    way: MethodRules.Way
    read_only: bool
    listing: MethodRules.Listing
    load: MethodRules.Load
    beside_person: bool
    for_watchers: bool
    leaves_session_idle: bool
    beside_file_chooser: bool
    quiet: bool
    words: str
    def __init__(self, right: _Optional[_Union[MethodRules.Right, str]] = ..., right_by_lease: bool = ..., way: _Optional[_Union[MethodRules.Way, str]] = ..., read_only: bool = ..., listing: _Optional[_Union[MethodRules.Listing, str]] = ..., load: _Optional[_Union[MethodRules.Load, str]] = ..., beside_person: bool = ..., for_watchers: bool = ..., leaves_session_idle: bool = ..., beside_file_chooser: bool = ..., quiet: bool = ..., words: _Optional[str] = ...) -> None: ...
