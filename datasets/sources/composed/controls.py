"""Controls of composed pages, as HTML: native ones in the style of a kit, and custom ones as applications build them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from perception.datasets.sources.composed.icons import Icons
from perception.datasets.sources.composed.kits import Kit
from perception.datasets.sources.composed.words import Words


@dataclass(slots=True)
class Pen:
    """What controls and parts of one page are written with.

    Attributes:
        kit: classes.
        words: texts.
        icons: icons.
        rng: the page's own source of chance.
        is_dark: light text on dark ground.
        count: ids that were given.
    """

    kit: Kit
    words: Words
    icons: Icons
    rng: random.Random
    is_dark: bool = False
    count: int = 0

    def id(self) -> str:
        """A new id."""
        self.count += 1
        return f"x{self.count}"

    def chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self.rng.random() < share


def _off(pen: Pen, share: float = 0.08) -> str:
    return " disabled" if pen.chance(share) else ""


def button(pen: Pen, kind: str = "") -> str:
    """A button: words, icon and words, or an icon alone."""
    kind = kind or pen.rng.choice(["words", "words", "words", "both", "icon"])
    icon, words = pen.icons.any(), pen.words.label()
    inner = {"words": words, "both": f"{icon} {words}" if pen.chance(0.7) else f"{words} {icon}", "icon": icon}[kind]
    tag, attributes = pen.rng.choices(
        [("button", f" type=button{_off(pen)}"), ("a", " href=#"), ("div", " role=button tabindex=0")], [8, 2, 1]
    )[0]
    return f"<{tag}{attributes}{pen.kit.button(pen.rng)}>{inner}</{tag}>"


def icon_button(pen: Pen) -> str:
    """An icon without words: as a button, or bare, as in tool bars."""
    size = pen.rng.choice([12, 14, 16, 18, 20, 24, 28])
    if pen.chance(0.4):
        return f"<button type=button{pen.kit.button(pen.rng)}{_off(pen)}>{pen.icons.any(size)}</button>"
    pad, round_ = pen.rng.choice([0, 2, 4, 6, 8, 10]), pen.rng.choice([0, 4, 50])
    ground = pen.rng.choice(["none", "none", "none", "#8882", "#8884"])
    return (
        f'<button type=button{_off(pen)} style="border:0;background:{ground};color:inherit;padding:{pad}px;'
        f'margin:0;line-height:1;border-radius:{round_}%;min-width:0;min-height:0;box-shadow:none;height:auto;width:auto">'
        f"{pen.icons.any(size)}</button>"
    )


def link(pen: Pen, words: str = "") -> str:
    """A link."""
    return f"<a href=#{pen.id()}>{words or pen.words.label()}</a>"


def textbox(pen: Pen) -> str:
    """A field: empty, with a hint, or filled."""
    kind = pen.rng.choice(["text", "text", "email", "password", "search", "number", "date", "tel", "url", "time"])
    value = {"number": str(pen.rng.randint(0, 999)), "date": "2026-05-14", "time": "10:30"}.get(kind, pen.words.noun())
    attributes = pen.rng.choice([f' placeholder="{pen.words.noun()}…"', f' value="{value}"', ""])
    width = pen.rng.choice(["", "", f"width:{pen.rng.randint(60, 320)}px"])
    return f'<input type={kind}{pen.kit.of("input")}{attributes}{_off(pen)} style="{width}">'


def textarea(pen: Pen) -> str:
    """A field of several lines."""
    words = pen.words.paragraph() if pen.chance(0.5) else ""
    return f"<textarea rows={pen.rng.randint(2, 6)}{pen.kit.of('textarea')}{_off(pen)}>{words}</textarea>"


def combobox(pen: Pen) -> str:
    """A list to choose from: native, or a button with an arrow."""
    if pen.chance(0.7):
        options = "".join(f"<option>{pen.words.noun()}" for _ in range(4))
        return f"<select{pen.kit.of('select')}{_off(pen)}>{options}</select>"
    arrow = pen.icons.one("chevron-down") or "▾"
    width = pen.rng.randint(110, 260)
    return (
        f"<div role=combobox aria-expanded=false tabindex=0{pen.kit.of('input')} style='display:inline-flex;"
        f"justify-content:space-between;align-items:center;width:{width}px;border:1px solid #8886;padding:4px 8px'>"
        f"<span>{pen.words.noun()}</span>{arrow}</div>"
    )


def _choice(pen: Pen, kind: str) -> str:
    on, name, row = pen.rng.choice(["", " checked"]), pen.id(), f"{'check' if kind == 'checkbox' else 'radio'}_row"
    field = f"<input type={kind} id={name} name=r{pen.count // 4}{on}{_off(pen)}{pen.kit.of(kind)}>"
    mark = f"<i{pen.kit.of('check_icon')}></i>" if "check_icon" in pen.kit.classes else ""
    if mark or pen.chance(0.4):
        return f"<label{pen.kit.of(row)}>{field}{mark}<span> {pen.words.noun()}</span></label>"
    row = row if row in pen.kit.classes else "check_row"
    return (
        f"<div{pen.kit.of(row)}>{field}<label for={name}{pen.kit.of('check_label')}> {pen.words.noun()}</label></div>"
    )


def _drawn_choice(pen: Pen, kind: str) -> str:
    """A box or circle that a style sheet draws."""
    side, on = pen.rng.choice([12, 14, 16, 18, 20]), pen.chance(0.5)
    shape = "50%" if kind == "radio" else f"{pen.rng.choice([0, 2, 4])}px"
    accent = pen.rng.choice(["#2563eb", "#16a34a", "#7c3aed", "#111", "#e11d48"])
    inner = ""
    if on and kind == "radio":
        inner = f"<span style='width:50%;height:50%;border-radius:50%;background:{pen.rng.choice(['#fff', accent])}'></span>"
    elif on:
        inner = pen.icons.one("check", side * 0.75) or "✓"
    ground = accent if on and pen.chance(0.8) else "transparent"
    return (
        f"<span role={kind} aria-checked={str(on).lower()} tabindex=0 style='display:inline-flex;width:{side}px;height:{side}px;"
        f"border:{pen.rng.choice([1, 1.5, 2])}px solid {accent if on else '#8889'};border-radius:{shape};background:{ground};"
        f"align-items:center;justify-content:center;color:{'#fff' if ground != 'transparent' else accent};"
        f"vertical-align:middle'>{inner}</span> {pen.words.noun()}"
    )


def checkbox(pen: Pen) -> str:
    """A box to tick, with its label."""
    return _choice(pen, "checkbox") if pen.chance(0.65) else _drawn_choice(pen, "checkbox")


def radio(pen: Pen) -> str:
    """One of several choices, with its label."""
    return _choice(pen, "radio") if pen.chance(0.65) else _drawn_choice(pen, "radio")


def switch(pen: Pen) -> str:
    """A switch, with its label."""
    if "switch_row" in pen.kit.classes and pen.chance(0.5):
        name, checked = pen.id(), pen.rng.choice(["", " checked"])
        field = f"<input type=checkbox role=switch id={name}{checked}{pen.kit.of('checkbox')}>"
        if mark := pen.kit.of("check_icon"):
            return f"<label{pen.kit.of('switch_row')}>{field}<i{mark}></i> {pen.words.noun()}</label>"
        label = f"<label for={name}{pen.kit.of('check_label')}>{pen.words.noun()}</label>"
        return f"<div{pen.kit.of('switch_row')}>{field}{label}</div>"
    height, on = pen.rng.choice([14, 16, 18, 20, 22, 26]), pen.chance(0.5)
    width, accent = round(height * pen.rng.uniform(1.6, 2.1)), pen.rng.choice(["#22c55e", "#2563eb", "#111", "#f97316"])
    knob, gap = height - 4, 2
    left = width - knob - gap if on else gap
    return (
        f"<span role=switch aria-checked={str(on).lower()} tabindex=0 style='display:inline-block;position:relative;"
        f"width:{width}px;height:{height}px;border-radius:{height}px;background:{accent if on else '#8888'};"
        f"vertical-align:middle'><span style='position:absolute;top:{gap}px;left:{left}px;width:{knob}px;height:{knob}px;"
        f"border-radius:50%;background:#fff;box-shadow:0 1px 2px #0005'></span></span> {pen.words.noun()}"
    )


def slider(pen: Pen) -> str:
    """A slider: native, or drawn."""
    at, width = pen.rng.randint(5, 95), pen.rng.randint(80, 280)
    if pen.chance(0.5):
        return f"<input type=range value={at} style='width:{width}px'>"
    accent, knob = pen.rng.choice(["#2563eb", "#e11d48", "#111", "#0891b2"]), pen.rng.choice([10, 12, 16, 20])
    return (
        f"<span role=slider tabindex=0 aria-valuenow={at} style='display:inline-block;position:relative;width:{width}px;"
        f"height:{knob}px;vertical-align:middle'><span style='position:absolute;top:{knob / 2 - 2}px;height:4px;width:100%;"
        f"border-radius:2px;background:linear-gradient(90deg,{accent} {at}%,#8886 {at}%)'></span><span style='position:absolute;"
        f"left:calc({at}% - {knob / 2}px);width:{knob}px;height:{knob}px;border-radius:50%;background:{accent}'></span></span>"
    )


def tabs(pen: Pen) -> str:
    """A row of tabs."""
    on, made = pen.rng.randint(0, 3), []
    for index in range(pen.rng.randint(2, 6)):
        words = pen.icons.any() + " " + pen.words.noun() if pen.chance(0.2) else pen.words.noun()
        cls = pen.kit.of("tab_on" if index == on else "tab")
        state = "true" if index == on else "false"
        made.append(f"<button type=button role=tab aria-selected={state}{cls}>{words}</button>")
    return f"<div role=tablist{pen.kit.of('tabs')} style='display:flex'>{''.join(made)}</div>"


def rating(pen: Pen) -> str:
    """Stars to click."""
    size, on = pen.rng.choice([14, 18, 24]), pen.rng.randint(0, 5)
    stars = "".join(
        f"<span role=radio aria-checked={str(index < on).lower()} tabindex=0 style='font-size:{size}px;"
        f"color:{'#f5b301' if index < on else '#8888'}'>{'★' if index < on else '☆'}</span>"
        for index in range(5)
    )
    return f"<span role=radiogroup>{stars}</span>"


FIELDS = (textbox, textbox, textbox, combobox, combobox, textarea, checkbox, checkbox, radio, switch, slider, rating)
"""Makers of a form's fields."""
