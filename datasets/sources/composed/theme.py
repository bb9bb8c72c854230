"""Random themes: colors, radii, shadows, densities, fonts, light and dark."""

from __future__ import annotations

import colorsys
import random
from dataclasses import dataclass

FONTS = {
    "roboto": "Roboto",
    "inter": "Inter",
    "open-sans": "Open Sans",
    "lato": "Lato",
    "nunito": "Nunito",
    "merriweather": "Merriweather",
    "pt-sans": "PT Sans",
}
"""Families by the name of their package below `@fontsource/`."""

SYSTEM_FONTS = ("system-ui", "sans-serif", "serif", "Arial", "Verdana", "Georgia", "monospace", "DejaVu Sans Condensed")


@dataclass(frozen=True, slots=True)
class Theme:
    """The look of a page.

    Attributes:
        css: its rules.
        font: package of its font; empty for one of the system.
        is_dark: light text on dark ground.
    """

    css: str
    font: str
    is_dark: bool


def _color(rng: random.Random, lightness: float, saturation: float, hue: float | None = None) -> str:
    red, green, blue = colorsys.hls_to_rgb(rng.random() if hue is None else hue, lightness, saturation)
    return f"#{int(red * 255):02x}{int(green * 255):02x}{int(blue * 255):02x}"


def _shadow(rng: random.Random) -> str:
    return rng.choice(["none", "none", "0 1px 3px #0003", "0 2px 8px #0002", "0 6px 20px #0003", "2px 2px 0 #0006"])


def random_theme(rng: random.Random, *, own: bool) -> Theme:
    """A theme.

    Args:
        own: for the kit without a style sheet: everything is styled. Else only fonts, sizes and an accent are.
    """
    is_dark, hue = rng.random() < 0.3, rng.random()
    font = rng.choice([*FONTS, "", "", "", ""])
    family = f"'{FONTS[font]}'" if font else rng.choice(SYSTEM_FONTS)
    size = rng.choice([11, 12, 13, 14, 14, 15, 16, 18])
    rules = [f"html{{font-size:{16 if not own else size}px}}body{{font-family:{family},sans-serif}}"]
    if not own:
        rules.append(f"body{{font-size:{size}px;padding:0;margin:0}}" if rng.random() < 0.5 else "body{margin:0}")
        return Theme("".join(rules), font, is_dark=False)
    ground, paper = (
        (_color(rng, rng.uniform(0.03, 0.14), 0.2, hue), _color(rng, rng.uniform(0.1, 0.2), 0.2, hue))
        if is_dark
        else (_color(rng, rng.uniform(0.93, 1), 0.3, hue), _color(rng, rng.uniform(0.97, 1), 0.2, hue))
    )
    ink, dim, line = (
        ("#e8e8e8", "#999", "#ffffff2e")
        if is_dark
        else ("#1b1b1f", "#777", rng.choice(["#ddd", "#bbb", "#888", "#0001"]))
    )
    accent = _color(rng, rng.uniform(0.3, 0.6), rng.uniform(0.4, 1))
    radius, border = rng.choice([0, 0, 2, 4, 6, 8, 12, 20, 999]), rng.choice([0, 1, 1, 1, 2, 3])
    pad_y, pad_x = rng.choice([1, 2, 4, 6, 8, 10, 14]), rng.choice([4, 6, 8, 12, 16, 24])
    box = f"padding:{pad_y}px {pad_x}px;border-radius:{radius}px"
    field = rng.choice(
        [
            f"border:{max(border, 1)}px solid {line};background:{paper}",
            f"border:0;border-bottom:{max(border, 1)}px solid {dim};background:transparent",
            f"border:0;background:{_color(rng, 0.2 if is_dark else 0.92, 0.1, hue)}",
            f"border:1px solid {dim};box-shadow:inset 0 1px 2px #0003;background:{paper}",
        ]
    )
    under = rng.choice(["none", "none", "underline"])
    rules += [
        f"body{{margin:0;background:{ground};color:{ink};line-height:{rng.uniform(1.15, 1.7):.2f}}}",
        "*{box-sizing:border-box}",
        f"a{{color:{rng.choice([accent, ink, '#0645ad' if not is_dark else '#8ab4f8'])};text-decoration:{under}}}",
        f".b{{font:inherit;{box};border:{border}px solid transparent;cursor:{rng.choice(['pointer', 'default'])};color:inherit;"
        f"background:none;{'text-transform:uppercase;letter-spacing:.05em;' if rng.random() < 0.12 else ''}}}",
        f".b1{{background:{accent};color:{rng.choice(['#fff', '#fff', '#000'])};box-shadow:{_shadow(rng)}}}",
        f".b2{{border-color:{accent};color:{accent};border-width:{max(border, 1)}px}}",
        f".b3{{background:{'#fff1' if is_dark else '#0000000f'};border-color:{line}}}",
        f".b4{{color:{accent}}}",
        f".i{{font:inherit;color:inherit;{box if radius < 100 else f'padding:{pad_y}px {pad_x}px;border-radius:999px'};{field};max-width:100%}}",
        f".t{{border-collapse:collapse;width:100%}}.t td,.t th{{padding:{rng.choice([2, 4, 8, 12])}px;text-align:start;"
        f"border:{rng.choice(['0', f'1px solid {line}'])};border-bottom:1px solid {line}}}",
        f".t tr:nth-child(even){{background:{rng.choice(['none', '#8881'])}}}",
        f".c{{background:{paper};border:{border}px solid {line};border-radius:{min(radius, 20)}px;box-shadow:{_shadow(rng)};"
        f"padding:{rng.choice([8, 12, 16, 24])}px;margin:{rng.choice([0, 4, 8, 12])}px 0}}",
        f".g{{background:{accent}33;border-radius:{min(radius, 12)}px;padding:1px 6px;font-size:.8em}}",
        f".n,.mi{{display:inline-block;padding:{pad_y}px {pad_x}px;color:inherit;text-decoration:none}}",
        f".tb{{font:inherit;color:inherit;background:none;border:0;padding:{pad_y}px {pad_x}px;border-bottom:2px solid transparent}}"
        f".tb.on{{border-color:{accent};color:{accent}}}",
        f".m{{background:{paper};border:1px solid {line};border-radius:{min(radius, 10)}px;box-shadow:{_shadow(rng)};padding:4px 0}}"
        f".mi{{display:block}}.pg{{padding:{pad_y}px 8px;border:{min(border, 1)}px solid {line};text-decoration:none}}",
        f".al{{border-inline-start:4px solid {accent};background:{accent}22;padding:8px 12px}}",
        f"::placeholder{{color:{dim}}}",
        f"input[type=checkbox],input[type=radio]{{accent-color:{accent};width:{(side := rng.choice([13, 13, 16, 18, 20]))}px;height:{side}px}}",
    ]
    return Theme("".join(rules), font, is_dark)
