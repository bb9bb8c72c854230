from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ParseImageRequest(_message.Message):
    __slots__ = ("image", "detectors", "scale", "include_annotated")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    DETECTORS_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_ANNOTATED_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    detectors: _containers.RepeatedScalarFieldContainer[str]
    scale: float
    include_annotated: bool
    def __init__(self, image: _Optional[bytes] = ..., detectors: _Optional[_Iterable[str]] = ..., scale: _Optional[float] = ..., include_annotated: bool = ...) -> None: ...

class ParseImageResponse(_message.Message):
    __slots__ = ("snapshot", "annotated")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    ANNOTATED_FIELD_NUMBER: _ClassVar[int]
    snapshot: _types_pb2.Snapshot
    annotated: _types_pb2.Image
    def __init__(self, snapshot: _Optional[_Union[_types_pb2.Snapshot, _Mapping]] = ..., annotated: _Optional[_Union[_types_pb2.Image, _Mapping]] = ...) -> None: ...

class ListDetectorsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListDetectorsResponse(_message.Message):
    __slots__ = ("detectors",)
    DETECTORS_FIELD_NUMBER: _ClassVar[int]
    detectors: _containers.RepeatedCompositeFieldContainer[Detector]
    def __init__(self, detectors: _Optional[_Iterable[_Union[Detector, _Mapping]]] = ...) -> None: ...

class Detector(_message.Message):
    __slots__ = ("name", "description", "licence", "version", "kinds", "languages", "limits", "installed", "missing", "model_bytes", "default_enabled")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    LICENCE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    INSTALLED_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    MODEL_BYTES_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_ENABLED_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    licence: str
    version: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    languages: _containers.RepeatedScalarFieldContainer[str]
    limits: _containers.RepeatedScalarFieldContainer[str]
    installed: bool
    missing: str
    model_bytes: int
    default_enabled: bool
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., licence: _Optional[str] = ..., version: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., languages: _Optional[_Iterable[str]] = ..., limits: _Optional[_Iterable[str]] = ..., installed: bool = ..., missing: _Optional[str] = ..., model_bytes: _Optional[int] = ..., default_enabled: bool = ...) -> None: ...
