"""What takes text, and what takes keys alone: an element that has the focus and listens for them. Pure."""

from __future__ import annotations

from perception.browser.page.target_types import TargetFacts, named
from perception.errors import NotEditableError

OTHER_WAY = "name a text field as target, or send keys to what listens for them (press; or type with keystrokes)"

KEYS_ALONE = (
    "what has the focus is no text field: it got the text as keys, and does not say what it made of them; look at what "
    "the page shows"
)
"""The note about text that went to no field."""

_FIELDS = frozenset({"input", "textarea", "iframe", "frame"})


def takes_keys_alone(facts: TargetFacts) -> bool:
    """Whether an element may take keys although it takes no text: a field that takes none is disabled or read-only."""
    return not facts.editable and not facts.disabled and facts.tag not in _FIELDS


def require_editable(facts: TargetFacts, shown_as: str) -> None:
    """Raises NotEditableError for an element that takes no text."""
    if not facts.editable:
        if "readonly" in facts.states:
            raise NotEditableError(f"{shown_as} ({named(facts)}) is read-only: find what on the page fills it")
        raise NotEditableError(f"{shown_as} ({named(facts)}) takes no text: {OTHER_WAY}")
