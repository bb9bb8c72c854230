"""Scripts that the bundled models do not read: their letters, and the languages that are written in them. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

SCRIPT_LETTERS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "Arabic": re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefe]"),
        "Cyrillic": re.compile("[\u0400-\u052f]"),
        "Devanagari": re.compile("[\u0900-\u097f]"),
        "Hangul": re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]"),
        "Hebrew": re.compile("[\u0590-\u05ff]"),
        "Thai": re.compile("[\u0e00-\u0e7f]"),
    }
)
"""The letters of each script, by blocks of Unicode."""

_ANY = re.compile("|".join(each.pattern for each in SCRIPT_LETTERS.values()))

_RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
_ARABIC = "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي"
_PERSIAN = "ءآأؤئابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی"

ALPHABETS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "Arabic": {"ar": _ARABIC, "fa": _PERSIAN, "ur": _PERSIAN + "ٹڈڑںھہےۓ"},
        "Cyrillic": {
            "ru": _RUSSIAN,
            "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
            "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
            "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
            "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
            "kk": _RUSSIAN + "әғқңөұүһі",
        },
        "Devanagari": {"hi": "", "mr": "", "ne": ""},
        "Hangul": {"ko": ""},
        "Hebrew": {"he": ""},
        "Thai": {"th": ""},
    }
)
"""Languages of each script, the most common on the web first, with their letters (Unicode CLDR's exemplar sets); ""
where letters do not tell the languages of a script apart."""


def script_letters(text: str, script: str) -> int:
    """How many characters of a text belong to a script of SCRIPT_LETTERS; 0 for an unknown one."""
    pattern = SCRIPT_LETTERS.get(script)
    return len(pattern.findall(text)) if pattern else 0


def count_scripts(texts: Iterable[str]) -> Counter[str]:
    """The number of letters of each of these scripts in the texts; scripts without a letter are absent."""
    found = "".join(_ANY.findall("\n".join(texts)))
    counts = {script: script_letters(found, script) for script in SCRIPT_LETTERS} if found else {}
    return Counter({script: count for script, count in counts.items() if count})


def script_of_language(tag: str) -> str:
    """The script of SCRIPT_LETTERS for a language tag (BCP 47), such as `Arabic` for `fa-IR`; "" for other scripts."""
    language = _language_of(tag)
    return next((script for script, alphabets in ALPHABETS.items() if language in alphabets), "")


def _language_of(tag: str) -> str:
    return tag.strip().replace("_", "-").split("-")[0].lower()


def likely_languages(script: str, texts: Iterable[str], tag: str = "") -> tuple[str, ...]:
    """Languages of a script, the likeliest for the given texts first; () for an unknown script.

    The language whose alphabet lacks the fewest of the letters comes first; of equals the one that the page names by a
    language tag, and then the more common one.
    """
    named = _language_of(tag)
    alphabets = ALPHABETS.get(script, {})
    pattern = SCRIPT_LETTERS.get(script)
    letters = Counter(pattern.findall("\n".join(texts).lower())) if pattern else Counter()

    def strange(language: str) -> int:
        alphabet = alphabets[language]
        return sum(count for letter, count in letters.items() if letter.isalpha() and letter not in alphabet)

    # sorted is stable: equals stay in the order of the table
    return tuple(sorted(alphabets, key=lambda language: (strange(language), language != named)))
