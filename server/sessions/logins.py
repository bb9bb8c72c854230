"""What a session begins with: a state that its client gives, a profile that the service keeps."""

from __future__ import annotations

from dataclasses import dataclass, field

from perception.browser.storage.state import BrowserState


@dataclass(frozen=True, slots=True)
class Logins:
    """What a session begins with.

    Attributes:
        state: cookies and storage.
        omitted: what of them was not taken when they were read, one sentence each.
        profile: name of the profile that it has; empty for none.
        read_only: the profile is not kept.
    """

    state: BrowserState = field(default_factory=BrowserState)
    omitted: tuple[str, ...] = ()
    profile: str = ""
    read_only: bool = False


NO_LOGINS = Logins()
