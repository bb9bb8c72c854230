from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Source(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SOURCE_UNSPECIFIED: _ClassVar[Source]
    SOURCE_AX: _ClassVar[Source]
    SOURCE_DOM: _ClassVar[Source]
    SOURCE_OCR: _ClassVar[Source]
    SOURCE_DETECTOR: _ClassVar[Source]

class Reach(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REACH_UNSPECIFIED: _ClassVar[Reach]
    REACH_NOW: _ClassVar[Reach]
    REACH_COVERED: _ClassVar[Reach]
    REACH_SCROLL: _ClassVar[Reach]
    REACH_NEVER: _ClassVar[Reach]

class NameSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NAME_SOURCE_UNSPECIFIED: _ClassVar[NameSource]
    NAME_SOURCE_ICON: _ClassVar[NameSource]
SOURCE_UNSPECIFIED: Source
SOURCE_AX: Source
SOURCE_DOM: Source
SOURCE_OCR: Source
SOURCE_DETECTOR: Source
REACH_UNSPECIFIED: Reach
REACH_NOW: Reach
REACH_COVERED: Reach
REACH_SCROLL: Reach
REACH_NEVER: Reach
NAME_SOURCE_UNSPECIFIED: NameSource
NAME_SOURCE_ICON: NameSource

class Point(_message.Message):
    __slots__ = ("x", "y")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ...) -> None: ...

class Box(_message.Message):
    __slots__ = ("x", "y", "width", "height")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    width: float
    height: float
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., width: _Optional[float] = ..., height: _Optional[float] = ...) -> None: ...

class Viewport(_message.Message):
    __slots__ = ("width", "height", "device_scale_factor")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_SCALE_FACTOR_FIELD_NUMBER: _ClassVar[int]
    width: int
    height: int
    device_scale_factor: float
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ..., device_scale_factor: _Optional[float] = ...) -> None: ...

class Scroll(_message.Message):
    __slots__ = ("x", "y", "page_width", "page_height")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    PAGE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    PAGE_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    page_width: float
    page_height: float
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., page_width: _Optional[float] = ..., page_height: _Optional[float] = ...) -> None: ...

class Scrollable(_message.Message):
    __slots__ = ("up", "down", "left", "right")
    UP_FIELD_NUMBER: _ClassVar[int]
    DOWN_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    up: float
    down: float
    left: float
    right: float
    def __init__(self, up: _Optional[float] = ..., down: _Optional[float] = ..., left: _Optional[float] = ..., right: _Optional[float] = ...) -> None: ...

class Element(_message.Message):
    __slots__ = ("ref", "role", "name", "nth", "value", "states", "box", "sources", "confidence", "text", "backend_node_id", "frame", "in_viewport", "reachable", "covered_by", "visible", "selector", "click_point", "depth", "hint", "unseen_text", "reach", "scrollable", "options", "name_source", "interactive")
    REF_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NTH_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    BACKEND_NODE_ID_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    IN_VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    REACHABLE_FIELD_NUMBER: _ClassVar[int]
    COVERED_BY_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_FIELD_NUMBER: _ClassVar[int]
    SELECTOR_FIELD_NUMBER: _ClassVar[int]
    CLICK_POINT_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_TEXT_FIELD_NUMBER: _ClassVar[int]
    REACH_FIELD_NUMBER: _ClassVar[int]
    SCROLLABLE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    NAME_SOURCE_FIELD_NUMBER: _ClassVar[int]
    INTERACTIVE_FIELD_NUMBER: _ClassVar[int]
    ref: str
    role: str
    name: str
    nth: int
    value: str
    states: _containers.RepeatedScalarFieldContainer[str]
    box: Box
    sources: _containers.RepeatedScalarFieldContainer[Source]
    confidence: float
    text: str
    backend_node_id: int
    frame: str
    in_viewport: bool
    reachable: bool
    covered_by: str
    visible: bool
    selector: str
    click_point: Point
    depth: int
    hint: str
    unseen_text: bool
    reach: Reach
    scrollable: Scrollable
    options: _containers.RepeatedScalarFieldContainer[str]
    name_source: NameSource
    interactive: bool
    def __init__(self, ref: _Optional[str] = ..., role: _Optional[str] = ..., name: _Optional[str] = ..., nth: _Optional[int] = ..., value: _Optional[str] = ..., states: _Optional[_Iterable[str]] = ..., box: _Optional[_Union[Box, _Mapping]] = ..., sources: _Optional[_Iterable[_Union[Source, str]]] = ..., confidence: _Optional[float] = ..., text: _Optional[str] = ..., backend_node_id: _Optional[int] = ..., frame: _Optional[str] = ..., in_viewport: bool = ..., reachable: bool = ..., covered_by: _Optional[str] = ..., visible: bool = ..., selector: _Optional[str] = ..., click_point: _Optional[_Union[Point, _Mapping]] = ..., depth: _Optional[int] = ..., hint: _Optional[str] = ..., unseen_text: bool = ..., reach: _Optional[_Union[Reach, str]] = ..., scrollable: _Optional[_Union[Scrollable, _Mapping]] = ..., options: _Optional[_Iterable[str]] = ..., name_source: _Optional[_Union[NameSource, str]] = ..., interactive: bool = ...) -> None: ...

