"""The output of one look at a sample, as stored in a run. Ours and the peers' have the same form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from perception.geometry import Box
from perception.types import Source


@dataclass(frozen=True, slots=True)
class ListedElement:
    """One listed element. CSS px of the viewport.

    Attributes:
        box: None if the lister provides none (agent-browser).
        interactive: it is listed as something to act on.
        reachable: it is listed as something that can be acted on now; always true for a lister without this
            information.
        point: where a click on its ref would go; None if unknown.
        sources: sources of the element; empty for a peer.
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
class LookOutput:
    """One look at one sample.

    Attributes:
        sample, id: the sample's name and id.
        who: the variant's or the peer's name.
        text: the text for a model; `tokens` is its length in o200k.
        milliseconds: by stage; `first` and `warm` are whole looks.
        skipped: skipped stages, and why.
        error: why there is no output; the rest is empty then.
        placed: whether its list has positions. Without them, nothing that depends on positions can be judged.
    """

    sample: str
    id: str
    who: str
    elements: tuple[ListedElement, ...] = ()
    text: str = ""
    tokens: int = 0
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    error: str = ""
    placed: bool = True
