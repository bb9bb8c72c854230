"""One key event as a person's browser reports it, as a command of DevTools. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Any

from perception.errors import BadInputError

ALT, CONTROL, META, SHIFT = 1, 2, 4, 8
"""Bits of `modifiers` in `Input.dispatchKeyEvent`."""

MAX_KEY = 32
"""Characters of a key's name."""

_NOT_KEYS = frozenset({"Dead", "Process", "Unidentified", "Compose"})
"""What browsers report while an input method is at work: the text comes apart."""

_NUMBERS = {
    "Backspace": 8, "Tab": 9, "Enter": 13, "Pause": 19, "CapsLock": 20, "Escape": 27, "Space": 32, "PageUp": 33,
    "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
    "PrintScreen": 44, "Insert": 45, "Delete": 46, "ContextMenu": 93, "NumLock": 144, "ScrollLock": 145,
    "Shift": 16, "Control": 17, "Alt": 18, "AltGraph": 18, "Meta": 91, "OS": 91,
    "NumpadMultiply": 106, "NumpadAdd": 107, "NumpadSubtract": 109, "NumpadDecimal": 110, "NumpadDivide": 111,
    "NumpadEnter": 13, "Semicolon": 186, "Equal": 187, "Comma": 188, "Minus": 189, "Period": 190, "Slash": 191,
    "Backquote": 192, "BracketLeft": 219, "Backslash": 220, "BracketRight": 221, "Quote": 222, "IntlBackslash": 226,
}  # fmt: skip
"""Windows' virtual key codes, by code or by key (https://www.w3.org/TR/uievents/#legacy-key-models)."""

_CODES = {
    " ": "Space", ";": "Semicolon", "=": "Equal", ",": "Comma", "-": "Minus", ".": "Period", "/": "Slash",
    "`": "Backquote", "[": "BracketLeft", "\\": "Backslash", "]": "BracketRight", "'": "Quote",
}  # fmt: skip
"""Codes of characters on a US keyboard, for events without one."""

_SHIFTED = dict(zip('~!@#$%^&*()_+{}|:"<>?', "`1234567890-=[]\\;',./", strict=True))


@dataclass(frozen=True, slots=True, repr=False)
class KeyEvent:
    """A key that goes down or up.

    Attributes:
        key: KeyboardEvent.key.
        code: KeyboardEvent.code; found by the key when empty.
        modifiers: bits of those that are held.
        repeat: it has been down already.
    """

    is_down: bool
    key: str
    code: str = ""
    modifiers: int = 0
    repeat: bool = False

    @property
    def released(self) -> KeyEvent:
        """The event that releases it."""
        return replace(self, is_down=False, repeat=False, modifiers=0)


def is_key(character: str) -> bool:
    """Whether a keyboard types a character with one key. Those of an input method, such as of Chinese, marks that stand
    over letters, and emoji it does not."""
    return (
        character.isprintable()
        and ord(character) < 0x10000
        and unicodedata.east_asian_width(character) not in ("W", "F")
        and not unicodedata.category(character).startswith("M")
    )


def key_command(event: KeyEvent) -> dict[str, Any]:
    """Parameters of `Input.dispatchKeyEvent`.

    Raises:
        BadInputError: no key has that name. The message does not repeat it, as it may be what was typed.
    """
    if not 0 < len(event.key) <= MAX_KEY or event.key in _NOT_KEYS:
        raise BadInputError(
            "the event names no key: send the text of an input method or of a phone's keyboard as TextInput",
            field="key.key",
        )
    code, modifiers, text = event.code or _code_of(event.key), event.modifiers, ""
    if event.is_down:
        text, modifiers = _text_of(event)
    command: dict[str, Any] = {
        "type": ("keyDown" if text else "rawKeyDown") if event.is_down else "keyUp",
        "key": event.key,
        "code": code,
        "windowsVirtualKeyCode": _number_of(event.key, code),
        "modifiers": modifiers,
        "location": _location_of(code),
        "isKeypad": code.startswith("Numpad"),
        "autoRepeat": event.repeat,
    }
    return command | ({"text": text, "unmodifiedText": text} if text else {})


def _text_of(event: KeyEvent) -> tuple[str, int]:
    """What the key types, and the modifiers that it is typed with: those that choose a character, as AltGr and the
    option key of a Mac do, are no longer held as modifiers then."""
    key, held = event.key, event.modifiers
    if key == "Enter":
        return "\r", held
    if len(key) > 1 or held & META:
        return "", held
    if held & ALT and not (key.isascii() and (key.isalnum() or key == " ")):
        return key, held & ~(ALT | CONTROL)
    return ("", held) if held & (CONTROL | ALT) else (key, held)


def _code_of(key: str) -> str:
    plain = _SHIFTED.get(key, key)
    if re.fullmatch("[A-Za-z]", plain):
        return f"Key{plain.upper()}"
    if re.fullmatch("[0-9]", plain):
        return f"Digit{plain}"
    if key in ("Shift", "Control", "Alt", "Meta"):
        return f"{key}Left"
    return _CODES.get(plain, key if len(key) > 1 else "")


def _number_of(key: str, code: str) -> int:
    if found := re.fullmatch(r"Key([A-Z])", code):
        return ord(key.upper()) if re.fullmatch("[A-Za-z]", key) else ord(found[1])
    if found := re.fullmatch(r"(Digit|Numpad)([0-9])", code):
        return (48 if found[1] == "Digit" else 96) + int(found[2])
    if found := re.fullmatch(r"F([1-9]|1[0-9]|2[0-4])", code):
        return 111 + int(found[1])
    return _NUMBERS.get(code) or _NUMBERS.get(key) or _NUMBERS.get(code.removesuffix("Left").removesuffix("Right"), 0)


def _location_of(code: str) -> int:
    if code.startswith("Numpad"):
        return 3
    is_modifier = code.removesuffix("Left").removesuffix("Right") in ("Shift", "Control", "Alt", "Meta")
    return (1 if code.endswith("Left") else 2) if is_modifier and code.endswith(("Left", "Right")) else 0