class Skipped(_message.Message):
    __slots__ = ("name", "reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    reason: str
    def __init__(self, name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Timing(_message.Message):
    __slots__ = ("stage", "milliseconds")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    stage: str
    milliseconds: float
    def __init__(self, stage: _Optional[str] = ..., milliseconds: _Optional[float] = ...) -> None: ...

class Settle(_message.Message):
    __slots__ = ("verdict", "pending", "waited_milliseconds", "background")
    class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        VERDICT_UNSPECIFIED: _ClassVar[Settle.Verdict]
        VERDICT_SETTLED: _ClassVar[Settle.Verdict]
        VERDICT_PENDING: _ClassVar[Settle.Verdict]
    VERDICT_UNSPECIFIED: Settle.Verdict
    VERDICT_SETTLED: Settle.Verdict
    VERDICT_PENDING: Settle.Verdict
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    WAITED_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    BACKGROUND_FIELD_NUMBER: _ClassVar[int]
    verdict: Settle.Verdict
    pending: _containers.RepeatedScalarFieldContainer[str]
    waited_milliseconds: float
    background: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, verdict: _Optional[_Union[Settle.Verdict, str]] = ..., pending: _Optional[_Iterable[str]] = ..., waited_milliseconds: _Optional[float] = ..., background: _Optional[_Iterable[str]] = ...) -> None: ...

class Image(_message.Message):
    __slots__ = ("data", "mime_type", "width", "height", "scale")
    DATA_FIELD_NUMBER: _ClassVar[int]
    MIME_TYPE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    mime_type: str
    width: int
    height: int
    scale: float
    def __init__(self, data: _Optional[bytes] = ..., mime_type: _Optional[str] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., scale: _Optional[float] = ...) -> None: ...

class SnapshotDiff(_message.Message):
    __slots__ = ("since_snapshot_id", "added", "changed", "removed_refs", "added_at", "removed_at", "text", "token_count", "text_is_snapshot")
    SINCE_SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_REFS_FIELD_NUMBER: _ClassVar[int]
    ADDED_AT_FIELD_NUMBER: _ClassVar[int]
    REMOVED_AT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    TEXT_IS_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    since_snapshot_id: str
    added: _containers.RepeatedCompositeFieldContainer[Element]
    changed: _containers.RepeatedCompositeFieldContainer[ElementChange]
    removed_refs: _containers.RepeatedScalarFieldContainer[str]
    added_at: _containers.RepeatedScalarFieldContainer[int]
    removed_at: _containers.RepeatedScalarFieldContainer[int]
    text: str
    token_count: int
    text_is_snapshot: bool
    def __init__(self, since_snapshot_id: _Optional[str] = ..., added: _Optional[_Iterable[_Union[Element, _Mapping]]] = ..., changed: _Optional[_Iterable[_Union[ElementChange, _Mapping]]] = ..., removed_refs: _Optional[_Iterable[str]] = ..., added_at: _Optional[_Iterable[int]] = ..., removed_at: _Optional[_Iterable[int]] = ..., text: _Optional[str] = ..., token_count: _Optional[int] = ..., text_is_snapshot: bool = ...) -> None: ...

class ElementChange(_message.Message):
    __slots__ = ("element", "fields", "index", "from_index")
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    FROM_INDEX_FIELD_NUMBER: _ClassVar[int]
    element: Element
    fields: _containers.RepeatedScalarFieldContainer[str]
    index: int
    from_index: int
    def __init__(self, element: _Optional[_Union[Element, _Mapping]] = ..., fields: _Optional[_Iterable[str]] = ..., index: _Optional[int] = ..., from_index: _Optional[int] = ...) -> None: ...

class Snapshot(_message.Message):
    __slots__ = ("snapshot_id", "url", "title", "viewport", "scroll", "elements", "text", "token_count", "omitted_count", "next_cursor", "skipped", "timings", "diff", "tab_id", "settle", "torn", "page_visible", "notes")
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    SCROLL_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    OMITTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    TORN_FIELD_NUMBER: _ClassVar[int]
    PAGE_VISIBLE_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    snapshot_id: str
    url: str
    title: str
    viewport: Viewport
    scroll: Scroll
    elements: _containers.RepeatedCompositeFieldContainer[Element]
    text: str
    token_count: int
    omitted_count: int
    next_cursor: str
    skipped: _containers.RepeatedCompositeFieldContainer[Skipped]
    timings: _containers.RepeatedCompositeFieldContainer[Timing]
    diff: SnapshotDiff
    tab_id: str
    settle: Settle
    torn: bool
    page_visible: bool
    notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, snapshot_id: _Optional[str] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., viewport: _Optional[_Union[Viewport, _Mapping]] = ..., scroll: _Optional[_Union[Scroll, _Mapping]] = ..., elements: _Optional[_Iterable[_Union[Element, _Mapping]]] = ..., text: _Optional[str] = ..., token_count: _Optional[int] = ..., omitted_count: _Optional[int] = ..., next_cursor: _Optional[str] = ..., skipped: _Optional[_Iterable[_Union[Skipped, _Mapping]]] = ..., timings: _Optional[_Iterable[_Union[Timing, _Mapping]]] = ..., diff: _Optional[_Union[SnapshotDiff, _Mapping]] = ..., tab_id: _Optional[str] = ..., settle: _Optional[_Union[Settle, _Mapping]] = ..., torn: bool = ..., page_visible: bool = ..., notes: _Optional[_Iterable[str]] = ...) -> None: ...

