"""Roles and states for the class names that detectors report."""

from __future__ import annotations

import re

CLASS_ROLES = {
    **dict.fromkeys(("button", "btn", "textbutton", "iconbutton", "submit", "fab"), "button"),
    **dict.fromkeys(("link", "hyperlink", "anchor"), "link"),
    **dict.fromkeys(("textbox", "textfield", "textinput", "input", "inputfield", "edittext", "field"), "textbox"),
    **dict.fromkeys(("searchbox", "searchbar", "searchfield"), "searchbox"),
    **dict.fromkeys(("checkbox", "checkedtextview", "tickbox"), "checkbox"),
    **dict.fromkeys(("radio", "radiobutton"), "radio"),
    **dict.fromkeys(("switch", "toggle", "onoffswitch"), "switch"),
    **dict.fromkeys(("combobox", "select", "dropdown", "dropdownmenu", "spinner"), "combobox"),
    **dict.fromkeys(("slider", "seekbar", "rangeslider"), "slider"),
    **dict.fromkeys(("tab",), "tab"),
    **dict.fromkeys(("menuitem",), "menuitem"),
    **dict.fromkeys(("icon", "image", "imageview", "picture", "img"), "img"),
}
"""Classes of the Rico, VINS, CLAY and UIED data sets and of HTML, without case, spaces and hyphens."""

WORDLESS = frozenset({"iconbutton", "icon"})
"""Classes of controls without words: a letter that is read in one is its drawing, misread."""


def role_of(label: str) -> str:
    """The role for a detector's class name; empty for a class that stands for no role."""
    return CLASS_ROLES.get(_plain(label), "")


def states_of(label: str) -> tuple[str, ...]:
    """The states that a label names after its class, as in `checkbox, checked`."""
    return tuple(state.strip() for state in label.split(",")[1:])


def is_wordless(label: str) -> bool:
    return _plain(label) in WORDLESS


def _plain(label: str) -> str:
    return re.sub(r"[^a-z]", "", label.split(",")[0].casefold())
