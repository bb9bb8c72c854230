"""The videos of a service on disk: each belongs to its principal, and outlives its session.

Rule 1: a video that is being made has a lock, which the system releases when the process ends in any way. One without
an end and without a lock was cut off, and is kept as it is.
Rule 2: what is kept has limits, of time and of bytes; the oldest goes first, and none that is being made.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec
import structlog

from perception import host_os
from perception.errors import UnknownVideoError, VideoEmptyError
from perception.paths import make_private
from perception.server.files.stored_file import read_stored
from perception.video import VideoEnd

log = structlog.get_logger(__name__)

LOCK, FACTS = ".lock", ".json"

_ID = re.compile(r"v[0-9a-f]{16}")


class VideoRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a video beside its pictures.

    Attributes:
        tab_id: empty for one that follows the selected tab.
        ending: of its file: `webm` or `mp4`.
        start_s: of its first picture, seconds since 1970.
        end: name of the VideoEnd; empty while it is being made.
        duration_s: None where it is not known.
        frames: without those that only repeat the one before.
        width, height: px.
    """

    video_id: str
    session_id: str
    tab_id: str
    ending: str
    start_s: float
    end: str = ""
    duration_s: float | None = None
    frames: int = 0
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class KeptVideo:
    """A video and its file.

    Attributes:
        end: None while it is being made.
        expires_s: when it is deleted at the latest, seconds since 1970; None for never.
    """

    record: VideoRecord
    path: Path
    size_bytes: int
    end: VideoEnd | None
    expires_s: float | None


@dataclass(slots=True)
class OpenVideo:
    """A file that is being written, unbuffered, and its lock."""

    record: VideoRecord
    path: Path
    file: IO[bytes]
    lock: IO[bytes]


class VideoStore:
    """All videos in one folder. Its methods wait for the disk: they belong in a thread."""

    def __init__(self, folder: Path, max_bytes: int, days: float) -> None:
        """
        Args:
            folder: made when it is needed.
            max_bytes: of all finished videos together.
            days: how long a finished one is kept; 0 for ever.
        """
        self._folder, self._max_bytes, self._keep_s = folder, max_bytes, days * 86400.0

    def create(self, principal: str, session_id: str, tab_id: str, ending: str) -> OpenVideo:
        """Opens the file of a new video. Raises OSError."""
        self.prune()
        record = VideoRecord(
            video_id=f"v{secrets.token_hex(8)}",
            session_id=session_id,
            tab_id=tab_id,
            ending=ending,
            start_s=time.time(),
        )
        folder = self._owned(principal)
        make_private(folder)
        lock = host_os.lock_file(folder / f"{record.video_id}{LOCK}")
        try:
            path = folder / f"{record.video_id}.{ending}"
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            file = os.fdopen(handle, "w+b", buffering=0)
            _write_record(folder, record)
        except BaseException:
            lock.close()
            raise
        return OpenVideo(record, path, file, lock)

    def finish(self, opened: OpenVideo, record: VideoRecord) -> KeptVideo:
        """Closes the file of a video that has ended; one without a picture is removed.

        Raises:
            VideoEmptyError: it has no picture.
        """
        folder = opened.path.parent
        try:
            opened.file.close()
            if not record.frames:
                _remove(folder, record)
                raise VideoEmptyError(
                    "the video has no picture: the tab showed nothing while it was made", video=record.video_id
                )
            with suppress(OSError):  # the disk is full: the video is listed as one that was cut off
                _write_record(folder, record)
        finally:
            opened.lock.close()
            (folder / f"{record.video_id}{LOCK}").unlink(missing_ok=True)
        self.prune(spared=record.video_id)
        return self._kept(folder, record)

    def list(self, principal: str) -> list[KeptVideo]:
        """A principal's videos, the newest first."""
        self.prune()
        folder = self._owned(principal)
        found = [self._kept(folder, record) for record in _records(folder)]
        return sorted(found, key=lambda each: each.record.start_s, reverse=True)

    def find(self, principal: str, video_id: str) -> KeptVideo:
        """A principal's video. Raises UnknownVideoError."""
        found = next((each for each in self.list(principal) if each.record.video_id == video_id), None)
        if found is None:
            raise UnknownVideoError(
                f"no video {video_id[:40]!r}: it was deleted, or made way for newer ones, or never was; ListVideos "
                "has those that there are",
                video=video_id[:40],
            )
        return found

    def delete(self, principal: str, video_id: str) -> None:
        """Deletes a finished video. Raises UnknownVideoError."""
        found = self.find(principal, video_id)
        _remove(found.path.parent, found.record)

    def prune(self, *, spared: str = "") -> None:
        """Deletes finished videos of all principals that are too old or too many; never the one of this id."""
        ended = [each for each in self._all() if each.end is not None and each.record.video_id != spared]
        newest = sorted(ended, key=lambda each: each.record.start_s, reverse=True)
        total = 0
        for each in newest:
            total += each.size_bytes
            if total > self._max_bytes or (each.expires_s is not None and each.expires_s <= time.time()):
                log.info("deleted a video to stay within limits", video=each.record.video_id)
                _remove(each.path.parent, each.record)

    def _all(self) -> Iterator[KeptVideo]:
        if self._folder.is_dir():
            for folder in self._folder.iterdir():
                yield from (self._kept(folder, record) for record in _records(folder))

    def _owned(self, principal: str) -> Path:
        """The folder of a principal, by a name that says nothing of it."""
        return self._folder / hashlib.sha256(f"videos of {principal}".encode()).hexdigest()[:32]

    def _kept(self, folder: Path, record: VideoRecord) -> KeptVideo:
        path = folder / f"{record.video_id}.{record.ending}"
        try:
            found = path.stat()
            size, changed_s = found.st_size, found.st_mtime
        except OSError:
            size, changed_s = 0, record.start_s
        end = _end_of(folder, record)
        expires = changed_s + self._keep_s if self._keep_s and end is not None else None
        return KeptVideo(record, path, size, end, expires)


def _end_of(folder: Path, record: VideoRecord) -> VideoEnd | None:
    if record.end:
        return VideoEnd[record.end]
    path = folder / f"{record.video_id}{LOCK}"
    if not path.exists():
        return VideoEnd.SERVICE_ENDED
    try:
        host_os.lock_file(path).close()
    except OSError:  # somebody holds it
        return None
    return VideoEnd.SERVICE_ENDED


def _records(folder: Path) -> Iterator[VideoRecord]:
    for path in folder.glob(f"v*{FACTS}") if folder.is_dir() else ():
        try:
            record = msgspec.json.decode(read_stored(path), type=VideoRecord)
        except (OSError, msgspec.MsgspecError):
            continue  # it was deleted meanwhile, or is not ours
        if record.video_id == path.stem and _ID.fullmatch(record.video_id) and record.ending in ("webm", "mp4"):
            yield record


def _write_record(folder: Path, record: VideoRecord) -> None:
    part = folder / f".{record.video_id}.part"
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(msgspec.json.encode(record))
        os.replace(part, folder / f"{record.video_id}{FACTS}")
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _remove(folder: Path, record: VideoRecord) -> None:
    for ending in (FACTS, f".{record.ending}", LOCK):
        with suppress(OSError):
            (folder / f"{record.video_id}{ending}").unlink()
