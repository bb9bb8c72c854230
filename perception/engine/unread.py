"""Says which lines no detector read, and what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from perception.engine.unread_lines import script_named
from perception.fusion.regions import SeenRegion
from perception.types import UNREAD, Skipped

NOT_RELIABLY = "what was read there is not reliable"


def unread_notes(regions: Iterable[SeenRegion], unreadable: Mapping[str, str]) -> tuple[Skipped, ...]:
    """A note for each detector and script with lines that were not read.

    Args:
        unreadable: why lines in a script cannot be read here and what would help, by script.
    """
    lines = Counter(
        (found.detector, script_named(text))
        for seen in regions
        for found in seen.detections
        for text, label in zip(found.text, found.label, strict=True)
        if label == UNREAD
    )
    return tuple(
        Skipped(name, _note(script, count, unreadable.get(script, NOT_RELIABLY)), is_lasting=True)
        for (name, script), count in sorted(lines.items())
    )


def _note(script: str, count: int, why: str) -> str:
    return f"{'1 line' if count == 1 else f'{count} lines'} in {script} not read: {why}"
