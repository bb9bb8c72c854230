"""Names of keys: from what a client calls a key or chord to Playwright's name of it."""

from __future__ import annotations

import difflib
import re

from perception.errors import UnknownKeyError

NAMED_KEYS = (
    *("Alt", "AltGraph", "AltLeft", "AltRight", "ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp"),
    *("AudioVolumeDown", "AudioVolumeMute", "AudioVolumeUp", "Backquote", "Backslash", "Backspace"),
    *("BracketLeft", "BracketRight", "CapsLock", "Comma", "ContextMenu", "Control", "ControlLeft", "ControlOrMeta"),
    *("ControlRight", "Delete", *(f"Digit{number}" for number in range(10)), "End", "Enter", "Equal", "Escape"),
    *(
        *(f"F{number}" for number in range(1, 13)),
        "Home",
        "Insert",
        *(f"Key{letter}" for letter in map(chr, range(65, 91))),
    ),
    *("MediaPlayPause", "MediaTrackNext", "MediaTrackPrevious", "Meta", "MetaLeft", "MetaRight", "Minus", "NumLock"),
    *(*(f"Numpad{number}" for number in range(10)), "NumpadAdd", "NumpadDecimal", "NumpadDivide", "NumpadEnter"),
    *("NumpadMultiply", "NumpadSubtract", "PageDown", "PageUp", "Pause", "Period", "PrintScreen", "Quote"),
    *("ScrollLock", "Semicolon", "Shift", "ShiftLeft", "ShiftRight", "Slash", "Space", "Tab"),
)
"""Keys that Playwright presses by name (playwright 1.x, `usKeyboardLayout`), beside single characters."""

ALIASES = {
    **dict.fromkeys(("ctrl", "ctl", "strg"), "Control"),
    **dict.fromkeys(("cmd", "command", "cmdorctrl", "commandorcontrol", "mod", "primary"), "ControlOrMeta"),
    **dict.fromkeys(("win", "windows", "super", "os"), "Meta"),
    **dict.fromkeys(("option", "opt"), "Alt"),
    **dict.fromkeys(("return", "newline", "\n", "\r"), "Enter"),
    **dict.fromkeys(("esc",), "Escape"),
    **dict.fromkeys(("del", "deleteforward", "forwarddelete"), "Delete"),
    **dict.fromkeys(("ins",), "Insert"),
    **dict.fromkeys(("bs", "backspc", "bksp"), "Backspace"),
    **dict.fromkeys(("\t",), "Tab"),
    **dict.fromkeys(("spacebar", "space bar"), "Space"),
    **dict.fromkeys(("pgup", "pageup", "page up", "page_up", "prior"), "PageUp"),
    **dict.fromkeys(("pgdn", "pgdown", "pagedn", "page down", "page_down", "next"), "PageDown"),
    **{side: f"Arrow{side.title()}" for side in ("up", "down", "left", "right")},
    **{f"{side}arrow": f"Arrow{side.title()}" for side in ("up", "down", "left", "right")},
    **{f"{side} arrow": f"Arrow{side.title()}" for side in ("up", "down", "left", "right")},
    **dict.fromkeys(("caps", "capslk"), "CapsLock"),
    **dict.fromkeys(("prtsc", "prtscn", "printscr", "sysrq"), "PrintScreen"),
    **dict.fromkeys(("menu", "apps"), "ContextMenu"),
    **dict.fromkeys(("plus",), "+"),
    **dict.fromkeys(("hyphen",), "-"),
    "←": "ArrowLeft",
    "→": "ArrowRight",
    "↑": "ArrowUp",
    "↓": "ArrowDown",
    "⌘": "ControlOrMeta",
    "⌃": "Control",
    "⌥": "Alt",
    "⇧": "Shift",
    "⏎": "Enter",
    "⌫": "Backspace",
}
"""Other names of keys, in lower case. The command key of a Mac is `ControlOrMeta`: what a person means by Cmd+A is done
by Control elsewhere."""

MODIFIERS = frozenset({"Alt", "AltGraph", "Control", "ControlOrMeta", "Meta", "Shift"})

_BY_LOWER = {name.lower(): name for name in NAMED_KEYS} | ALIASES
_MAX_NEAR = 3


def key_chord(given: str) -> str:
    """Playwright's name of a key or chord: `Ctrl+Shift+k` becomes `Control+Shift+k`.

    Names and aliases go in any case; a single character stands for itself.

    Raises:
        UnknownKeyError: there is no such key; names the nearest.
    """
    parts = _split(given)
    keys = [_key_name(part, given) for part in parts]
    if len(keys) > 1 and len(keys[-1]) == 1 and not is_on_keyboard(keys[-1]):
        raise UnknownKeyError(
            f"{keys[-1]!r} of {given[:40]!r} is on no key of a US keyboard: press it alone", field="key"
        )
    return "+".join([*keys[:-1], _shifted(keys[-1], "Shift" in keys)] if len(keys) > 1 else keys)


def _shifted(key: str, is_shifted: bool) -> str:
    """A letter of a chord as a real keyboard sends it: Control and B are `b`, and only Shift makes it `B`."""
    if len(key) > 1:
        return key
    return key.upper() if is_shifted else key.lower()


def is_on_keyboard(character: str) -> bool:
    """Whether a US keyboard has a key for a character; another one can only be typed."""
    return " " <= character <= "~"


def _split(given: str) -> list[str]:
    """The keys of a chord; `+` is a key where nothing, or another `+`, is before it."""
    if len(given) == 1:
        return [given]
    head, plus, last = (given[:-1], "+", "+") if given.endswith(("++", "-+")) else given.rpartition("+")
    if not plus and _is_modifier(given.partition("-")[0]):
        *held, last = re.split(r"(?<=[^-])-", given)  # Ctrl-A, as in Emacs
        return [*held, last]
    return [*(each for each in head.strip("+").split("+") if each), last] if plus else [given]


def _is_modifier(word: str) -> bool:
    return _BY_LOWER.get(word.strip().lower(), "") in MODIFIERS


def _key_name(part: str, given: str) -> str:
    if len(part) == 1 and part.lower() not in ALIASES:
        return part
    word = part.strip()
    if len(word) == 1 and word.lower() not in ALIASES:
        return word
    found = _BY_LOWER.get(word.lower() or part)
    if found is not None:
        return found
    near = _near_names(word)
    said = f"{given[:40]!r} is not a key" if word == given else f"{word[:40]!r} of {given[:40]!r} is not a key"
    raise UnknownKeyError(
        f"{said}{f' (near: {near})' if near else ''}: use KeyboardEvent.key names such as Enter, ArrowDown, a or "
        "Control+A",
        field="key",
    )


def _near_names(word: str) -> str:
    """The known names that are most like a word, also by their beginning."""
    lower = word.lower()
    close = difflib.get_close_matches(lower, _BY_LOWER, n=_MAX_NEAR, cutoff=0.6)
    begun = [name for name in _BY_LOWER if len(lower) > 1 and (name.startswith(lower) or lower in name)]
    return ", ".join(list(dict.fromkeys(_BY_LOWER[each] for each in (*close, *begun)))[:_MAX_NEAR])
