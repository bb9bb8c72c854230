from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Paper(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAPER_UNSPECIFIED: _ClassVar[Paper]
    PAPER_A3: _ClassVar[Paper]
    PAPER_A4: _ClassVar[Paper]
    PAPER_A5: _ClassVar[Paper]
    PAPER_LETTER: _ClassVar[Paper]
    PAPER_LEGAL: _ClassVar[Paper]
    PAPER_TABLOID: _ClassVar[Paper]
PAPER_UNSPECIFIED: Paper
PAPER_A3: Paper
PAPER_A4: Paper
PAPER_A5: Paper
PAPER_LETTER: Paper
PAPER_LEGAL: Paper
PAPER_TABLOID: Paper

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

class PaperSize(_message.Message):
    __slots__ = ("width_mm", "height_mm")
    WIDTH_MM_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_MM_FIELD_NUMBER: _ClassVar[int]
    width_mm: float
    height_mm: float
    def __init__(self, width_mm: _Optional[float] = ..., height_mm: _Optional[float] = ...) -> None: ...

class PageMargins(_message.Message):
    __slots__ = ("top_mm", "right_mm", "bottom_mm", "left_mm")
    TOP_MM_FIELD_NUMBER: _ClassVar[int]
    RIGHT_MM_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_MM_FIELD_NUMBER: _ClassVar[int]
    LEFT_MM_FIELD_NUMBER: _ClassVar[int]
    top_mm: float
    right_mm: float
    bottom_mm: float
    left_mm: float
    def __init__(self, top_mm: _Optional[float] = ..., right_mm: _Optional[float] = ..., bottom_mm: _Optional[float] = ..., left_mm: _Optional[float] = ...) -> None: ...

class PdfOptions(_message.Message):
    __slots__ = ("paper", "paper_size", "landscape", "margins", "page_ranges", "background", "scale", "prefer_css_page_size")
    PAPER_FIELD_NUMBER: _ClassVar[int]
    PAPER_SIZE_FIELD_NUMBER: _ClassVar[int]
    LANDSCAPE_FIELD_NUMBER: _ClassVar[int]
    MARGINS_FIELD_NUMBER: _ClassVar[int]
    PAGE_RANGES_FIELD_NUMBER: _ClassVar[int]
    BACKGROUND_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    PREFER_CSS_PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    paper: Paper
    paper_size: PaperSize
    landscape: bool
    margins: PageMargins
    page_ranges: str
    background: bool
    scale: float
    prefer_css_page_size: bool
    def __init__(self, paper: _Optional[_Union[Paper, str]] = ..., paper_size: _Optional[_Union[PaperSize, _Mapping]] = ..., landscape: bool = ..., margins: _Optional[_Union[PageMargins, _Mapping]] = ..., page_ranges: _Optional[str] = ..., background: bool = ..., scale: _Optional[float] = ..., prefer_css_page_size: bool = ...) -> None: ...

class PrintToPdfRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "options", "name", "reveal_sensitive")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REVEAL_SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    options: PdfOptions
    name: str
    reveal_sensitive: bool
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., options: _Optional[_Union[PdfOptions, _Mapping]] = ..., name: _Optional[str] = ..., reveal_sensitive: bool = ...) -> None: ...

class PrintToPdfResponse(_message.Message):
    __slots__ = ("download",)
    DOWNLOAD_FIELD_NUMBER: _ClassVar[int]
    download: _types_pb2.Download
    def __init__(self, download: _Optional[_Union[_types_pb2.Download, _Mapping]] = ...) -> None: ...
