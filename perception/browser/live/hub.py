"""Who watches which tab of a session: one watch for each tab that somebody watches, none for others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from perception.browser.live.picture import Wish
from perception.browser.live.tab_watch import Subscription, TabWatch
from perception.browser.tab import Tab
from perception.deadline import Deadline


class ScreencastHub:
    """The screencasts of one session.

    Args:
        permit: raises the PerceptionError of a page that may not be seen.
    """

    def __init__(self, permit: Callable[[Tab, Deadline], Awaitable[None]]) -> None:
        self._permit = permit
        self._watches: dict[str, TabWatch] = {}

    def subscribe(self, tab: Tab, wish: Wish) -> Subscription:
        """Begins to watch a tab. Close the subscription at the end."""
        watch = self._watches.get(tab.tab_id)
        if watch is None:
            watch = self._watches[tab.tab_id] = TabWatch(tab, self._permit, self._drop)
        return watch.subscribe(wish)

    def is_watched(self, tab_id: str) -> bool:
        """Whether somebody watches a tab."""
        return tab_id in self._watches

    def close(self) -> None:
        """The session ends."""
        for each in list(self._watches.values()):
            each.end()

    def _drop(self, watch: TabWatch) -> None:
        if self._watches.get(watch.tab.tab_id) is watch:
            del self._watches[watch.tab.tab_id]
