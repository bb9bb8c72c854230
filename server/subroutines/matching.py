"""Which elements of a page go by the role and the words of a recorded target."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher

from perception.errors import DriftError, PerceptionError
from perception.page_words import page_words
from perception.subroutines.context_text import describe_target
from perception.subroutines.neighbors import folded
from perception.subroutines.recording import Target
from perception.types import Element

MIN_LIKENESS = 0.6
"""How much of two names is the same where one may be the other's new form. Chosen by hand."""

MAX_NAME = 80
"""Characters of a name in an error."""

SHOWN_ALIKE = 8
"""Elements of the same role that an error names."""


def find_matches(
    elements: Sequence[Element], target: Target, *, hidden: bool, fitting: Mapping[str, Collection[str]]
) -> list[Element]:
    """All elements that go by a target's role and words, in their order. Without a role, those that a person can act on
    come alone, if there are any.

    Args:
        fitting: for each field of the target that is a pattern, the texts that it fits.
    """
    found = [
        each
        for each in elements
        if each.node is not None
        and (hidden or each.visible)
        and target.role in ("", each.role)
        and _is_called(each, target, fitting)
    ]
    return found if target.role else [each for each in found if each.interactive] or found


def texts_of(elements: Sequence[Element]) -> list[str]:
    """All names and texts, without duplicates."""
    return list(dict.fromkeys(text for each in elements for text in (each.name, each.text) if text))


def pattern_test(pattern: str, texts: Sequence[str]) -> str:
    """JavaScript that says as JSON which texts a script's regular expression fits; `null` if it is not one.

    Args:
        pattern: as `/source/flags`.
        texts: at any number.
    """
    source, _, flags = pattern.removeprefix("/").rpartition("/")
    made = f"new RegExp({json.dumps(source)}, {json.dumps(flags)})"
    fitting = f"JSON.stringify({json.dumps(list(texts))}.filter((text) => {made}.test(text)))"
    return f"(() => {{ try {{ {made}; }} catch {{ return 'null'; }} return {fitting}; }})()"


def _is_called(element: Element, target: Target, fitting: Mapping[str, Collection[str]]) -> bool:
    def fits(field: str, wanted: str, text: str) -> bool:
        return text in fitting[field] if field in fitting else folded(wanted) == folded(text)

    if target.cell is not None and not target.name:
        return not element.name
    if target.name:
        return fits("name", target.name, element.name)
    field = "text" if target.text else "placeholder"
    wanted = target.text or target.placeholder
    return bool(wanted) and (fits(field, wanted, element.name) or fits(field, wanted, element.text))


def describe_alike(elements: Sequence[Element], target: Target) -> str:
    names = [each.name for each in elements if target.role in ("", each.role) and each.visible and each.name]
    shown = ", ".join(f'"{name[:60]}"' for name in dict.fromkeys(names[:SHOWN_ALIKE]))
    return f"{target.role} {shown}".strip() if shown else f"no {target.role or 'such element'}"


def renamed_element(elements: Sequence[Element], target: Target) -> Element | None:
    """The one element whose name is most like a recorded target's; None where no one is clearly the nearest."""
    if not target.name:
        return None
    there = [each for each in elements if each.visible and each.name and each.role == target.role]
    rated = [(_likeness(folded(target.name).lower(), folded(each.name).lower()), each) for each in there]
    alike = sorted((pair for pair in rated if pair[0] >= MIN_LIKENESS), key=lambda pair: -pair[0])
    return alike[0][1] if len(alike) == 1 or (len(alike) > 1 and alike[0][0] > alike[1][0]) else None


def _likeness(one: str, other: str) -> float:
    """How alike two names are: `Save` and `Save changes` are, too."""
    is_part = set(one.split()) <= set(other.split()) or set(other.split()) <= set(one.split())
    return SequenceMatcher(None, one, other).ratio() + 0.4 * is_part


def drift_of(
    target: Target, elements: Sequence[Element], count: int, alerts: str = "", placed: Element | None = None
) -> PerceptionError:
    """The error where not exactly one element is the target.

    Args:
        elements: what the page shows.
        count: how many of them could be meant.
        alerts: what the page warns of, for the message.
        placed: what the target's selector finds now, under another name; None for nothing.
    """
    said = f"; the page says: {alerts}" if alerts else ""
    before = describe_target(target)
    if count:
        return DriftError(
            f"{count} elements are {target.role} {(target.name or target.selector)[:80]!r} now, and there "
            f"{'was 1' if target.of <= 1 else f'were {target.of}'} when it was recorded: nothing was done{said}",
            before=before,
            after=f"{count} such elements",
        )
    renamed = placed or renamed_element(elements, target)
    if renamed is not None:
        now = page_words(f'{renamed.role} "{renamed.name}"', MAX_NAME)
        said = f"; it may be called {now} now: record the task again if it is{said}"
    return DriftError(
        f"{before} is not there any more: nothing was done{said}", before=before, after=describe_alike(elements, target)
    )
