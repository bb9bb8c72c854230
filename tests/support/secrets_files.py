"""A file of secrets by name."""

from __future__ import annotations

from pathlib import Path

WORD = "Zebra-Quartz77"

PIN = "80461357"


def secrets_file(folder: Path, site: str) -> Path:
    path = folder / "secrets.toml"
    path.touch(0o600)
    path.write_text(
        f'[word]\nvalue = "{WORD}"\norigins = ["{site}"]\n'
        f'[anywhere]\nvalue = "Any-Where-99"\n'
        f'[pin]\nvalue = "{PIN}"\n'
        '[elsewhere]\nvalue = "Else-Where-55"\norigins = ["https://x.example"]\n'
        '[day]\nvalue = "2031-05-17"\n'
        '[iban]\nvalue = "DE89370400440532013000"\n'
        '[hers]\nvalue = "Hers-Alone-11"\nprincipals = ["ana"]\n'
    )
    return path
