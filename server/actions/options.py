"""What a list offers, and which of its options a request means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from perception.browser.input.aiming import TargetNode
from perception.errors import AmbiguousTargetError, ElementDisabledError, NoSuchOptionError, StaleRefError
from perception.invisible import comparable
from perception.page_words import quoted_list
from perception.server.actions.action_context import ActionContext

SHOWN_OPTIONS = 20
"""How many of a list's options an error names."""

DISABLED = " (disabled)"
"""How the label of an option that cannot be chosen ends in a snapshot (`option_labels.js`)."""


class Option(msgspec.Struct, frozen=True):
    """One option as the page has it.

    Attributes:
        number: its walker number.
        label: its name, with the words that style adds.
        value: as the page has it; empty for none.
        group: the name of its group; empty for none.
        painted: its text without what style adds, such as a hint at what is highlighted; empty for a native one.
    """

    number: int
    label: str
    value: str
    selected: bool
    disabled: bool
    group: str = ""
    painted: str = ""

    @property
    def in_group(self) -> str:
        """Its label with its group, as a snapshot lists it."""
        return f"{self.group}: {self.label}" if self.group else self.label

    @property
    def words(self) -> tuple[str, str, str]:
        """What it is known by when it is drawn again: its text, value and group."""
        return self.painted or self.label, self.value, self.group


class Choices(msgspec.Struct, frozen=True):
    """What a list offers now.

    Attributes:
        kind: select (opens), listbox, aria-closed, aria-open, aria-listbox; empty for none.
        multiple: it says that it takes several.
        shown: a widget's value.
        changed: when a script has last changed the page's content, ms; None where that is not known.
        filters: a widget's value may be edited, and may narrow what it lists.
    """

    kind: str
    multiple: bool
    options: tuple[Option, ...]
    shown: str = ""
    changed: float | None = None
    filters: bool = False


async def read_choices(action: ActionContext, node: TargetNode, *, anew: bool = False) -> Choices:
    """What a list offers now.

    Args:
        anew: what an earlier press has brought is not counted as its own.

    Raises:
        StaleRefError: its element is gone.
    """
    text = await action.tab.link.ask_text(
        node.frame, "choices", action.deadline, "reading the options", node.number, anew
    )
    choices = msgspec.json.decode(text, type=Choices | None)
    if choices is None:
        raise StaleRefError.because(node.shown_as, "its element is gone")
    return choices


def find_option(node: TargetNode, choices: Choices, wanted: str) -> Option:
    """By label, else by value, else by group and label, else by these ignoring case, else by its text alone.

    Raises:
        AmbiguousTargetError: several fit, and choosing one or another is not the same.
        ElementDisabledError: what fits cannot be chosen.
        NoSuchOptionError: nothing fits.
    """
    plain = comparable(wanted).removesuffix(DISABLED)
    tests: tuple[Callable[[Option], bool], ...] = (
        lambda option: option.label == wanted,
        lambda option: option.value == wanted,
        lambda option: option.in_group == wanted,
        lambda option: plain in (comparable(option.label), comparable(option.in_group)),
        lambda option: bool(option.painted) and plain == comparable(option.painted),
    )
    for fits in tests:
        found = [option for option in choices.options if fits(option)]
        usable = [option for option in found if not option.disabled]
        if found and not usable:
            raise ElementDisabledError(f"option {wanted[:60]!r} of {node.shown_as} is disabled: choose another one")
        if usable:
            _require_one(node, wanted, usable)
            return usable[0]
    offered = quoted_list([option.in_group for option in choices.options[:SHOWN_OPTIONS]])
    more = f" and {len(choices.options) - SHOWN_OPTIONS} more" if len(choices.options) > SHOWN_OPTIONS else ""
    more += "; it may list only what fits its text: clear it, or type the option's first letters" * choices.filters
    raise NoSuchOptionError(f"{node.shown_as} has no option {wanted[:60]!r}: it has {offered or 'none'}{more}")


def _require_one(node: TargetNode, wanted: str, found: Sequence[Option]) -> None:
    """Raises AmbiguousTargetError where options of one label differ in value, or without values in group."""
    if len({option.value or option.in_group for option in found}) == 1:
        return
    names = [option.in_group for option in found]
    if len({*names}) < len(names):
        names = [option.value for option in found]
    which = quoted_list(names[:SHOWN_OPTIONS])
    raise AmbiguousTargetError(f"{node.shown_as} has {len(found)} options {wanted[:60]!r}: say which by {which}")