class Target(_message.Message):
    __slots__ = ("ref", "coordinate", "selector", "backend_node_id", "named")
    REF_FIELD_NUMBER: _ClassVar[int]
    COORDINATE_FIELD_NUMBER: _ClassVar[int]
    SELECTOR_FIELD_NUMBER: _ClassVar[int]
    BACKEND_NODE_ID_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    coordinate: Coordinate
    selector: str
    backend_node_id: int
    named: NamedElement
    def __init__(self, ref: _Optional[str] = ..., coordinate: _Optional[_Union[Coordinate, _Mapping]] = ..., selector: _Optional[str] = ..., backend_node_id: _Optional[int] = ..., named: _Optional[_Union[NamedElement, _Mapping]] = ...) -> None: ...

class NamedElement(_message.Message):
    __slots__ = ("role", "name", "nth")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NTH_FIELD_NUMBER: _ClassVar[int]
    role: str
    name: str
    nth: int
    def __init__(self, role: _Optional[str] = ..., name: _Optional[str] = ..., nth: _Optional[int] = ...) -> None: ...

class Coordinate(_message.Message):
    __slots__ = ("x", "y", "snapshot_id")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    snapshot_id: str
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., snapshot_id: _Optional[str] = ...) -> None: ...

class Tab(_message.Message):
    __slots__ = ("tab_id", "url", "title", "selected", "opener_tab_id", "epoch", "name")
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SELECTED_FIELD_NUMBER: _ClassVar[int]
    OPENER_TAB_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    tab_id: str
    url: str
    title: str
    selected: bool
    opener_tab_id: str
    epoch: int
    name: str
    def __init__(self, tab_id: _Optional[str] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., selected: bool = ..., opener_tab_id: _Optional[str] = ..., epoch: _Optional[int] = ..., name: _Optional[str] = ...) -> None: ...

class Dialog(_message.Message):
    __slots__ = ("dialog_id", "tab_id", "kind", "message", "default_value")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[Dialog.Kind]
        KIND_ALERT: _ClassVar[Dialog.Kind]
        KIND_CONFIRM: _ClassVar[Dialog.Kind]
        KIND_PROMPT: _ClassVar[Dialog.Kind]
        KIND_BEFORE_UNLOAD: _ClassVar[Dialog.Kind]
    KIND_UNSPECIFIED: Dialog.Kind
    KIND_ALERT: Dialog.Kind
    KIND_CONFIRM: Dialog.Kind
    KIND_PROMPT: Dialog.Kind
    KIND_BEFORE_UNLOAD: Dialog.Kind
    DIALOG_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    dialog_id: str
    tab_id: str
    kind: Dialog.Kind
    message: str
    default_value: str
    def __init__(self, dialog_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., kind: _Optional[_Union[Dialog.Kind, str]] = ..., message: _Optional[str] = ..., default_value: _Optional[str] = ...) -> None: ...

class FileChooser(_message.Message):
    __slots__ = ("file_chooser_id", "tab_id", "multiple", "directory", "accept", "field", "backend_node_id")
    FILE_CHOOSER_ID_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    MULTIPLE_FIELD_NUMBER: _ClassVar[int]
    DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    BACKEND_NODE_ID_FIELD_NUMBER: _ClassVar[int]
    file_chooser_id: str
    tab_id: str
    multiple: bool
    directory: bool
    accept: str
    field: str
    backend_node_id: int
    def __init__(self, file_chooser_id: _Optional[str] = ..., tab_id: _Optional[str] = ..., multiple: bool = ..., directory: bool = ..., accept: _Optional[str] = ..., field: _Optional[str] = ..., backend_node_id: _Optional[int] = ...) -> None: ...

class Download(_message.Message):
    __slots__ = ("path", "url", "size_bytes", "name", "state", "failure", "download_id")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[Download.State]
        STATE_IN_PROGRESS: _ClassVar[Download.State]
        STATE_COMPLETED: _ClassVar[Download.State]
        STATE_FAILED: _ClassVar[Download.State]
    STATE_UNSPECIFIED: Download.State
    STATE_IN_PROGRESS: Download.State
    STATE_COMPLETED: Download.State
    STATE_FAILED: Download.State
    PATH_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    DOWNLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    path: str
    url: str
    size_bytes: int
    name: str
    state: Download.State
    failure: str
    download_id: str
    def __init__(self, path: _Optional[str] = ..., url: _Optional[str] = ..., size_bytes: _Optional[int] = ..., name: _Optional[str] = ..., state: _Optional[_Union[Download.State, str]] = ..., failure: _Optional[str] = ..., download_id: _Optional[str] = ...) -> None: ...
