"""Icon fonts: fonts that draw pictures for characters of Unicode's private use areas."""

from __future__ import annotations


def is_glyph(char: str) -> bool:
    """Whether a character is in Unicode's private use areas (U+E000 … U+F8FF, planes 15 and 16)."""
    return "\ue000" <= char <= "\uf8ff" or ord(char) >= 0xF0000
