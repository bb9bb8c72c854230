"""What README and docs show."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.paths import DOCS, ROOT

GUIDES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Fenced blocks of a language: (file name, text)."""
    for page in GUIDES:
        for found in re.finditer(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            yield page.name, found[1]


LINES = [(name, line) for name, block in blocks("sh") for line in block.splitlines() if line.strip()]

COMMANDS = [(name, line) for name, line in LINES if line.startswith("perception ")]

PYTHON = list(blocks("python"))
