"""One step: a verb, and what it is done with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perception.interaction.target import TargetValue


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        do: a verb; fill replaces, type adds.
        target: what it acts on; for type and press, None is where the focus is.
        to: where drag ends.
        text: for fill and type; for press a key such as `Control+A`.
        submit: press Enter afterwards.
        keystrokes: keys for all of the text, line ends too.
        secret: name of a stored secret, in place of the text.
        options: for select, by label or value.
        dx, dy: for scroll, CSS px; without them the target is brought into view.
        button, count, modifiers: of a click.
        hold: of a click or tap, seconds that the button or the finger stays down.
        paths: for upload, in the service's folder.
        files: for upload, contents by name.
        local: for upload, paths on the machine of the caller.
        drop: for upload, drops them on the target.
    """

    do: str
    target: TargetValue | None = None
    to: TargetValue | None = None
    text: str = ""
    submit: bool = False
    keystrokes: bool = False
    secret: str = ""
    options: Sequence[str] = ()
    dx: float = 0.0
    dy: float = 0.0
    button: str | None = None
    count: int | None = None
    modifiers: Sequence[str] | None = None
    hold: float | None = None
    paths: Sequence[str] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    local: Sequence[str] = ()
    drop: bool = False
