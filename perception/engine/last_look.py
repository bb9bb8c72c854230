"""What was made of a tab's elements at its last look, so that a look makes only what has changed.

Rule 1: everything here is found by the element itself, the same object: an element never changes, so what was made of
it alone is still true. Whatever else it was made of is compared.
Rule 2: it decides nothing: a look without it gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from perception.render.select import Moved
from perception.render.written_text import WrittenText
from perception.types import Element


@dataclass(slots=True)
class LastLook:
    """The last look at one tab.

    Attributes:
        scope: the elements of the scope.
        view: the elements of the view.
        text: its text.
        encoded: elements as they were sent: by the id of each the element, its depth and the bytes.
    """

    scope: Moved = field(default_factory=Moved)
    view: Moved = field(default_factory=Moved)
    text: WrittenText = field(default_factory=WrittenText)
    encoded: dict[int, tuple[Element, int, bytes]] = field(default_factory=dict)
