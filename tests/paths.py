"""Where the repository's files are, for tests."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = ROOT / "tests" / "pages"
GOLDENS = ROOT / "tests" / "golden"
