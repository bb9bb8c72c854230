"""Roles for the class names that detectors report."""

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


def role_of(label: str) -> str:
    """The role for a detector's class name; empty for a class that stands for no role."""
    return CLASS_ROLES.get(re.sub(r"[^a-z]", "", label.casefold()), "")
