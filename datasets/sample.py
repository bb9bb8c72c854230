"""Samples of benchmarks: pixels, ground truth, and the page's own facts at the same moment.

Rule 1: ground truth never comes from our page walker or detectors, only from Chromium or from a data set's annotations.
Rule 2: the id of a `Sample` is a digest of its content: every change gives another id, so that a result that is stored
by sample id always belongs to that content.
Rule 3: boxes are in CSS px of the viewport. For an image without a page these are its own pixels.
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
    """A data set, or one of its samples, cannot be used."""


COMPOSED = "composed"
"""Group of the pages that are composed at random."""

WIDGETS = "widgets"
"""First part of the groups of the pages that show the widgets of a library."""

DEMOS = "demos"
"""Likewise, of packages that the network of `controls` was not trained on, to train its judge."""

UNSEEN = "unseen"
"""Likewise, of packages that nothing was trained or chosen on."""


class Evidence(StrEnum):
    """Why an element counts as interactive."""

    ROLE = "role"
    """It has an interactive role in Chromium's accessibility tree."""
    FOCUSABLE = "focusable"
    """It can be focused by keyboard."""
    LISTENER = "listener"
    """It has a click listener of its own."""
    CURSOR = "cursor"
    """Its cursor is a hand."""
    ANNOTATION = "annotation"
    """A data set annotates it."""


class Stratum(StrEnum):
    """How much of the visible page the accessibility tree explains."""

    AX_POOR = "ax-poor"
    MIXED = "mixed"
    ACCESSIBLE = "accessible"
    UNKNOWN = "unknown"


class ElementKind(StrEnum):
    """Kind of a target as in ScreenSpot: text, or an icon without text."""

    TEXT = "text"
    ICON = "icon"
    UNKNOWN = ""


class Split(StrEnum):
    """Part of a data set; a group belongs to exactly one."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class TruthElement:
    """One element of the ground truth.

    Attributes:
        role: role in Chromium's accessibility tree; "" for none.
        name: name in Chromium's accessibility tree; "" for none.
        box: CSS px of the viewport; may exceed it. For a reachable element it is the visible part.
        interactive: whether a person can act on it.
        reachable: whether a real click at `click_point` lands on it or in it; True for an annotated element of an
        image;
            None if it is not known.
        kind: text or icon.
        evidence: why it counts as interactive.
        click_point: (x, y), CSS px of the viewport; None if no click reaches it.
        backend_node_id: CDP id of the node; None in an image.
        frame: id of its frame; "" for the top document.
        states: states in the accessibility tree: `disabled`, `checked`, `expanded`.
    """

    role: str
    name: str
    box: Box
    interactive: bool
    reachable: bool | None = None
    kind: ElementKind = ElementKind.UNKNOWN
    evidence: tuple[Evidence, ...] = ()
    click_point: tuple[float, float] | None = None
    backend_node_id: int | None = None
    frame: str = ""
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AxNode:
    """One node of Chromium's accessibility tree, with ARIA's roles.

    Attributes:
        backend_node_id: CDP id of the node.
        role: ARIA role.
        name: accessible name.
        box: CSS px of the viewport.
        interactive: whether its role is interactive.
    """

    backend_node_id: int
    role: str
    name: str
    box: Box
    interactive: bool


@dataclass(frozen=True, slots=True)
class TextLine:
    """One visible line of text; `box` is in CSS px of the viewport."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class GroundingTask:
    """An instruction in words and its target.

    Attributes:
        instruction: the words.
        box: where a click must land, CSS px of the viewport.
        kind: text or icon.
        how: source of the words: `name`, `neighbor` or `annotation`.
        target: index of the element in the truth; -1 for none.
    """

    instruction: str
    box: Box
    kind: ElementKind = ElementKind.UNKNOWN
    how: str = "annotation"
    target: int = -1


@dataclass(frozen=True, slots=True)
class PeerView:
    """A peer's snapshot of the page at the same moment.

    Attributes:
        peer: name of the peer.
        version: version of the peer.
        text: its snapshot.
        milliseconds: duration of its first and of its second snapshot.
    """

    peer: str
    version: str
    text: str
    milliseconds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sample:
    """One state of one page, or one image.

    Attributes:
        name: unique in its data set, and the same after each build: `page@1280x800`.
        group: samples of a group belong to one split: the package, or a data set's own grouping.
        page: key of samples of the same page, by which statistics resample.
        stratum: see `Stratum`.
        image_sha256: of the image file, in hexadecimal.
        viewport: of the page; for an image without one, its size at scale 1.
        complete: whether the truth lists all elements; ScreenSpot lists one target for each image.
        ax: meaningful nodes of the accessibility trees of all frames.
        unknown: pictures (canvases, images, drawings) with unlisted content: detections there are neither right nor
            wrong.
        capture: the page's own facts, without pixels; None for an image.
        peers: snapshots of peers at the same moment.
        made: facts about the build (browser version, digest of the code), by name.
        milliseconds: durations of the capture, by name; empty for an image.
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
    tasks: tuple[GroundingTask, ...] = ()
    capture: Capture | None = None
    peers: tuple[PeerView, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    milliseconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Item:
    """A loaded sample with its id and the file of its image."""

    id: str
    sample: Sample
    image: Path


class Reference(Protocol):
    """An item to load later, also in another process: small, and can be pickled."""

    @property
    def name(self) -> str:
        """The sample's name."""
        ...

    @property
    def id(self) -> str:
        """The sample's id."""
        ...

    def load(self) -> Item:
        """Loads the item. Raises DatasetError: it is missing or was changed."""
        ...


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be used.

    Attributes:
        record: its place, such as `screenspot.json[17]`.
        reason: why it cannot be used.
    """

    record: str
    reason: str


class Dataset(Protocol):
    """Samples in a fixed order, one at a time, so that memory does not grow with their number."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    def __iter__(self) -> Iterator[Reference | Broken]:
        """Yields every record once: a reference, or a broken record with its reason."""
        ...


def encode_sample(sample: Sample) -> bytes:
    """The sample as JSON; equal samples have equal bytes."""
    return msgspec.json.encode(sample, order="deterministic")


def decode_sample(data: bytes) -> Sample:
    """Decodes a sample. Raises DatasetError: the data is not a sample of this version."""
    try:
        return msgspec.json.decode(data, type=Sample)
    except (msgspec.DecodeError, ValueError) as exc:
        raise DatasetError(f"not a sample of this version: {exc}") from exc


def sample_id(data: bytes) -> str:
    """The id of an encoded sample: its sha256, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def split_of(group: str) -> Split:
    """The split of a group by its name: three fifths train, one fifth dev, one fifth test.

    A group keeps its split when others are added. Composed pages, those of widgets and demos are made to train on.
    """
    source = group.partition("/")[0]
    if source in (COMPOSED, WIDGETS, DEMOS):
        return Split.TRAIN
    if source == UNSEEN:
        return Split.TEST
    digit = hashlib.sha256(group.encode()).digest()[0] % 5
    return (Split.TRAIN, Split.TRAIN, Split.TRAIN, Split.DEV, Split.TEST)[digit]
