"""Keys that copy, cut and paste, with the clipboard of the session in place of the browser's.

The keys go to the page as real ones, with a command of the editor that does nothing: it takes the place of the
browser's own (Chromium 156), which would use the clipboard that all sessions share. What the key does otherwise is then
done here, unless the page prevents it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from typing import Any

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.input.line_insertion import insert_text
from perception.browser.input.sending import InputSender
from perception.browser.page.clipboard import MAX_CLIPBOARD, Copied, SessionClipboard
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline

NO_COMMAND = "defaultParagraphSeparator"
"""An editor command that is always enabled, and does nothing without a value."""

FOCUS_DEPTH = 20
"""Frames in frames that are followed to the focus. Chosen by hand."""


class ClipboardAction(Enum):
    """What a key does with the clipboard."""

    COPY = "copy"
    CUT = "cut"
    PASTE = "paste"
    PASTE_PLAIN = "paste as plain text"


_CHORDS = {
    (frozenset({"Control"}), "c"): ClipboardAction.COPY,
    (frozenset({"Control"}), "Insert"): ClipboardAction.COPY,
    (frozenset({"Control"}), "x"): ClipboardAction.CUT,
    (frozenset({"Shift"}), "Delete"): ClipboardAction.CUT,
    (frozenset({"Control"}), "v"): ClipboardAction.PASTE,
    (frozenset({"Shift"}), "Insert"): ClipboardAction.PASTE,
    (frozenset({"Control", "Shift"}), "v"): ClipboardAction.PASTE_PLAIN,
}
"""Those that Chromium's editor has (`editing_behavior.cc`)."""

_MODIFIERS = {"Control": ("ControlLeft", 17, 2), "Shift": ("ShiftLeft", 16, 8)}
_KEYS = {
    "c": ("KeyC", 67),
    "x": ("KeyX", 88),
    "v": ("KeyV", 86),
    "Insert": ("Insert", 45),
    "Delete": ("Delete", 46),
}


def clipboard_chord(chord: str) -> tuple[ClipboardAction, Sequence[str], str] | None:
    """What a chord does with the clipboard, its modifiers and its key; None where it does something else.

    Args:
        chord: Playwright's name of it, as of `key_chord`. The command key of a Mac counts as Control.
    """
    *held, key = chord.split("+")
    control = {"ControlOrMeta", "Meta", "ControlLeft", "ControlRight", "MetaLeft", "MetaRight"}
    names = ["Control" if each in control else each.removesuffix("Left").removesuffix("Right") for each in held]
    key = key.removeprefix("Key").lower() if len(key.removeprefix("Key")) == 1 else key
    action = _CHORDS.get((frozenset(names), key))
    return (action, list(dict.fromkeys(names)), key) if action is not None else None


def held_clipboard_action(key: str, modifiers: int) -> ClipboardAction | None:
    """What a key does with the clipboard while modifiers (bits of DevTools) are held; None where it does something
    else."""
    held = frozenset(name for name, (*_, bit) in _MODIFIERS.items() if modifiers & bit)
    if modifiers & ~sum(bit for *_, bit in _MODIFIERS.values()):
        return None
    return _CHORDS.get((held, key.lower() if len(key) == 1 else key))


