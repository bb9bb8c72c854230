"""The profiles of one service on disk: each belongs to its principal, and one session at a time may write it.

A profile is held by a lock on a file beside it, which the system releases when the process ends in any way. The lock
file says who holds it.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec

from perception import host_os
from perception.browser.storage.state import BrowserState, convert_state, read_json
from perception.errors import (
    BadInputError,
    PerceptionError,
    ProfileDamagedError,
    ProfileInUseError,
    ProfileLimitError,
    ProfileNotFoundError,
)
from perception.paths import make_private
from perception.server.environment import how_to_set
from perception.server.files.stored_file import read_stored
from perception.server.profiles.keys import ProfileKey
from perception.server.profiles.sealed_file import PART, Header, read_header, read_sealed, write_sealed

MAX_PROFILES = 1000
"""Most profiles of one principal. Chosen by hand."""

LOCK_TRIES, LOCK_PAUSE_SECONDS = 5, 0.01
"""Chosen by hand."""

SUFFIX, LOCK = ".profile", ".lock"

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,62}[A-Za-z0-9_@+-])?")


class Holder(msgspec.Struct, frozen=True):
    """Who uses a profile."""

    session_id: str = ""
    pid: int = 0
    since_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A profile in a list.

    Attributes:
        expires_s: when it is deleted unless it is saved again; None for never.
        holder: None while no session uses it.
    """

    header: Header
    size_bytes: int
    expires_s: float | None
    holder: Holder | None


