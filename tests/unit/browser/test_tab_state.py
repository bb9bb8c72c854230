"""The table of a tab's states agrees, for every state and event, with what the flags of a tab mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import pytest

from perception.browser.page.tab_state import (
    DOCUMENT_TRANSITIONS,
    NAVIGATION_TRANSITIONS,
    DocumentState,
    NavigationState,
    TabEvent,
    TabState,
)


@dataclass(frozen=True)
class Flags:
    """A tab as independent facts: the model that the table is held to."""

    crashed: bool = False
    abandoned: bool = False
    closed: bool = False
    hung: bool = False
    followed: bool = False
    loading: bool = False

    def after(self, event: TabEvent) -> Flags:
        match event:
            case TabEvent.ATTACHED:
                return self
            case TabEvent.NAVIGATION_REQUESTED:
                return replace(self, followed=True)
            case TabEvent.NAVIGATION_STARTED:
                return replace(self, followed=True, loading=True)
            case TabEvent.COMMITTED:
                return replace(self, followed=False, loading=False, hung=False, crashed=False)
            case TabEvent.LOADING_STOPPED:
                return replace(self, followed=False, loading=False)
            case TabEvent.NAVIGATION_FORGOTTEN:
                return replace(self, followed=False)
            case TabEvent.HUNG:
                return self if self.crashed else replace(self, hung=True)
            case TabEvent.CRASHED:
                return replace(self, crashed=True)
            case TabEvent.ABANDONED:
                return replace(self, abandoned=True)
            case TabEvent.CLOSED:
                return replace(self, closed=True)

    @property
    def seen(self) -> tuple[bool, ...]:
        crashed = (self.crashed or self.abandoned) and not self.closed
        return crashed, self.closed, self.hung and not (crashed or self.closed), self.followed, self.loading


def seen(state: TabState) -> tuple[bool, ...]:
    return state.is_crashed, state.is_closed, state.is_hung, state.is_navigating, state.is_loading


def test_each_state_has_its_row() -> None:
    assert set(DOCUMENT_TRANSITIONS) == set(DocumentState)
    assert set(NAVIGATION_TRANSITIONS) == set(NavigationState)


def test_no_entry_leaves_a_state_as_it_is() -> None:
    assert not [state for state, row in DOCUMENT_TRANSITIONS.items() if state in row.values()]
    assert not [state for state, row in NAVIGATION_TRANSITIONS.items() if state in row.values()]


def test_every_sequence_of_four_events_gives_what_the_flags_give() -> None:
    reached = set()
    for events in product(TabEvent, repeat=4):
        state, flags = TabState(), Flags()
        for event in events:
            before = state.document, state.navigation
            state.apply(event)
            flags = flags.after(event)
            reached.add((*before, event))
            assert seen(state) == flags.seen, [each.value for each in events]
    pairs = product(DocumentState, NavigationState, TabEvent)
    never = {each for each in pairs if each not in reached}
    assert not never, "a (state, event) pair was not tried"


@pytest.mark.parametrize("event", list(TabEvent), ids=lambda event: event.value)
def test_nothing_opens_a_closed_tab_again(event: TabEvent) -> None:
    state = TabState()
    state.apply(TabEvent.CLOSED)
    state.apply(event)
    assert state.document is DocumentState.CLOSED


@pytest.mark.parametrize("event", [event for event in TabEvent if event is not TabEvent.CLOSED], ids=lambda e: e.value)
def test_a_page_that_was_given_up_is_never_used_again(event: TabEvent) -> None:
    state = TabState()
    state.apply(TabEvent.ABANDONED)
    state.apply(event)
    assert state.is_crashed


def test_a_cancelled_navigation_is_not_waited_for_by_the_next_action_but_still_loads() -> None:
    state = TabState()
    state.apply(TabEvent.NAVIGATION_STARTED)
    state.apply(TabEvent.NAVIGATION_FORGOTTEN)
    assert (state.is_navigating, state.is_loading) == (False, True)
    state.apply(TabEvent.LOADING_STOPPED)
    assert state.navigation is NavigationState.IDLE
