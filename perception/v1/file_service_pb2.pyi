from perception.v1 import types_pb2 as _types_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReadDownloadRequest(_message.Message):
    __slots__ = ("session_id", "download_id", "offset")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    DOWNLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    download_id: str
    offset: int
    def __init__(self, session_id: _Optional[str] = ..., download_id: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class ReadDownloadResponse(_message.Message):
    __slots__ = ("data", "offset", "download", "sha256")
    DATA_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DOWNLOAD_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    offset: int
    download: _types_pb2.Download
    sha256: str
    def __init__(self, data: _Optional[bytes] = ..., offset: _Optional[int] = ..., download: _Optional[_Union[_types_pb2.Download, _Mapping]] = ..., sha256: _Optional[str] = ...) -> None: ...

class StreamUploadRequest(_message.Message):
    __slots__ = ("session_id", "name", "data", "size_bytes", "sha256")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    name: str
    data: bytes
    size_bytes: int
    sha256: str
    def __init__(self, session_id: _Optional[str] = ..., name: _Optional[str] = ..., data: _Optional[bytes] = ..., size_bytes: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class StreamUploadResponse(_message.Message):
    __slots__ = ("upload_id", "size_bytes", "sha256")
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    upload_id: str
    size_bytes: int
    sha256: str
    def __init__(self, upload_id: _Optional[str] = ..., size_bytes: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...
