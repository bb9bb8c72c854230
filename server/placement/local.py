"""The placement `local`: sessions of this process, alone on its machine or as a worker behind edges."""

from __future__ import annotations

import heapq
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass

from perception.errors import (
    SessionIdForgedError,
    SessionLimitError,
    SessionLostError,
    ShuttingDownError,
    UnknownSessionError,
)
from perception.server.auth.private_file import Reread, reread_private
from perception.server.auth.session_ids import (
    KEYS_NAME,
    MAX_SERIAL,
    ClusterKey,
    SessionId,
    looks_signed,
    parse_keys,
    read_session_id,
    worker_number,
    write_session_id,
)
from perception.server.environment import how_to_set, variable_of
from perception.server.settings import Settings


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of this process, and the id of the session that takes it."""

    number: int
    session_id: str


class LocalPlacement:
    """Slots for the sessions of this process.

    Args:
        limit: how many slots there are.
        keys: signs ids; None for ids of random characters.

    Attributes:
        worker: name of this worker, which its ids carry as a number.
        epoch: of this process: ids of another one are of sessions that are lost.
        draining: no sessions are taken any more.
        closes_by_s: when this process ends at the latest, in seconds since 1970; None while it is not to end.
    """

    def __init__(self, limit: int, keys: Reread[tuple[ClusterKey, ...]] | None = None, worker: str = "") -> None:
        self._limit = limit
        self._keys = keys
        self._freed: list[int] = []
        self._next = 0
        self._serial = 0
        self._taken: dict[str, Slot] = {}
        self._is_named = bool(worker)
        self.worker = worker or socket.gethostname()
        self.epoch = secrets.randbits(32)
        self.draining = False
        self.closes_by_s: float | None = None
        self._listeners: list[Callable[[], None]] = []

    @classmethod
    def of(cls, settings: Settings) -> LocalPlacement:
        """Raises BadInputError for a key file that cannot be used."""
        path = settings.session_keys
        keys = reread_private(path, KEYS_NAME, parse_keys) if path is not None else None
        return cls(settings.max_sessions, keys, settings.worker_name)

    def take_address(self, address: str, port: int) -> None:
        """Names this worker by its host and where it listens, unless its operator named it. For before the first claim.

        Args:
            address: `HOST:PORT` or `unix:PATH`.
            port: the one that it got; its address may leave that open.
        """
        if not self._is_named:
            where = address if address.startswith("unix:") else str(port)
            self.worker = f"{socket.gethostname()}:{where}"

    @property
    def slots(self) -> int:
        """How many there are."""
        return self._limit

    @property
    def taken(self) -> int:
        """How many have a session, or one that opens."""
        return len(self._taken)

    def claim(self) -> Slot:
        """The lowest free slot, and an id for its session. Raises as `Placement.claim`."""
        if self.draining:
            raise ShuttingDownError("the service is shutting down: use another one, or wait for its restart")
        if len(self._taken) >= self._limit:
            raise SessionLimitError(
                f"all {self._limit} sessions are in use: close one, or start the service with more "
                f"({how_to_set('max_sessions')})",
                limit=str(self._limit),
                setting=variable_of("max_sessions"),
            )
        slot = self._take()
        self._taken[slot.session_id] = slot
        self._tell()
        return slot

    def locate(self, session_id: str) -> Slot:
        """The slot of a session that is open here. Raises as `Placement.locate`."""
        slot = self._taken.get(session_id)
        if slot is not None:
            return slot
        if self._keys is not None and looks_signed(session_id):
            self._check_own(session_id, self._keys.content)
        raise unknown_session(session_id)

    def release(self, place: Slot) -> None:
        """Gives a slot back. Safe to call twice."""
        if self._taken.pop(place.session_id, None) is not None:
            heapq.heappush(self._freed, place.number)
            self._tell()

    def when_changed(self, listener: Callable[[], None]) -> None:
        """Has a listener called when a slot is taken or given back."""
        self._listeners.append(listener)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def drain(self) -> None:
        self.draining = True

    def _take(self) -> Slot:
        if self._freed:
            number = heapq.heappop(self._freed)
        else:
            number, self._next = self._next, self._next + 1
        self._serial = (self._serial + 1) % MAX_SERIAL
        if self._keys is None:
            return Slot(number, secrets.token_urlsafe(12))
        session = SessionId(worker_number(self.worker), self.epoch, number, self._serial)
        return Slot(number, write_session_id(session, self._keys.content[0]))

    def _check_own(self, session_id: str, keys: tuple[ClusterKey, ...]) -> None:
        """Raises SessionIdForgedError for an id that nobody here has signed, and SessionLostError for one of another
        worker or epoch."""
        said = read_session_id(session_id, keys)
        if said is None:
            raise forged(session_id)
        if said.worker != worker_number(self.worker) or said.epoch != self.epoch:
            raise lost(session_id)


def unknown_session(session_id: str) -> UnknownSessionError:
    """The error of an id that no open session of the caller has."""
    return UnknownSessionError(
        f"no session {session_id[:40]!r}: it was closed or never created; create one with CreateSession",
        session=session_id[:40],
    )


def forged(session_id: str) -> SessionIdForgedError:
    """The error of an id that none of the keys has signed."""
    return SessionIdForgedError(
        f"{session_id[:40]!r} is not an id that this service gave out: repeat a session's id character by character, "
        "or create a session with CreateSession",
        session=session_id[:40],
    )


def lost(session_id: str) -> SessionLostError:
    """The error of an id whose worker is gone or was restarted."""
    return SessionLostError(
        "the worker of this session is gone, or was restarted: create a new session", session=session_id
    )
