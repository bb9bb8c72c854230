"""What a benchmark looks at: pixels, what is truly there, and what the page said of itself at that moment.

Rule 1: truth never comes from our own page walker or detectors: it is Chromium's word, or a data set's annotation.
Rule 2: a `Sample` is addressed by its content. Whatever changes of it, its id changes, so that a result that is kept
by sample id is never a result for something else.
Rule 3: one frame, as everywhere: CSS pixels of the viewport. For an image without a page that is its own pixels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from perception.errors import BadInputError
from perception.geometry import Box
from perception.types import Capture, Viewport


class DatasetError(BadInputError):
    """A data set, or a sample of it, cannot be used as it is."""


class Evidence(StrEnum):
    """Why a thing is held to be what it is."""

    ROLE = "role"
    """Chromium's accessibility tree gives it an interactive role."""
    FOCUSABLE = "focusable"
    """The keyboard reaches it."""
    LISTENER = "listener"
    """It has a click listener of its own."""
    CURSOR = "cursor"
    """The pointer turns into a hand on it."""
    ANNOTATION = "annotation"
    """A data set says so."""


class Stratum(StrEnum):
    """How much of what a person sees the accessibility tree explains."""

    AX_POOR = "ax-poor"
    MIXED = "mixed"
    ACCESSIBLE = "accessible"
    UNKNOWN = "unknown"


class Kind(StrEnum):
    """As ScreenSpot has it: something that shows words, or a picture only."""

    TEXT = "text"
    ICON = "icon"
    UNKNOWN = ""


class Split(StrEnum):
    """Which part a group belongs to; a group is never in two."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class TruthElement:
    """One thing that is truly there.

    Attributes:
        role, name: as Chromium's accessibility tree has them; empty where it has none.
        box: CSS px of the viewport; may leave it. Of what is reachable it is the part that can be seen.
        interactive: somebody would act on it.
        reachable: a real click on `click_point` lands on it or in it; in an image: it was marked. None where that is
            not known.
        click_point: (x, y), where it was found to be reachable.
        states: as the accessibility tree has them: `disabled`, `checked`, `expanded`.
    """

    role: str
    name: str
    box: Box
    interactive: bool
    reachable: bool | None = None
    kind: Kind = Kind.UNKNOWN
    evidence: tuple[Evidence, ...] = ()
    click_point: tuple[float, float] | None = None
    backend_node_id: int | None = None
    frame: str = ""
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AxNode:
    """What Chromium's accessibility tree says of one node, in ARIA's roles. `box`: CSS px of the viewport."""

    backend_node_id: int
    role: str
    name: str
    box: Box
    interactive: bool


@dataclass(frozen=True, slots=True)
class TextLine:
    """One visible line of text."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Task:
    """An instruction in words, and where a click must land. `target` is an index into the truth, -1 for none of it.

    `how` says where the words are from: `name`, `neighbour` or `annotation`.
    """

    instruction: str
    box: Box
    kind: Kind = Kind.UNKNOWN
    how: str = "annotation"
    target: int = -1


@dataclass(frozen=True, slots=True)
class PeerView:
    """What a peer said of the page at the same moment. `milliseconds`: first look, then a second one."""

    peer: str
    version: str
    text: str
    milliseconds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at one page, or one image.

    Attributes:
        name: unique in its data set and the same whenever it is built again: `page@1280x800`.
        group: what must not be torn apart by splits: the package, or a data set's own grouping.
        page: what samples of the same thing have in common: statistics resample by it.
        stratum: see `Stratum`.
        image_sha256: of the image file, in hexadecimal.
        viewport: of the page; for an image without one, its size at scale 1.
        complete: the truth lists all there is; otherwise only some (ScreenSpot names one target an image).
        ax: the accessibility tree's nodes that mean something, of every frame.
        unknown: pictures (canvases, images, drawings) whose content nobody lists: what is seen there is neither right
            nor wrong.
        capture: what the page said of itself, without pixels; None for an image.
        peers: what peers said of the page at that moment.
        made: facts of what made it (browser version, digest of the code), by name.
        milliseconds: what taking the capture took, by name; empty for an image.
    """

    name: str
    source: str
    group: str
    page: str
    image_sha256: str
    viewport: Viewport
    category: str = ""
    stratum: Stratum = Stratum.UNKNOWN
    color_scheme: str = ""
    complete: bool = False
    truth: tuple[TruthElement, ...] = ()
    lines: tuple[TextLine, ...] = ()
    ax: tuple[AxNode, ...] = ()
    unknown: tuple[Box, ...] = ()
    tasks: tuple[Task, ...] = ()
    capture: Capture | None = None
    peers: tuple[PeerView, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    milliseconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Item:
    """A sample at hand: its id and the file of its image."""

    id: str
    sample: Sample
    image: Path


class Reference(Protocol):
    """An item that may be loaded later, in another process too: small, and can be pickled."""

    @property
    def name(self) -> str:
        """The sample's name."""
        ...

    @property
    def id(self) -> str:
        """The sample's id."""
        ...

    def load(self) -> Item:
        """Reads it. Raises DatasetError where it is not there or not what its id says."""
        ...


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be used, and why. `record` names it as its file does: `screenspot.json[17]`."""

    record: str
    reason: str


class Dataset(Protocol):
    """Samples in a fixed order, one at a time, so that any number of them takes no more memory than one."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        ...

    def __iter__(self) -> Iterator[Reference | Broken]:
        """Every record once: what can be looked at, and what cannot with its reason."""
        ...


def encode_sample(sample: Sample) -> bytes:
    """The sample as JSON, the same bytes for the same sample."""
    return msgspec.json.encode(sample, order="deterministic")


def decode_sample(data: bytes) -> Sample:
    """Raises DatasetError for what is no sample."""
    try:
        return msgspec.json.decode(data, type=Sample)
    except (msgspec.DecodeError, ValueError) as exc:
        raise DatasetError(f"not a sample of this version: {exc}") from exc


def sample_id(data: bytes) -> str:
    """The address of an encoded sample: sha256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def split_of(group: str) -> Split:
    """Where a group belongs: three fifths train, one fifth dev, one fifth test, by its name alone.

    So that a group stays where it is when others are added.
    """
    digit = hashlib.sha256(group.encode()).digest()[0] % 5
    return (Split.TRAIN, Split.TRAIN, Split.TRAIN, Split.DEV, Split.TEST)[digit]