class ClipboardKeys:
    """Presses such keys in one tab."""

    def __init__(self, page: PageLink, sender: InputSender, clipboard: SessionClipboard) -> None:
        self._page = page
        self._sender = sender
        self._clipboard = clipboard

    async def press(self, action: ClipboardAction, held: Sequence[str], key: str, deadline: Deadline) -> str:
        """Presses the keys, and does what they do.

        Args:
            held: modifiers.
            key: the last key of the chord.

        Returns:
            What the caller should know; empty for nothing.
        """
        keys = _Keys(self._page.session, held, key)
        try:
            return await self._press(action, keys.down, deadline)
        finally:
            await self._sender.release(keys.up())

    async def press_held(self, action: ClipboardAction, command: dict[str, Any], deadline: Deadline) -> None:
        """Presses the last key of such a chord, whose modifiers are down already, and does what it does. The key stays
        down.

        Args:
            command: of the key, for `Input.dispatchKeyEvent`.
        """

        async def down() -> None:
            await self._page.session.start("Input.dispatchKeyEvent", **command | {"commands": [NO_COMMAND]})

        await self._press(action, down, deadline)

    async def paste(self, text: str, deadline: Deadline) -> None:
        """Pastes a text where the focus is, without a key and without the clipboard."""
        await self._paste(Copied(text), await self._focused_frame(deadline), deadline)

    async def _press(self, action: ClipboardAction, down: Callable[[], Awaitable[None]], deadline: Deadline) -> str:
        frame = await self._focused_frame(deadline)
        await self._page.ask(frame, "watchKey", deadline, "pressing a key")
        async with self._sender.sending(deadline, "pressing a key", closes=True):
            await down()
        return "" if await self._was_prevented(frame, deadline) else await self._act(action, frame, deadline)

    async def _was_prevented(self, frame: str, deadline: Deadline) -> bool:
        """Whether the page keeps the browser from acting on the key; True where its document is gone."""
        try:
            return bool(await self._page.ask(frame, "keyWasPrevented", deadline, "pressing a key"))
        except CdpCallError:
            return True

    async def _act(self, action: ClipboardAction, frame: str, deadline: Deadline) -> str:
        if action in (ClipboardAction.COPY, ClipboardAction.CUT):
            return await self._copy(frame, action is ClipboardAction.CUT, deadline)
        content = self._clipboard.content
        if action is ClipboardAction.PASTE_PLAIN:
            content = Copied(content.text)
        if not content.text and not content.html:
            return "the clipboard of the session is empty: nothing was pasted"
        return await self._paste(content, frame, deadline)

    async def _paste(self, content: Copied, frame: str, deadline: Deadline) -> str:
        outcome = await self._page.ask(frame, "paste", deadline, "pasting", content.text, content.html)
        if outcome == "text":
            async with self._sender.sending(deadline, "pasting"):
                await insert_text(self._page, self._sender, frame, content.text, deadline)
        return "" if outcome != "nowhere" else "the focus is on nothing that takes text: the page was told of the paste"

    async def _copy(self, frame: str, cuts: bool, deadline: Deadline) -> str:
        text = await self._page.ask_text(frame, "copySelection", deadline, "copying", cuts, MAX_CLIPBOARD)
        taken = msgspec.json.decode(text, type=dict[str, Any] | None)
        if taken is None:
            return "nothing is selected: the clipboard was left as it is"
        if "text" not in taken:
            return f"the selection has {taken['length']} characters, the clipboard takes {MAX_CLIPBOARD}: not copied"
        self._clipboard.content = Copied(taken["text"], taken["html"], taken["at"])
        return ""

    async def _focused_frame(self, deadline: Deadline) -> str:
        """The frame that has the focus."""
        frame = self._page.main_frame
        for _ in range(FOCUS_DEPTH):
            facts = await self._page.ask(frame, "focusedFacts", deadline, "looking for the focus")
            if facts is None or facts["tag"] not in ("iframe", "frame"):
                break
            inner = await self._frame_in(frame, facts["number"], deadline)
            if not inner:
                break
            frame = inner
        return frame

    async def _frame_in(self, frame: str, number: int, deadline: Deadline) -> str:
        """The frame that an iframe element shows; empty where none does."""
        for child in self._page.frames:
            try:
                if (await self._page.worlds.owners(child, deadline))[:1] == [(frame, number)]:
                    await self._page.world(child, deadline)
                    return child
            except CdpCallError:
                continue  # it is gone
        return ""


class _Keys:
    """A chord on its way."""

    def __init__(self, session: CdpSession, held: Sequence[str], key: str) -> None:
        self._session = session
        self._held = held
        self._key = key

    async def down(self) -> None:
        bits = 0
        for each in self._held:
            bits |= _MODIFIERS[each][2]
            code, number, _ = _MODIFIERS[each]
            await self._send("rawKeyDown", each, code, number, bits)
        code, number = _KEYS[self._key]
        await self._send("rawKeyDown", self._shown(bits), code, number, bits, commands=[NO_COMMAND])

    async def up(self) -> None:
        bits = sum(_MODIFIERS[each][2] for each in self._held)
        code, number = _KEYS[self._key]
        await self._send("keyUp", self._shown(bits), code, number, bits)
        for each in reversed(self._held):
            code, number, bit = _MODIFIERS[each]
            bits &= ~bit
            await self._send("keyUp", each, code, number, bits)

    def _shown(self, bits: int) -> str:
        return self._key.upper() if len(self._key) == 1 and bits & _MODIFIERS["Shift"][2] else self._key

    async def _send(self, kind: str, key: str, code: str, number: int, bits: int, **more: Any) -> None:
        await self._session.start(
            "Input.dispatchKeyEvent",
            type=kind,
            key=key,
            code=code,
            windowsVirtualKeyCode=number,
            modifiers=bits,
            **more,
        )
