"""What a page shows, as far as it can confirm that a task was done: elements by role, name, states and value.

Rule: an element counts by how often it is shown, so that a second row of the same words is something new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from perception.types import Element

MAX_LOOK = 2000
"""Elements of one look. Chosen by hand."""

MAX_SEEN_NAME = 300
"""Characters: a longer text is content, not a message."""

FIELDS = frozenset("textbox searchbox combobox listbox spinbutton slider option".split())
"""Roles of what a person fills in: that a field holds what was entered confirms nothing by itself."""

MESSAGES = ("alert", "alertdialog", "status", "log")
"""Roles of messages; a text inside one counts as one."""

STATES = frozenset("checked mixed pressed expanded collapsed selected disabled invalid".split())
"""States that an action may change."""

CONTENT_ROLES = frozenset("row listitem link article cell gridcell option treeitem table list grid".split())
"""Roles of what a page lists: words in it are data, not a message."""


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element that a person can see.

    Attributes:
        role: ARIA role; that of the message around it for a text in a message.
        name: accessible name, or text.
        states: those of STATES that it has.
        value: value of a field.
        listed: whether it stands in a list, a table or a link.
    """

    role: str
    name: str
    states: tuple[str, ...] = ()
    value: str = ""
    listed: bool = False


Look = Counter[Seen]
"""How often each element is shown."""


def look_of(elements: Sequence[Element]) -> Look:
    """What a capture shows; nothing sensitive. An empty page gives an empty look."""
    roles: list[str] = []
    listed: list[bool] = []
    look: Look = Counter()
    for each in elements[:MAX_LOOK]:
        above = roles[each.parent] if 0 <= each.parent < len(roles) else ""
        is_listed = 0 <= each.parent < len(listed) and listed[each.parent]
        role = above if above in MESSAGES and each.role in ("text", "paragraph", "generic") else each.role
        roles.append(above if above in MESSAGES and each.role not in MESSAGES else each.role)
        listed.append(is_listed or each.role in CONTENT_ROLES)
        if not each.visible or each.sensitive:
            continue
        name = " ".join((each.name or ("" if each.role in FIELDS else each.text)).split())
        if 0 < len(name) <= MAX_SEEN_NAME:
            states = tuple(state for state in each.states if state in STATES)
            value = each.value if each.role in FIELDS else ""
            look[Seen(role, name, states, value[:MAX_SEEN_NAME], listed[-1])] += 1
    return look


def widest(one: Look, other: Look) -> Look:
    """Each element as often as in the look that shows it most often."""
    return one | other


def difference(before: Look, after: Look) -> tuple[Seen, ...]:
    """What is shown more often than before, in the order of `after`. A field's value is not a difference."""
    known = Counter[Seen]()
    for each, count in before.items():
        known[_plain(each)] += count
    new = []
    for each, count in after.items():
        plain = _plain(each)
        if known[plain] < count:
            new.append(plain)
        known[plain] -= count
    return tuple(dict.fromkeys(new))


def _plain(seen: Seen) -> Seen:
    return msgspec.structs.replace(seen, value="")
