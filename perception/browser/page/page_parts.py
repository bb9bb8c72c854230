"""What is known of one tab, by noun, and what keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field

from perception.browser.page.dialogs import Dialogs
from perception.browser.page.file_choosers import FileChoosers
from perception.browser.page.frames import FrameTree
from perception.browser.page.late_work import LateWork
from perception.browser.page.navigation_tracker import NavigationTracker
from perception.browser.page.requests import PageRequests
from perception.browser.page.watchdog import ScriptWatchdog
from perception.browser.page.worlds import IsolatedWorlds


@dataclass(slots=True)
class RestMemory:
    """What waits for rest have found of the document that is shown.

    Attributes:
        restless: what never comes to rest in it.
        pixels: a small picture of it as a wait last found it at rest; empty for none.
        late: what its scripts may still do.
    """

    restless: set[str] = field(default_factory=set)
    pixels: bytes = b""
    late: LateWork = field(default_factory=LateWork)

    def forget(self) -> None:
        """Another document is shown."""
        self.restless.clear()
        self.pixels = b""
        self.late = LateWork()


@dataclass(frozen=True, slots=True)
class PageParts:
    """What the events of a tab are kept in."""

    tree: FrameTree
    navigation: NavigationTracker
    dialogs: Dialogs
    file_choosers: FileChoosers
    watchdog: ScriptWatchdog
    worlds: IsolatedWorlds
    requests: PageRequests
    rest: RestMemory
