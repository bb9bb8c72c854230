"""Ids of data folders: edges see by them whether workers share one."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

NAME = "folder-id"
"""The file with the id."""


def folder_id(folder: Path) -> str:
    """The id of a folder, which is made when it is first asked for; empty where the folder takes no files."""
    path, part = folder / NAME, folder / f".{NAME}-{secrets.token_hex(8)}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            part.write_text(secrets.token_hex(16))
            with suppress(FileExistsError):  # another worker was first
                os.link(part, path)
            part.unlink()
        return path.read_text()
    except OSError:
        return ""
