"""Characters without ink: which of them a text keeps.

Rule 1: what Unicode calls default-ignorable (5.21) is dropped: soft hyphens, break opportunities, byte order marks,
direction marks, tag characters, fillers. They say nothing to a reader, and can spell hidden words.
Rule 2: kept is what a script or an emoji needs in its place: joiners and non-joiners after a letter of a script that
has them, joiners between emoji, variation selectors after what has variants, the tags of the three flags made so.
Marks that reorder a line are not dropped here: they are escaped, see `perception.page_words`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINING = "\u0600-\u109f\u1780-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f"
"""Arabic, Syriac, N'Ko, the scripts of South and South-East Asia, Mongolian, Adlam."""

_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_FLAGS = "|".join("".join(chr(0xE0000 + ord(char)) for char in name) for name in ("gbeng", "gbsct", "gbwls"))

_KEPT = (
    f"\U0001f3f4(?:{_FLAGS})\U000e007f",
    f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])",
    f"(?<=[{_JOINING}])[\u200c\u200d]",
    f"(?<=[{_EMOJI}{_IDEOGRAPHS}\u1000-\u109f0-9#*])[\ufe00-\ufe0f]",
    f"(?<=[{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]",
    "(?<=[\u1820-\u18aa])[\u180b-\u180f]",
)
INVISIBLE = re.compile(f"[{_IGNORED}]")


def without_invisible(text: str) -> str:
    """The text without characters that have no ink and no use where they are."""
    if text.isascii() or not INVISIBLE.search(text):
        return text
    return _found().sub(lambda found: found[1] or "", text)


def comparable(text: str) -> str:
    """The form in which words that somebody gives are compared with a page's: what looks the same is the same, in any
    case and with any white space. Digits that are raised (`10⁶`) differ from others."""
    return " ".join(unicodedata.normalize("NFC", without_invisible(text)).split()).casefold()


@cache
def _found() -> re.Pattern[str]:
    """Each invisible character, in a group if it is kept. Compiled when a text has one: that takes 3 ms."""
    return re.compile(f"({'|'.join(_KEPT)})|[{_IGNORED}]")
