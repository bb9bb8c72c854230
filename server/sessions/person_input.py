"""What a session does for a person who has control: it sends their input, and keeps what they do from the agent.

Rule 1: nothing looks at the tabs ahead of calls meanwhile, and no recording goes on that does not ask for it. Of
requests the agent gets no bodies, and nothing that the person typed.
Rule 2: what is down at the end is released, and what the person copied is forgotten.
Rule 3: a session is in use while a person has control; a lease that nobody renews ends.
"""

from __future__ import annotations

import time
from contextlib import ExitStack

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.input.direct_input import (
    DirectInput,
    InputEvent,
    MouseEvent,
    PasteEvent,
    Press,
    TextEvent,
    TouchEvent,
)
from perception.browser.input.key_events import CONTROL, META, KeyEvent
from perception.browser.page.clipboard import Copied
from perception.browser.traffic.person_typing import PersonTyping
from perception.server.control.turn import TurnSummary
from perception.server.live.call_log import CallLog
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.looks_ahead import LooksAhead
from perception.server.sessions.recorders import Recorders


class PersonInput:
    """The input of a person to one session, whose parts it is given."""

    def __init__(
        self, browser: BrowserSession, lifetime: Lifetime, recorders: Recorders, calls: CallLog, ahead: LooksAhead
    ) -> None:
        self._browser = browser
        self._lifetime = lifetime
        self._recorders = recorders
        self._calls = calls
        self._ahead = ahead
        self._inputs: dict[str, DirectInput] = {}
        self._using = ExitStack()
        self._copied_before = Copied()
        self._typing = PersonTyping()

    def of_tab(self, tab: Tab) -> DirectInput:
        """The person's input to a tab."""
        return self._inputs.setdefault(tab.tab_id, DirectInput(tab))

    def note(self, event: InputEvent) -> None:
        """Notes what an event types, before it is sent."""
        match event:
            case PasteEvent() | TextEvent():
                self._typing.add(event.text)
            case KeyEvent(is_down=True) if len(event.key) == 1 and not event.modifiers & (CONTROL | META):
                self._typing.add(event.key)
            case KeyEvent(is_down=True, key="Backspace"):
                self._typing.remove_last()
            case KeyEvent(is_down=True, key="Tab" | "Enter") | MouseEvent(press=Press.DOWN) | TouchEvent():
                self._typing.end_run()

    @property
    def is_holding(self) -> bool:
        """Something is down in one of the tabs."""
        return any(each.is_holding for each in self._inputs.values())

    async def begin(self) -> None:
        """A person has control from now on."""
        self._typing = PersonTyping()
        self._using.enter_context(self._lifetime.using())
        self._copied_before = self._browser.clipboard.content
        self._recorders.pause()
        if (log := self._browser.request_log) is not None:
            log.begin_turn(self._typing)
        await self._ahead.pause()

    async def clear_up(self, summary: TurnSummary) -> None:
        """The agent has control again."""
        self._calls.note_person(summary.text, time.time() - summary.seconds, summary.seconds)
        try:
            await self.lift_all()
        finally:
            self._inputs = {}
            self._browser.clipboard.content = self._copied_before
            self._recorders.unpause()
            if (log := self._browser.request_log) is not None:
                log.end_turn()
            self._ahead.unpause()
            self._using.close()

    async def lift_all(self) -> None:
        """Releases buttons, keys and fingers that are down."""
        open_tabs = {each.tab_id for each in self._browser.tabs}
        for tab_id, each in list(self._inputs.items()):
            if tab_id in open_tabs:
                await each.lift_all()