@dataclass(slots=True)
class HeldProfile:
    """A profile that a session has, for as long as the session lives.

    Attributes:
        state: as it was last read or saved.
        read_only: the session does not save it, and does not keep others from it.
    """

    store: ProfileStore
    path: Path
    header: Header
    state: BrowserState
    read_only: bool
    _lock: IO[bytes] | None = None

    @property
    def name(self) -> str:
        return self.header.name

    def save(self, state: BrowserState) -> None:
        """Replaces what is kept. Raises OSError; what was kept before then still is."""
        assert self._lock is not None  # one that is read only is never saved
        header = msgspec.structs.replace(
            self.header, saved_s=time.time(), cookies=len(state.cookies), origins=len(state.origins)
        )
        key = self.store.key()
        write_sealed(self.path, msgspec.structs.replace(header, key_id=key.key_id), state.to_json(), key)
        self.header, self.state = header, state

    def release(self) -> None:
        """Lets other sessions use it. Safe to call twice."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


class ProfileStore:
    """All profiles of a service.

    Args:
        folder: where they lie; made with the first one.
        key: reads the key, which raises ProfileKeyWrongError.
        days: after which a profile that was not saved is deleted; 0 for never.
    """

    def __init__(self, folder: Path, key: Callable[[], ProfileKey], days: float = 0.0) -> None:
        self._folder = folder
        self.key = key
        self._days = days

    def open(self, principal: str, name: str, session_id: str, *, read_only: bool = False) -> HeldProfile:
        """Takes a profile for a session: an empty one where there is none, unless it is only read.

        Raises:
            BadInputError: it is not a name.
            ProfileInUseError: another session has it.
            ProfileNotFoundError: there is none to read.
            ProfileKeyWrongError, ProfileDamagedError: see `read_sealed`; or what lies at its place is not a file.
            ProfileLimitError: the principal has as many as there may be.
        """
        with _no_plain_file(self._path(principal, name), name):
            return self._open(principal, name, session_id, read_only=read_only)

    def _open(self, principal: str, name: str, session_id: str, *, read_only: bool) -> HeldProfile:
        path = self._path(principal, name)
        if read_only:
            header, state = self._read(path, principal, name)
            return HeldProfile(self, path, header, state, read_only=True)
        lock = self._lock(path, name, session_id)
        try:
            self._drop_expired(path)
            try:
                header, state = self._read(path, principal, name)
            except ProfileNotFoundError:
                header, state = self._new(principal, name), BrowserState()
        except BaseException:
            lock.close()
            raise
        return HeldProfile(self, path, header, state, read_only=False, _lock=lock)

    def list(self, principal: str) -> list[ProfileEntry]:
        """A principal's profiles by name. Those that have expired are deleted on the way."""
        entries = []
        for path in sorted(self._owned(principal).glob(f"*{SUFFIX}")):
            with contextlib.suppress(OSError, PerceptionError):  # it goes meanwhile, or is not a profile
                self._remove_if_expired(path)
                header = read_header(path)
                entries.append(ProfileEntry(header, path.stat().st_size, self._expiry(header), self._holder(path)))
        return sorted(entries, key=lambda each: each.header.name)

    def delete(self, principal: str, name: str) -> None:
        """Deletes a profile, also one that cannot be read.

        Raises:
            ProfileNotFoundError: no profile has that name.
            ProfileInUseError: a session uses it.
            ProfileDamagedError: a folder lies where its file should.
        """
        path = self._path(principal, name)
        if not path.exists():
            raise self._not_found(principal, name)
        with _no_plain_file(path, name):
            lock = self._lock(path, name, "")
            try:
                _remove(path)
            finally:
                lock.close()

    def _read(self, path: Path, principal: str, name: str) -> tuple[Header, BrowserState]:
        try:
            header, content = read_sealed(path, self.key())
        except FileNotFoundError as exc:
            raise self._not_found(principal, name) from exc
        if (header.name, header.principal) != (name, principal):
            raise ProfileDamagedError(
                f"the file of profile {name!r} is another profile's: restore it from a backup, or delete the profile",
                profile=name,
            )
        return header, convert_state(read_json(content))[0]

    def _new(self, principal: str, name: str) -> Header:
        if len(list(self._owned(principal).glob(f"*{SUFFIX}"))) >= MAX_PROFILES:
            raise ProfileLimitError(f"there are {MAX_PROFILES} profiles, the limit: delete one (DeleteProfile)")
        now, key = time.time(), self.key()
        return Header(
            name=name, principal=principal, key_id=key.key_id, created_s=now, saved_s=now, cookies=0, origins=0
        )

    def _not_found(self, principal: str, name: str) -> ProfileNotFoundError:
        known = [each.header.name for each in self.list(principal)]
        listed = f"there are {', '.join(known[:10])}{' …' if len(known) > 10 else ''}" if known else "there are none"
        return ProfileNotFoundError(f"no profile {name!r}: {listed} (ListProfiles)", profile=name)

    def _owned(self, principal: str) -> Path:
        return self._folder / hashlib.sha256(principal.encode()).hexdigest()[:32]

    def _path(self, principal: str, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise BadInputError(
                f"{name[:70]!r} is not a profile name: use up to 64 letters, digits and . _ @ + -, as in shop.work",
                field="profile",
            )
        return self._owned(principal) / f"{name}{SUFFIX}"

    def _lock(self, path: Path, name: str, session_id: str) -> IO[bytes]:
        make_private(path.parent)
        at = path.with_name(path.name + LOCK)
        held = _try_lock(at)
        if held is None:
            raise _in_use(name, _read_holder(at))
        try:
            held.truncate()
            held.write(msgspec.json.encode(Holder(session_id, os.getpid(), time.time())))
            held.flush()
            with contextlib.suppress(FileNotFoundError):  # of a save that was cut off
                path.with_name(path.name + PART).unlink()
        except BaseException:
            held.close()
            raise
        return held

    def _holder(self, path: Path) -> Holder | None:
        at = path.with_name(path.name + LOCK)
        if not at.exists():
            return None
        try:
            host_os.lock_file(at).close()
        except BlockingIOError:
            return _read_holder(at)
        return None

    def _expiry(self, header: Header) -> float | None:
        return header.saved_s + self._days * 86400 if self._days else None

    def _drop_expired(self, path: Path) -> None:
        """Removes a profile that has expired; its lock is held."""
        with contextlib.suppress(OSError, PerceptionError):
            expiry = self._expiry(read_header(path))
            if expiry is not None and expiry < time.time():
                _remove(path)

    def _remove_if_expired(self, path: Path) -> None:
        with contextlib.suppress(ProfileInUseError):
            expiry = self._expiry(read_header(path))
            if expiry is not None and expiry < time.time():
                with contextlib.closing(self._lock(path, path.name.removesuffix(SUFFIX), "")):
                    self._drop_expired(path)


@contextlib.contextmanager
def _no_plain_file(path: Path, name: str) -> Iterator[None]:
    """Raises ProfileDamagedError where a file of a profile cannot be used as it is: a folder, a pipe or a device lies
    there, or others have it."""
    try:
        yield
    except OSError as exc:
        lies_there = any(path.parent.glob(f"{glob.escape(path.name)}*"))  # else the folder itself cannot be used
        if exc.errno in (errno.ENOSPC, errno.EDQUOT) or not lies_there:
            raise
        raise ProfileDamagedError(
            f"the file of profile {name!r} cannot be used ({exc.strerror or exc}): look at what lies in the folder "
            f"of profiles ({how_to_set('data_dir')}), and remove what is not a profile; or use another name",
            profile=name,
        ) from exc


def _try_lock(at: Path) -> IO[bytes] | None:
    """Locks a file; None where it stays locked. Who only asks whether it is locked holds the lock for a moment, too."""
    for _ in range(LOCK_TRIES):
        with contextlib.suppress(BlockingIOError):
            return host_os.lock_file(at)
        time.sleep(LOCK_PAUSE_SECONDS)
    return None


def _remove(path: Path) -> None:
    for each in (path.with_name(path.name + PART), path):
        with contextlib.suppress(FileNotFoundError):
            each.unlink()


def _read_holder(at: Path) -> Holder:
    try:
        return msgspec.json.decode(read_stored(at), type=Holder)
    except (OSError, msgspec.MsgspecError):  # it is being written
        return Holder()


def _in_use(name: str, holder: Holder) -> ProfileInUseError:
    since = time.strftime("%H:%M:%S UTC", time.gmtime(holder.since_s))
    who = f"session {holder.session_id} (process {holder.pid}, since {since})" if holder.session_id else "another call"
    return ProfileInUseError(
        f"profile {name!r} is in use by {who}: close that session first, or open this one with profile_read_only",
        profile=name,
        session=holder.session_id,
    )
