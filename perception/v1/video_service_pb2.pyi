import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from perception.v1 import options_pb2 as _options_pb2
from perception.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class VideoFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VIDEO_FORMAT_UNSPECIFIED: _ClassVar[VideoFormat]
    VIDEO_FORMAT_WEBM: _ClassVar[VideoFormat]
    VIDEO_FORMAT_MP4: _ClassVar[VideoFormat]

class VideoEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VIDEO_END_UNSPECIFIED: _ClassVar[VideoEnd]
    VIDEO_END_STOPPED: _ClassVar[VideoEnd]
    VIDEO_END_TAB_CLOSED: _ClassVar[VideoEnd]
    VIDEO_END_SESSION_ENDED: _ClassVar[VideoEnd]
    VIDEO_END_MAX_DURATION: _ClassVar[VideoEnd]
    VIDEO_END_MAX_BYTES: _ClassVar[VideoEnd]
    VIDEO_END_DISK_FULL: _ClassVar[VideoEnd]
    VIDEO_END_FAILED: _ClassVar[VideoEnd]
    VIDEO_END_SERVICE_ENDED: _ClassVar[VideoEnd]
VIDEO_FORMAT_UNSPECIFIED: VideoFormat
VIDEO_FORMAT_WEBM: VideoFormat
VIDEO_FORMAT_MP4: VideoFormat
VIDEO_END_UNSPECIFIED: VideoEnd
VIDEO_END_STOPPED: VideoEnd
VIDEO_END_TAB_CLOSED: VideoEnd
VIDEO_END_SESSION_ENDED: VideoEnd
VIDEO_END_MAX_DURATION: VideoEnd
VIDEO_END_MAX_BYTES: VideoEnd
VIDEO_END_DISK_FULL: VideoEnd
VIDEO_END_FAILED: VideoEnd
VIDEO_END_SERVICE_ENDED: VideoEnd

class VideoOptions(_message.Message):
    __slots__ = ("format", "max_width", "max_height", "max_fps", "max_duration", "max_bytes")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    MAX_WIDTH_FIELD_NUMBER: _ClassVar[int]
    MAX_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_FPS_FIELD_NUMBER: _ClassVar[int]
    MAX_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    format: VideoFormat
    max_width: int
    max_height: int
    max_fps: float
    max_duration: _duration_pb2.Duration
    max_bytes: int
    def __init__(self, format: _Optional[_Union[VideoFormat, str]] = ..., max_width: _Optional[int] = ..., max_height: _Optional[int] = ..., max_fps: _Optional[float] = ..., max_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_bytes: _Optional[int] = ...) -> None: ...

class Video(_message.Message):
    __slots__ = ("video_id", "session_id", "tab_id", "end", "message", "start_time", "duration", "frames", "size_bytes", "width", "height", "format", "name", "expire_time")
    VIDEO_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    video_id: str
    session_id: str
    tab_id: str
    end: VideoEnd
    message: str
    start_time: _timestamp_pb2.Timestamp
    duration: _duration_pb2.Duration
    frames: int
    size_bytes: int
    width: int
    height: int
    format: VideoFormat
    name: str
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, video_id: _Optional[str] = ..., session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., end: _Optional[_Union[VideoEnd, str]] = ..., message: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., frames: _Optional[int] = ..., size_bytes: _Optional[int] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., format: _Optional[_Union[VideoFormat, str]] = ..., name: _Optional[str] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class VideoChapter(_message.Message):
    __slots__ = ("start", "title")
    START_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    start: _duration_pb2.Duration
    title: str
    def __init__(self, start: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., title: _Optional[str] = ...) -> None: ...

class StartVideoRequest(_message.Message):
    __slots__ = ("session_id", "tab_id", "options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    tab_id: str
    options: VideoOptions
    def __init__(self, session_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., options: _Optional[_Union[VideoOptions, _Mapping]] = ...) -> None: ...

class StartVideoResponse(_message.Message):
    __slots__ = ("video_id", "video")
    VIDEO_ID_FIELD_NUMBER: _ClassVar[int]
    VIDEO_FIELD_NUMBER: _ClassVar[int]
    video_id: str
    video: Video
    def __init__(self, video_id: _Optional[str] = ..., video: _Optional[_Union[Video, _Mapping]] = ...) -> None: ...

class StopVideoRequest(_message.Message):
    __slots__ = ("session_id", "video_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    VIDEO_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    video_id: str
    def __init__(self, session_id: _Optional[str] = ..., video_id: _Optional[str] = ...) -> None: ...

class StopVideoResponse(_message.Message):
    __slots__ = ("download", "duration", "frames", "chapters", "video")
    DOWNLOAD_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    CHAPTERS_FIELD_NUMBER: _ClassVar[int]
    VIDEO_FIELD_NUMBER: _ClassVar[int]
    download: _types_pb2.Download
    duration: _duration_pb2.Duration
    frames: int
    chapters: _containers.RepeatedCompositeFieldContainer[VideoChapter]
    video: Video
    def __init__(self, download: _Optional[_Union[_types_pb2.Download, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., frames: _Optional[int] = ..., chapters: _Optional[_Iterable[_Union[VideoChapter, _Mapping]]] = ..., video: _Optional[_Union[Video, _Mapping]] = ...) -> None: ...

class ListVideosRequest(_message.Message):
    __slots__ = ("of_session_id",)
    OF_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    of_session_id: str
    def __init__(self, of_session_id: _Optional[str] = ...) -> None: ...

class ListVideosResponse(_message.Message):
    __slots__ = ("videos",)
    VIDEOS_FIELD_NUMBER: _ClassVar[int]
    videos: _containers.RepeatedCompositeFieldContainer[Video]
    def __init__(self, videos: _Optional[_Iterable[_Union[Video, _Mapping]]] = ...) -> None: ...

class ReadVideoRequest(_message.Message):
    __slots__ = ("video_id", "offset")
    VIDEO_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    video_id: str
    offset: int
    def __init__(self, video_id: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class ReadVideoResponse(_message.Message):
    __slots__ = ("data", "offset", "video", "sha256")
    DATA_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    VIDEO_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    offset: int
    video: Video
    sha256: str
    def __init__(self, data: _Optional[bytes] = ..., offset: _Optional[int] = ..., video: _Optional[_Union[Video, _Mapping]] = ..., sha256: _Optional[str] = ...) -> None: ...

class DeleteVideoRequest(_message.Message):
    __slots__ = ("video_id",)
    VIDEO_ID_FIELD_NUMBER: _ClassVar[int]
    video_id: str
    def __init__(self, video_id: _Optional[str] = ...) -> None: ...

class DeleteVideoResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
