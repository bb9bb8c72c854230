"""One download of a session."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

FOLDER_REMOVED = "the browser's folder was removed, as programs do that clean temporary folders"


class DownloadState(Enum):
    IN_PROGRESS = "in progress"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Download:
    """One download.

    Attributes:
        url: where it comes from.
        name: a safe file name, from the page's suggestion.
        size_bytes: received so far.
        state: whether it runs, is complete or failed.
        path: the complete file; None until then, and for a browser that is not ours.
        failure: why it failed; empty otherwise.
        download_id: its id in the session: d1, d2, …
    """

    url: str
    name: str
    size_bytes: int = 0
    state: DownloadState = DownloadState.IN_PROGRESS
    path: Path | None = None
    failure: str = ""
    download_id: str = ""
