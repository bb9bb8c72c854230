"""Language data of Tesseract: which files are installed, which read a line, and which Debian packages bring them.

There is a file for each language (`ara`), and one for each script (`Arabic`), which knows all its languages and Latin
letters between them. Debian keeps both in one folder, Tesseract's own repository keeps scripts in the folder `script`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from perception.detectors.script_languages import ALPHABETS

PREFIX_VARIABLE = "TESSDATA_PREFIX"
"""Tesseract's own variable: the folder of its data."""

FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
"""Where Debian, Arch, Fedora, a build from source and Homebrew keep the data."""

LANGUAGE_PACKS: Mapping[str, str] = MappingProxyType(
    {
        "ar": "ara", "fa": "fas", "ur": "urd",
        "ru": "rus", "uk": "ukr", "bg": "bul", "sr": "srp", "be": "bel", "kk": "kaz",
        "hi": "hin", "mr": "mar", "ne": "nep",
        "ko": "kor", "he": "heb", "th": "tha",
    }
)  # fmt: skip
"""Tesseract's names by BCP 47 tag."""

SCRIPT_PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "Arabic": "tesseract-ocr-script-arab",
        "Cyrillic": "tesseract-ocr-script-cyrl",
        "Devanagari": "tesseract-ocr-script-deva",
        "Hangul": "tesseract-ocr-script-hang",
        "Hebrew": "tesseract-ocr-script-hebr",
        "Thai": "tesseract-ocr-script-thai",
    }
)
"""Debian's package of each script's data."""


def data_folder(environment: Mapping[str, str]) -> Path | None:
    """The folder of Tesseract's data; None if there is none."""
    named = environment.get(PREFIX_VARIABLE, "")
    folders = [Path(named), Path(named, "tessdata")] if named else [Path(each) for each in FOLDERS]
    return next((folder for folder in folders if any(folder.glob("*.traineddata"))), None)


def installed_packs(environment: Mapping[str, str]) -> frozenset[str]:
    """Names of the installed data files, such as `ara`, `Arabic` or `script/Arabic`; empty without Tesseract's data."""
    folder = data_folder(environment)
    if folder is None:
        return frozenset()
    files = (*folder.glob("*.traineddata"), *folder.glob("script/*.traineddata"))
    return frozenset(file.relative_to(folder).with_suffix("").as_posix() for file in files)


def packs_for(script: str, languages: Sequence[str], installed: frozenset[str]) -> tuple[str, ...]:
    """The packs that read a line, the best first; () if none is installed.

    Args:
        script: a key of SCRIPT_PACKAGES.
        languages: BCP 47 tags that the line may be in, the likeliest first; the script's others follow.
    """
    tags = [tag for tag in dict.fromkeys((*languages, *ALPHABETS.get(script, ()))) if tag in ALPHABETS.get(script, ())]
    wanted = (script, f"script/{script}", *(LANGUAGE_PACKS[tag] for tag in tags))
    return tuple(pack for pack in wanted if pack in installed)


def missing_pack(script: str, environment: Mapping[str, str]) -> str:
    """Why lines in a script cannot be read, and how to fix it; "" if they can."""
    if script not in SCRIPT_PACKAGES:
        return f"the detector tesseract does not know the script {script}"
    if packs_for(script, (), installed_packs(environment)):
        return ""
    return f"Tesseract's data for it is not installed: apt install {SCRIPT_PACKAGES[script]}"


def environment_packs() -> frozenset[str]:
    """The packs of this machine."""
    return installed_packs(os.environ)
