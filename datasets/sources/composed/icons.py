"""Icon sets of packages, by what an icon stands for."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IconSet:
    """An icon set.

    Attributes:
        id: as `icons.toml` calls it.
        package: its npm package.
        css: its style sheet, for a font; empty for a folder of drawings.
        markup: the markup of an icon of a font, with its name as `{}`; else the file of a drawing.
    """

    id: str
    package: str
    css: str
    markup: str


ICON_SETS = (
    IconSet(
        "fa",
        "@fortawesome/fontawesome-free",
        "@fortawesome/fontawesome-free/css/all.min.css",
        '<i class="fa-solid fa-{}"></i>',
    ),
    IconSet("bi", "bootstrap-icons", "bootstrap-icons/font/bootstrap-icons.min.css", '<i class="bi bi-{}"></i>'),
    IconSet(
        "ti", "@tabler/icons-webfont", "@tabler/icons-webfont/dist/tabler-icons.min.css", '<i class="ti ti-{}"></i>'
    ),
    IconSet("ri", "remixicon", "remixicon/fonts/remixicon.css", '<i class="ri-{}-line"></i>'),
    IconSet("feather", "feather-icons", "", "dist/icons/{}.svg"),
    IconSet("lucide", "lucide-static", "", "icons/{}.svg"),
    IconSet("oct", "@primer/octicons", "", "build/svg/{}-16.svg"),
)


@cache
def icon_names() -> dict[str, dict[str, str]]:
    """What icons stand for, with the name that sets give them where it is another one."""
    return tomllib.loads(Path(__file__).with_name("icons.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Icons:
    """The icons of one page.

    Attributes:
        of: the set.
        folder: of its unpacked package.
        rng: the page's own source of chance.
    """

    of: IconSet
    folder: Path
    rng: random.Random

    def any(self, size: float | None = None) -> str:
        """An icon chosen at random, as HTML."""
        while True:
            if made := self.one(self.rng.choice(list(icon_names())), size):
                return made

    def one(self, meaning: str, size: float | None = None) -> str:
        """The icon of a meaning; empty where the set has none.

        Args:
            size: CSS px; None for that of the text.
        """
        name = icon_names()[meaning].get(self.of.id, meaning)
        if not name:
            return ""
        style = f"font-size:{size}px" if size else ""
        if self.of.css:
            markup = self.of.markup.format(name)
        else:
            file = self.folder / self.of.markup.format(name)
            if not file.is_file():
                return ""
            side = f"{size}px" if size else "1.15em"
            drawing = re.sub(r"<!--.*?-->|<\?xml.*?\?>", "", file.read_text("utf-8"), flags=re.S).strip()
            drawing = re.sub(r'\s(?:width|height)="[^"]*"', "", drawing, count=2)
            fill = ' fill="currentColor"' if self.of.id == "oct" else ""
            markup = drawing.replace("<svg", f'<svg width="{side}" height="{side}"{fill}', 1)
            style = "display:inline-flex;vertical-align:-.15em"
        return f'<span data-icon="{meaning}" style="{style}" aria-hidden="true">{markup}</span>'
