"""What somebody saw of a sample, and how well: the raw output that a run keeps, and the score that is computed from it.

Ours and peers' looks have the same form, so that one scorer judges all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from perception.geometry import Box
from perception.types import Source


@dataclass(frozen=True, slots=True)
class SeenElement:
    """One listed thing. CSS px of the viewport.

    Attributes:
        box: None where the lister gives none (agent-browser).
        interactive: it is listed as something to act on.
        reachable: it is listed as something that can be acted on now; a lister that does not tell lists all as that.
        point: where a click on its ref would go; None where that is not known.
        sources: which senses; empty for a peer.
    """

    ref: str
    role: str
    name: str
    box: Box | None
    interactive: bool
    reachable: bool
    point: tuple[float, float] | None = None
    text: str = ""
    value: str = ""
    sources: tuple[Source, ...] = ()
    confidence: float = 1.0
    in_viewport: bool = True
    backend_node_id: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at one sample.

    Attributes:
        sample, id: the sample's name and id.
        who: the variant's or the peer's name.
        text: what a model is given; `tokens` of it in o200k.
        milliseconds: by stage; `first` and `warm` are whole looks.
        skipped: steps that did not happen, and why.
        error: why there is nothing; the rest is empty then.
        placed: whether its list says where things are. Without that nothing can be judged that depends on places.
    """

    sample: str
    id: str
    who: str
    elements: tuple[SeenElement, ...] = ()
    text: str = ""
    tokens: int = 0
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    error: str = ""
    placed: bool = True


@dataclass(frozen=True, slots=True)
class Tally:
    """A share as its two counts, so that samples add up: `hit` of `of`. A mean is the sum of values, of their count."""

    hit: float
    of: float


@dataclass(frozen=True, slots=True)
class Score:
    """How one look was.

    Attributes:
        page: statistics resample by it.
        source: the data set that the sample is of.
        tallies: by measure; a measure that does not apply is absent.
        outcomes: by measure, whether each task of the sample succeeded, in the sample's order.
        id: the sample's; empty where it is of no stored sample.
    """

    sample: str
    who: str
    page: str
    category: str
    stratum: str
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    outcomes: Mapping[str, tuple[bool, ...]] = field(default_factory=dict)
    id: str = ""
    source: str = ""
