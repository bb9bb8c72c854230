"""What a session begins with: a state that its client gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from perception.browser.storage.state import BrowserState


@dataclass(frozen=True, slots=True)
class Logins:
    """What a session begins with.

    Attributes:
        state: cookies and storage.
        omitted: what of them was not taken when they were read, one sentence each.
    """

    state: BrowserState = field(default_factory=BrowserState)
    omitted: tuple[str, ...] = ()


NO_LOGINS = Logins()
