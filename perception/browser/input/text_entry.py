"""Typing into what has the focus: where the text goes, the input itself, and what the field made of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.key_events import KeyEvent, is_key, key_command
from perception.browser.input.key_takers import KEYS_ALONE, OTHER_WAY, takes_keys_alone
from perception.browser.input.line_insertion import insert_text
from perception.browser.input.refused_forms import refusal_of_enter
from perception.browser.input.sending import InputSender
from perception.browser.input.typed_text import (
    FieldText,
    Taken,
    compare_typed,
    may_retry,
    note_of_refilled,
    why_unchanged,
    with_refocus,
)
from perception.browser.page.page_link import PageLink
from perception.browser.page.target_types import TargetFacts, named
from perception.deadline import Deadline
from perception.errors import BadInputError, DeadlineError, NotEditableError, NotTakenError, SessionLostError

MAX_TEXT_LENGTH = 1_000_000
"""Characters; far above any form, and a larger text would keep the page busy for minutes. Chosen by hand."""

TYPED_SECONDS = 0.3
"""How long a field may take to show what was typed: editors with a model of their own draw it in the next frames."""

TYPED_POLL_SECONDS = 0.02

MAX_KEYED = 500
"""Characters of the last line of a text that are typed by keys; what comes before is inserted at once, as pasted text
is. 6 ms each (Chromium 156, two cores). Chosen by hand."""

MAX_PACED = 64
"""Keys after which the next one waits until a page that writes the field itself has put the caret in it: a mask has no
more places. Chosen by hand."""

_IS_MAC = sys.platform == "darwin"


class TextPosition(Enum):
    """Where in the existing text the input goes."""

    END = "end"
    START = "start"
    CARET = "caret"


_EDGE_KEYS = {
    # Whether it is the end, and whether the field has a single line.
    (True, True): "Meta+ArrowRight" if _IS_MAC else "End",
    (True, False): "Meta+ArrowDown" if _IS_MAC else "Control+End",
    (False, True): "Meta+ArrowLeft" if _IS_MAC else "Home",
    (False, False): "Meta+ArrowUp" if _IS_MAC else "Control+Home",
}


_EDITING_KEYS = {"\n": "Enter", "\r": "Enter", "\t": "Tab"}


@dataclass(frozen=True, slots=True)
class TextInput:
    """What is typed, and how.

    Attributes:
        text: the text.
        clear: replaces what the field holds.
        submit: presses Enter at the end.
        keystrokes: sends a key event for each character, line ends and tabs too, however long the text is; also to what
            takes keys and no text.
        position: where in the existing text it goes.
        is_secret: no message may quote it.
    """

    text: str
    clear: bool = False
    submit: bool = False
    keystrokes: bool = False
    position: TextPosition = TextPosition.CARET
    is_secret: bool = False

    @property
    def may_go_to_keys_alone(self) -> bool:
        """Whether it may go to what takes keys and no text. No secret does, and nothing there can be replaced."""
        return self.keystrokes and not self.clear and not self.is_secret


Permit = Callable[[str], Awaitable[None]]
"""Called with the frame that has the focus, before anything is sent; its exception ends the call."""


class TextEntry:
    """Types into what has the focus in one tab.

    Attributes:
        cut_short: how far typing had got when it was cancelled; empty otherwise.
    """

    def __init__(self, page: PageLink, sender: InputSender) -> None:
        self._page = page
        self._sender = sender
        self.cut_short = ""

    async def type(self, given: TextInput, deadline: Deadline, permit: Permit | None = None) -> str:
        """Types into the focused element.

        Returns:
            What the caller should know of what the field made of the text; empty for nothing.

        Raises:
            NotEditableError: it takes no text.
            NotTakenError: the field could not be cleared, or took nothing of the text.
        """
        frame, facts = await self._require_taker(deadline, keys_alone=given.may_go_to_keys_alone)
        if permit is not None:
            await permit(frame)
        text, sent = given.text, [0]
        try:
            async with self._sender.sending(deadline, "typing", closes=True):
                if not facts.editable:
                    await self._press_all(frame, text, 0, sent, deadline)
                    note = KEYS_ALONE
                elif given.clear and not text:
                    note = await self._clear(frame, deadline)
                else:
                    if given.clear:
                        await self._caret(frame, facts, True, deadline)
                        await self._select_all(frame, facts, deadline)
                    elif text and given.position is not TextPosition.CARET:
                        await self._place_caret(frame, facts, given.position is TextPosition.END, deadline)
                    note = await self._enter(frame, given, sent, deadline) if text else ""
                if given.submit:
                    await self._sender.keyboard.press("Enter")
                    note = "; ".join(filter(None, (note, await refusal_of_enter(self._page, frame, deadline))))
                return note
        except (DeadlineError, asyncio.CancelledError) as exc:
            enter = ", without Enter" if given.submit else ""
            self.cut_short = f"{sent[0]} of {len(text)} characters had been typed{enter}"
            if isinstance(exc, DeadlineError):
                raise deadline.error(f"typing ({self.cut_short})") from exc
            raise
        return ""  # the tab closed itself

    async def editing_body(self, frame: str, number: int, deadline: Deadline) -> tuple[str, int] | None:
        """The frame that an iframe element shows, and the number of its body, where that is an editor."""
        child = await self._frame_in(frame, number, deadline)
        if child is None:
            return None
        try:
            body = await self._page.ask(child, "editingBody", deadline, "looking for an editor")
        except CdpCallError:
            return None  # it is gone
        return (child, body) if body else None

    async def _frame_in(self, frame: str, number: int, deadline: Deadline) -> str | None:
        """The frame that an iframe element of a frame shows; None where it is gone."""
        for child in self._page.frames:
            if self._page.tree.parent_of(child) != frame:
                continue
            with contextlib.suppress(CdpCallError):  # it is gone
                if (await self._page.worlds.owners(child, deadline))[:1] == [(frame, number)]:
                    return child
        return None

    async def _require_taker(self, deadline: Deadline, *, keys_alone: bool = False) -> tuple[str, TargetFacts]:
        """The frame that has the focus, and what the focused element is like.

        Args:
            keys_alone: it may also be one that takes keys and no text.

        Raises:
            NotEditableError: it takes no text.
        """
        frame: str | None = self._page.main_frame
        while frame is not None:
            try:
                text = await self._page.ask_text(frame, "focusedFacts", deadline, "looking for the focus")
            except CdpCallError:
                break  # it is gone
            facts = msgspec.json.decode(text, type=TargetFacts | None)
            if facts is None:
                break
            if facts.tag in ("iframe", "frame"):
                frame = await self._frame_in(frame, facts.number, deadline)
                continue
            if facts.editable or (keys_alone and takes_keys_alone(facts)):
                return frame, facts
            raise NotEditableError(f"the focus is on {named(facts)}, which takes no text: {OTHER_WAY}")
        raise NotEditableError(f"nothing that takes text has the focus: {OTHER_WAY}")

    async def _clear(self, frame: str, deadline: Deadline) -> str:
        """Empties the field. Returns what the caller should know.

        Raises:
            NotTakenError: it holds what it held.
        """
        before = await self._read(frame, "watchTyping", deadline, False)
        await self._sender.keyboard.press("ControlOrMeta+A")
        await self._sender.keyboard.press("Delete")
        if await self._page.ask(frame, "clearFocused", deadline, "clearing the field"):
            return ""
        after = await self._read(frame, "typedText", deadline, True, "")
        if before is not None and after is not None and not after.is_text_of(before):
            return note_of_refilled(after)
        raise NotTakenError("the field could not be cleared: it holds what it held before")

    async def _select_all(self, frame: str, facts: TargetFacts, deadline: Deadline) -> None:
        """Selects what the field holds, so that typing replaces it: some are never empty. What is not an input is
        emptied first where that can be done, as editors put brackets and quotes around what is selected."""
        await self._sender.keyboard.press("ControlOrMeta+A")
        if facts.tag != "input":
            await self._sender.keyboard.press("Delete")
            if await self._page.ask(frame, "clearFocused", deadline, "clearing the field"):
                return
            await self._sender.keyboard.press("ControlOrMeta+A")
        await self._page.ask(frame, "selectFocused", deadline, "clearing the field")

    async def _place_caret(self, frame: str, facts: TargetFacts, last: bool, deadline: Deadline) -> None:
        """Brings the caret to an end of the field's text, by keys, and by script where the page takes those away."""
        phase = "placing the caret"
        place = await self._caret(frame, facts, last, deadline)
        if place == "there":
            return
        if place == "suggesting":
            await self._sender.keyboard.press("Escape")
        await self._sender.keyboard.press(_EDGE_KEYS[last, facts.tag == "input"])
        if place == "elsewhere" and await self._page.ask(frame, "caretAt", deadline, phase, last) != "there":
            await self._page.ask(frame, "placeCaret", deadline, phase, last)

    async def _caret(self, frame: str, facts: TargetFacts, last: bool, deadline: Deadline) -> str:
        """Where the caret is (`caret_api.js`): of an input once it rests, as masks place it after a click."""
        phase = "placing the caret"
        if facts.tag != "input":
            return str(await self._page.ask(frame, "caretAt", deadline, phase, last))
        return str(await self._awaited(frame, f"restingCaret({json.dumps(last)})", deadline, phase))

    async def _awaited(self, frame: str, call: str, deadline: Deadline, phase: str) -> Any:
        """The answer of a walker's call that the page takes its time for.

        Raises:
            NotTakenError: its scripts are halted.
        """
        if self._page.halted.is_on:
            raise NotTakenError("the page's scripts are halted, as it flooded the browser: Reload or Navigate first")
        expression = f"perceptionWalker.{call}"
        reply = await self._page.evaluate(frame, expression, deadline, phase, awaitPromise=True, returnByValue=True)
        return msgspec.json.decode(reply["value"])

    async def _enter(self, frame: str, given: TextInput, sent: list[int], deadline: Deadline) -> str:
        """Sends the text: by keys, except for the lines before the last and the beginning of a very long line."""
        before, held, at = await self._watch(frame, given, deadline), None, 0
        if before is None:
            await self._require_taker(deadline)  # the page may have moved the focus when the field was emptied
        elif given.clear:
            held, before = before, msgspec.structs.replace(before, text="", version=-1, letters=0, selected=None)
        if before is None or not await self._paste(frame, given, before, deadline):
            at = 0 if given.keystrokes else _keyed_from(given.text)
            if at == 1 and given.text[0] in "\r\n" and before is not None and before.editor and before.text:
                at = len(given.text)  # a line end that is inserted alone leaves another one in CodeMirror (6.0)
            if at:
                await insert_text(self._page, self._sender, frame, given.text[:at], deadline)
                await self._require_field(frame, at, given.text, deadline)
                taken, after = await self._compare(frame, before, given.text[:at], held, deadline)
                if taken.is_unchanged and after is not None and may_retry(after):
                    at = 0  # it takes keys only
                await self._watch(frame, given, deadline, again=True)
            await self._press_all(frame, given.text, at, sent, deadline)
        taken, after = await self._compare(frame, before, given.text, held, deadline)
        if taken.is_unchanged and after is not None and await self._goes_before_filling(frame, given, after, deadline):
            before = await self._watch(frame, given, deadline, again=True)
            await self._press_all(frame, given.text, 0, sent, deadline)
            taken, after = await self._compare(frame, before, given.text, held, deadline)
        if after is None:
            return ""  # the page went elsewhere
        if not after.focused and not after.replaced:
            return (
                "" if after.inputs or at else "the focus left the field before it took text: look at what got the keys"
            )
        if not taken.is_unchanged:
            return with_refocus(taken.note, after)
        if after.painted:
            raise NotTakenError(
                "the field took no text, or hides it: nothing that is painted for it has changed; it may be read-only"
            )
        if may_retry(after) or 0 <= after.most <= len(after.text):
            raise NotTakenError(f"the field took no text: {why_unchanged(after, is_added=not given.clear)}")
        return "the field holds what it held before: the page did something else with the text; look at what it shows"

    async def _goes_before_filling(self, frame: str, given: TextInput, after: FieldText, deadline: Deadline) -> bool:
        """Whether the end of the field is that of a mask's filling, and the caret is now before that."""
        if given.clear or given.position is not TextPosition.END or after.editor or not may_retry(after):
            return False
        return bool(await self._awaited(frame, "caretBeforeFilling()", deadline, "placing the caret"))

    async def _watch(
        self, frame: str, given: TextInput, deadline: Deadline, *, again: bool = False
    ) -> FieldText | None:
        """Begins to watch the field, or goes on with it; what it holds."""
        before = await self._read(frame, "watchTyping", deadline, again)
        if before is not None:
            if before.secret and not given.is_secret:
                self._page.typed.add(given.text)
            before.secret = before.secret or given.is_secret
        return before

    async def _paste(self, frame: str, given: TextInput, field: FieldText, deadline: Deadline) -> bool:
        """Pastes lines into a field that is out of sight, or an editor that loses lines which are inserted. False for
        other texts, and where the page takes no paste."""
        if given.keystrokes or "\n" not in given.text or not (field.painted or field.editor):
            return False
        return bool(await self._page.ask(frame, "pasteLines", deadline, "typing", given.text))

    async def _press_all(self, frame: str, text: str, start: int, sent: list[int], deadline: Deadline) -> None:
        """Types a text from `start` on by keys, and counts in `sent` how far it got. What no key gives is inserted."""
        sent[0] = start
        for index, character in enumerate(text[start:]):
            if key := _EDITING_KEYS.get(character):
                await self._sender.keyboard.press(key)
            elif is_key(character):
                commands = [key_command(KeyEvent(is_down, character)) for is_down in (True, False)]
                call = partial(self._page.session.call, "Input.dispatchKeyEvent", deadline, "typing")
                await asyncio.gather(*(call(**command) for command in commands))
            else:
                await self._sender.keyboard.insert_text(character)
            sent[0] += 1
            if index < MAX_PACED and sent[0] < len(text):
                await self._require_field(frame, sent[0], text, deadline)

    async def _require_field(self, frame: str, sent: int, text: str, deadline: Deadline) -> None:
        """Waits until what takes the keys is ready for the next one.

        Raises:
            NotTakenError: the page has removed the field, and nothing takes the next key.
        """
        with contextlib.suppress(CdpCallError):  # the page goes elsewhere
            if await self._awaited(frame, "keyTaken()", deadline, "typing") is False:
                raise NotTakenError(
                    f"the page has removed the field after {sent} of {len(text)} characters: look at what it shows now"
                )

    async def _compare(
        self, frame: str, before: FieldText | None, text: str, held: FieldText | None, deadline: Deadline
    ) -> tuple[Taken, FieldText | None]:
        """What the field made of a text, once it shows it; with what it holds, None where it is gone.

        Args:
            held: the field that the text was to replace the text of; None for none.
        """
        if before is None:
            return Taken(), None
        patience, last = deadline.share(TYPED_SECONDS), None
        while True:
            is_last = patience.spent()
            after = await self._read(frame, "typedText", deadline, is_last, text if before.secret else "")
            if after is None:
                return Taken(), None
            after.secret = after.secret or before.secret
            taken = compare_typed(before, after, text, held)
            is_taken = not (taken.is_unchanged or (taken.note and after.editor))
            # An editor may draw its own text over what the browser has inserted.
            if is_last or (is_taken and (not after.editor or after.text == last)):
                return taken, after
            last = after.text
            await asyncio.sleep(TYPED_POLL_SECONDS)

    async def _read(self, frame: str, call: str, deadline: Deadline, *given: Any) -> FieldText | None:
        """What the field holds, None where it is gone with its page."""
        try:
            text = await self._page.ask_text(frame, call, deadline, "reading the field", *given)
        except (CdpCallError, SessionLostError):
            return None
        return msgspec.json.decode(text, type=FieldText | None)


def _keyed_from(text: str) -> int:
    """Where in a text the part begins that is typed by keys: after the last character that a key would not type."""
    return max(1 + max(map(text.rfind, _EDITING_KEYS)), len(text) - MAX_KEYED)


def check_text(text: str) -> None:
    """Raises BadInputError for what cannot be typed."""
    if "\0" in text:
        raise BadInputError("text holds a NUL character, which cannot be typed: remove it", field="text")
    if len(text) > MAX_TEXT_LENGTH:
        raise BadInputError(f"text has {len(text)} characters, the limit is {MAX_TEXT_LENGTH}: send less", field="text")
