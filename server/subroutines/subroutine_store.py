"""Recordings and subroutines on disk: files that a person can read, each whole or not there.

DATA/recordings/ID.json
DATA/subroutines/ID/subroutine.json | body.js | generated.js | context.txt
DATA/principals/NAME/…  the same, of callers who have a name
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import msgspec
import structlog

from perception.errors import (
    SubroutineBrokenError,
    SubroutineChangedError,
    SubroutineExistsError,
    UnknownRecordingError,
    UnknownSubroutineError,
)
from perception.paths import data_folder, make_private
from perception.server.files.stored_file import read_stored
from perception.subroutines import recording as recordings
from perception.subroutines.recording import Recording
from perception.subroutines.stored import MANIFEST, Stored, files_of, read_files
from perception.subroutines.updated import require_version
from perception.tool_names import tool_name

log = structlog.get_logger(__name__)

FOLDERS = ("recordings", "subroutines", "principals")
"""All folders of a store."""

READS, READ_AGAIN_SECONDS = 3, 0.01
"""How often, and how soon again, files are read that an update takes away meanwhile."""

UPDATE_SECONDS = 1.0
"""Limit for an update to put a subroutine in place, by two renames. A busy machine may be late in between. Chosen by
hand."""

_ID = re.compile(r"[A-Za-z0-9][\w-]{0,80}")


class SubroutineStore:
    """In one folder, which is made when something is kept in it. Two services may share it. Who has a name has a folder
    of their own in it."""

    def __init__(self, folder: Path | None, principal: str = "") -> None:
        self._folder = folder if folder is not None else data_folder()
        if principal:
            self._folder = self._folder / "principals" / _folder_name(principal)

    def keep_recording(self, recording: Recording) -> Path:
        path = self._folder / "recordings" / f"{recording.recording_id}.json"
        make_private(path.parent)
        _write_whole(path, recordings.encode(recording))
        return path

    def recording(self, recording_id: str) -> Recording:
        """Raises UnknownRecordingError."""
        try:
            if not _ID.fullmatch(recording_id):
                raise FileNotFoundError
            return recordings.decode(read_stored(self._folder / "recordings" / f"{recording_id}.json"))
        except FileNotFoundError as exc:
            raise UnknownRecordingError(
                f"no recording {recording_id[:40]!r}: start one with StartRecording, do the task, then StopRecording"
            ) from exc
        except OSError as exc:
            raise UnknownRecordingError(
                f"recording {recording_id} cannot be read ({exc.strerror}): record the task again"
            ) from exc
        except msgspec.MsgspecError as exc:
            raise UnknownRecordingError(
                f"recording {recording_id} is of another version: record the task again"
            ) from exc

    def keep(self, stored: Stored) -> None:
        """Keeps a new subroutine.

        Raises:
            SubroutineExistsError: its origin has one of that name.
        """
        root = self._folder / "subroutines"
        make_private(root)
        work = Path(tempfile.mkdtemp(prefix=".new-", dir=root))
        try:
            for name, data in files_of(stored).items():
                _write_private(work / name, data)
            # A folder takes the place of an empty one alone: what is there stays.
            os.rename(work, root / stored.subroutine_id)
        except OSError as exc:
            shutil.rmtree(work, ignore_errors=True)
            if (root / stored.subroutine_id).exists():
                raise SubroutineExistsError(
                    f"{stored.origin} has a subroutine {stored.name!r} already ({stored.subroutine_id}): delete it, or "
                    "choose another name"
                ) from exc
            raise

    def replace(self, stored: Stored, etag: str) -> None:
        """Puts a changed subroutine in the place of the version that was changed. Of two changes of one version
        one gets there: the first step takes the old files away.

        Raises:
            SubroutineChangedError: another version is there.
            UnknownSubroutineError: none is there.
        """
        folder = self._folder_of(stored.subroutine_id)
        work = Path(tempfile.mkdtemp(prefix=f".new-{stored.subroutine_id}-", dir=folder.parent))
        try:
            for name, data in files_of(stored).items():
                _write_private(work / name, data)
            old = work.with_name(work.name.replace(".new-", ".old-", 1))
            try:
                os.rename(folder, old)
            except FileNotFoundError as exc:
                raise SubroutineChangedError(
                    f"{stored.subroutine_id} is being changed by somebody else: nothing was stored; read it again"
                ) from exc
            try:
                require_version(read_files(_read_folder(old)), etag)
                os.rename(work, folder)
            except BaseException:
                os.rename(old, folder)
                raise
            shutil.rmtree(old, ignore_errors=True)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def get(self, subroutine_id: str) -> Stored:
        """One by its id, or by the name of its tool where no other has it.

        Raises:
            UnknownSubroutineError, SubroutineBrokenError
        """
        for attempt in range(READS):
            try:
                folder = self._folder_of(subroutine_id)
                stored = read_files(_read_folder(folder))
                break
            except FileNotFoundError:  # an update is taking its place
                if attempt == READS - 1:
                    self._folder_of(subroutine_id)
                    raise
                time.sleep(READ_AGAIN_SECONDS)
        if stored.subroutine_id != folder.name:
            raise SubroutineBrokenError(f"the files of {folder.name} are of {stored.subroutine_id[:80]!r}")
        return stored

    def list(self, origin: str = "") -> tuple[Stored, ...]:
        """All that can be read, by name; of one origin if it is given."""
        found = []
        for path in sorted((self._folder / "subroutines").glob(f"*/{MANIFEST}")):
            if not _ID.fullmatch(path.parent.name):
                continue
            try:
                found.append(self.get(path.parent.name))
            except (SubroutineBrokenError, UnknownSubroutineError) as exc:
                log.warning("subroutine left out", subroutine=path.parent.name, reason=exc.reason)
        wanted = (each for each in found if not origin or each.origin == origin.rstrip("/"))
        return tuple(sorted(wanted, key=lambda each: (each.origin, each.name)))

    def delete(self, subroutine_id: str) -> None:
        """Raises UnknownSubroutineError."""
        folder = self._folder_of(subroutine_id)
        gone = Path(tempfile.mkdtemp(prefix=".old-", dir=folder.parent))
        os.rename(folder, gone / "gone")
        shutil.rmtree(gone)

    def _folder_of(self, subroutine_id: str) -> Path:
        """Raises UnknownSubroutineError: there is no subroutine, and no update is about to put one there."""
        folder = self._folder / "subroutines" / subroutine_id
        if _ID.fullmatch(subroutine_id) and _is_there(folder):
            return folder
        made = self.list()
        named = [each.subroutine_id for each in made if tool_name(each.name) == tool_name(subroutine_id)]
        if len(named) == 1:
            return folder.with_name(named[0])
        if named:
            raise UnknownSubroutineError(
                f"{len(named)} subroutines are called {subroutine_id[:80]!r}: give the id, {' or '.join(named)}"
            )
        known = ", ".join(each.subroutine_id for each in made[:20])
        raise UnknownSubroutineError(f"no subroutine {subroutine_id[:80]!r}: there is {known or 'none'}")


def _is_there(folder: Path) -> bool:
    """Whether a subroutine is there, once an update of it has ended."""
    end_s = time.monotonic() + UPDATE_SECONDS
    while not folder.is_dir() and any(folder.parent.glob(f".old-{folder.name}-*")) and time.monotonic() < end_s:
        time.sleep(READ_AGAIN_SECONDS)
    return folder.is_dir()


def _read_folder(folder: Path) -> dict[str, bytes]:
    return {path.name: read_stored(path) for path in folder.iterdir() if path.is_file()}


def _folder_name(principal: str) -> str:
    """Names of certificates may hold anything, and file systems may take two spellings for one."""
    readable = re.sub(r"[^a-z0-9]+", "-", principal.lower()).strip("-")[:40]
    return f"{readable}-{hashlib.sha256(principal.encode()).hexdigest()[:16]}"


def _write_whole(path: Path, data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
        try:
            file.write(data)
            file.close()
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise


def _write_private(path: Path, data: bytes) -> None:
    """Writes a file that others cannot read."""
    path.touch(0o600)
    path.write_bytes(data)
