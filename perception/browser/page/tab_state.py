"""The state of a tab, as one table of transitions.

A tab has two states at once, as a connection in h11 has one for each side: how its document fares, and whether another
document is on its way. An event moves each of them at most once; what the table does not list leaves a state as it is,
because a browser may send any event at any time. Pure: no browser, clock or task.
"""

from __future__ import annotations

from enum import Enum


class DocumentState(Enum):
    """How the top document fares."""

    OPENING = "opening"
    """The tab is being attached; nothing is known of its document yet."""
    READY = "ready"
    """A document is shown; nothing is known against it."""
    HUNG = "hung"
    """A script of the document had to be ended, or a dialog held it up: it may hang again."""
    CRASHED = "crashed"
    """The document's process is gone; the next navigation starts another one."""
    ABANDONED = "abandoned"
    """The process could not be freed and is being removed: no event makes the tab usable again."""
    CLOSED = "closed"
    """The tab is detached."""


class NavigationState(Enum):
    """Whether another document is on its way."""

    IDLE = "idle"
    REQUESTED = "requested"
    """The page or a client asked for a navigation that has not started."""
    LOADING = "loading"
    """Another document is on its way. Until it commits or is cancelled, the current one does not answer (Chromium
    156)."""
    LOADING_UNFOLLOWED = "loading, unfollowed"
    """As LOADING, but no action waits for it: it belongs to an earlier action, which was cancelled."""


class TabEvent(Enum):
    """What moves a tab from one state to another."""

    ATTACHED = "attached"
    NAVIGATION_REQUESTED = "navigation requested"
    NAVIGATION_STARTED = "navigation started"
    COMMITTED = "committed"
    """Another document took the place of the old one."""
    LOADING_STOPPED = "loading stopped"
    """The load ended, or the navigation was cancelled."""
    NAVIGATION_FORGOTTEN = "navigation forgotten"
    """The action that waited for the navigation is over."""
    HUNG = "hung"
    CRASHED = "crashed"
    ABANDONED = "abandoned"
    CLOSED = "closed"


_ENDS = {
    TabEvent.CRASHED: DocumentState.CRASHED,
    TabEvent.ABANDONED: DocumentState.ABANDONED,
    TabEvent.CLOSED: DocumentState.CLOSED,
}

DOCUMENT_TRANSITIONS: dict[DocumentState, dict[TabEvent, DocumentState]] = {
    DocumentState.OPENING: {
        TabEvent.ATTACHED: DocumentState.READY,
        TabEvent.COMMITTED: DocumentState.READY,
        TabEvent.HUNG: DocumentState.HUNG,
        **_ENDS,
    },
    DocumentState.READY: {TabEvent.HUNG: DocumentState.HUNG, **_ENDS},
    DocumentState.HUNG: {TabEvent.COMMITTED: DocumentState.READY, **_ENDS},
    DocumentState.CRASHED: {
        TabEvent.COMMITTED: DocumentState.READY,
        TabEvent.ABANDONED: DocumentState.ABANDONED,
        TabEvent.CLOSED: DocumentState.CLOSED,
    },
    DocumentState.ABANDONED: {TabEvent.CLOSED: DocumentState.CLOSED},
    DocumentState.CLOSED: {},
}

NAVIGATION_TRANSITIONS: dict[NavigationState, dict[TabEvent, NavigationState]] = {
    NavigationState.IDLE: {
        TabEvent.NAVIGATION_REQUESTED: NavigationState.REQUESTED,
        TabEvent.NAVIGATION_STARTED: NavigationState.LOADING,
    },
    NavigationState.REQUESTED: {
        TabEvent.NAVIGATION_STARTED: NavigationState.LOADING,
        TabEvent.COMMITTED: NavigationState.IDLE,
        TabEvent.LOADING_STOPPED: NavigationState.IDLE,
        TabEvent.NAVIGATION_FORGOTTEN: NavigationState.IDLE,
    },
    NavigationState.LOADING: {
        TabEvent.COMMITTED: NavigationState.IDLE,
        TabEvent.LOADING_STOPPED: NavigationState.IDLE,
        TabEvent.NAVIGATION_FORGOTTEN: NavigationState.LOADING_UNFOLLOWED,
    },
    NavigationState.LOADING_UNFOLLOWED: {
        TabEvent.NAVIGATION_REQUESTED: NavigationState.LOADING,
        TabEvent.NAVIGATION_STARTED: NavigationState.LOADING,
        TabEvent.COMMITTED: NavigationState.IDLE,
        TabEvent.LOADING_STOPPED: NavigationState.IDLE,
    },
}


class TabState:
    """Both states of one tab. Only `apply` changes them."""

    def __init__(self) -> None:
        self._document = DocumentState.OPENING
        self._navigation = NavigationState.IDLE

    @property
    def document(self) -> DocumentState:
        return self._document

    @property
    def navigation(self) -> NavigationState:
        return self._navigation

    def apply(self, event: TabEvent) -> None:
        """Moves both states by the table."""
        self._document = DOCUMENT_TRANSITIONS[self._document].get(event, self._document)
        self._navigation = NAVIGATION_TRANSITIONS[self._navigation].get(event, self._navigation)

    @property
    def is_crashed(self) -> bool:
        """Nothing can be asked of the page: its process is gone, or is being removed."""
        return self._document in (DocumentState.CRASHED, DocumentState.ABANDONED)

    @property
    def is_hung(self) -> bool:
        """The current document has hung before, and answers now."""
        return self._document is DocumentState.HUNG

    @property
    def is_closed(self) -> bool:
        return self._document is DocumentState.CLOSED

    @property
    def is_navigating(self) -> bool:
        """A navigation is under way that the current action waits for."""
        return self._navigation in (NavigationState.REQUESTED, NavigationState.LOADING)

    @property
    def is_loading(self) -> bool:
        """Another document is on its way, whether an action waits for it or not."""
        return self._navigation in (NavigationState.LOADING, NavigationState.LOADING_UNFOLLOWED)
