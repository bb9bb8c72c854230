"""Ids of data folders: edges see by them whether workers share one."""

from __future__ import annotations

import secrets
from pathlib import Path

from perception.server.write_once import write_once

NAME = "folder-id"
"""The file with the id."""


def folder_id(folder: Path) -> str:
    """The id of a folder, which is made when it is first asked for; empty where the folder takes no files."""
    path = folder / NAME
    try:
        write_once(path, lambda: secrets.token_hex(16))
        return path.read_text()
    except OSError:
        return ""
