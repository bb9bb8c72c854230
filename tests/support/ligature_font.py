"""A font of icons, for pages of tests."""

from __future__ import annotations

LIGATURES = (
    "d09GRgABAAAAAALkAAsAAAAAA7AAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAABHU1VCAAACiAAAAFsAAABysZq0n09TLzIAAAF4AAAAKgAAAGBFPk"
    "VbY21hcAAAAbwAAAA1AAAAPACoALlnbHlmAAACBAAAACUAAAA0Ec4RzGhlYWQAAAEIAAAANgAAADYxYwOqaGhlYQAAAUAAAAAeAAAAJAcKA3Bo"
    "bXR4AAABpAAAABUAAAB2RboAMmxvY2EAAAH0AAAADwAAAD4AGgANbWF4cAAAAWAAAAAYAAAAIAAgAAZuYW1lAAACLAAAAE4AAABaKzYywHBvc3"
    "QAAAJ8AAAADAAAACAAAwAAAAEAAAABAAD4cbIbXw889QADA+gAAAAA5zJgBwAAAADnMmAHADIAAAO2ArwAAAADAAIAAAAAAAB4nGNgZGBgVvhv"
    "ASRfMBgxGDFvYwCKoABZAFY7A4IAAHicY2BkYGCQY2BhANEMDEwMaAAABAYAJ3icY2BmKmacwMDKwMJAGDAic+yBAEjFM1QxK4D4QPIEmnoFBi"
    "4AtfEEIQAAeJxjimBgYKIjZn7BYMRgBAByVgsoAAAAeJxjYGBgYmBgYAZiESDJCKZZGDSANBuQZgTKxjNU/f8P5MczJP7//3/P/wVgVUAAAJqi"
    "CVsAAAB4nGNgIBvwMkgBAAB/ACgAeJxjYGQwYmBg3sa0h4GZgcFYUFHQiLmFac9fFwYGnDIA3SYJtwAAAHicLYhBCoAgFAXnmxFFtOwoncATeA"
    "MX4kZcfBCv3zeaxfDmAZ4HYSKsnyeOzWpB/G7Pwflvx8UdNI0Wc+k1KQElMWhEMoVOtdYX8/UKTAAAeJxjYGbACwAAfQAEeJxjYGRgYOBikGPQ"
    "YWB0cfMJYeBgYAGKMPz/zwCSYczJTE8EijFAeEA5FjDNAcRGDExAnSpgUVkgSwgI+RnEGaSB4owMzAzcYBkZIOZn4GVgBfJA4hwACJkGnAA="
)
"""In base64: a font (WOFF) with one glyph for `home` and one for `arrow_back`, by ligatures, and empty ones for the
letters a to z and `_`. Made with fontTools' FontBuilder."""

ICON_STYLE = (
    f'<style>@font-face{{font-family:Icons;src:url("data:font/woff;base64,{LIGATURES}")}}i{{font:20px Icons}}</style>'
)
"""Has what is in an `<i>` drawn in that font, once it has come."""
