"""The workers of an edge, and the placement over them: who opens a session, and who has one.

Rule 1: an edge keeps nothing of sessions. What it knows of workers they say again to each edge that asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import structlog

from perception.deadline import Deadline
from perception.errors import PerceptionError, SessionLimitError, ShuttingDownError, WorkerUnreachableError
from perception.server.environment import variable_of
from perception.server.placement.local import forged, lost, unknown_session
from perception.server.placement.session_ids import ClusterKey, looks_signed, read_session_id
from perception.server.placement.worker_link import WorkerLink, unreachable
from perception.server.placement.worker_status import Wanted, WorkerStatus

log = structlog.get_logger(__name__)

FIRST_WORDS_SECONDS = 5.0
"""How long calls wait for workers that an edge has not reached yet, as it has only started. Chosen by hand."""

DOUBTED = 2
"""How many workers that say to be full are asked all the same: what they said may be a moment old."""


@dataclass(frozen=True, slots=True)
class _Load:
    """What is known of a worker when a session is to be opened."""

    status: WorkerStatus
    pending: int

    @property
    def free(self) -> int:
        return self.status.slots - self.status.taken - self.pending

    @property
    def rank(self) -> tuple[float, bool, float]:
        """The least loaded first: by the larger one of the shares of slots and of memory that are taken. Of equals,
        those whose browser runs, and of these the younger browser: the older one is nearer to its end."""
        taken = 1 - self.free / self.status.slots if self.status.slots else 1.0
        age_s = self.status.browser_age_s
        return round(max(taken, self.status.memory_share), 2), age_s is None, age_s or 0.0


class Workers:
    """All workers of an edge.

    Args:
        keys: that session ids are signed with.
        link_to: makes the connection to the worker at an address.

    Attributes:
        on_change: called when a worker has said something new, or is no longer reached.
    """

    def __init__(self, keys: Callable[[], tuple[ClusterKey, ...]], link_to: Callable[[str], WorkerLink]) -> None:
        self._keys = keys
        self._link_to = link_to
        self._links: dict[str, WorkerLink] = {}
        self._numbers: dict[int, WorkerLink] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._draining = False
        self.on_change: Callable[[], None] = lambda: None

    def expect(self, addresses: Sequence[str]) -> None:
        """Says where all workers are. One that is no longer among them stays for as long as it is reached: whoever
        tells of workers may not see all of them."""
        for each in addresses:
            if each not in self._links:
                link = self._links[each] = self._link_to(each)
                link.start()
        for each in set(self._links).difference(addresses):
            if self._links[each].is_gone:
                self._forget(self._links.pop(each))

    async def close(self) -> None:
        await asyncio.gather(*(each.close() for each in self._links.values()), *self._closing)

    @property
    def links(self) -> tuple[WorkerLink, ...]:
        return tuple(self._links.values())

    @property
    def up(self) -> tuple[WorkerLink, ...]:
        """Those that are reached now."""
        return tuple(each for each in self._links.values() if each.up)

    def note_change(self) -> None:
        """A worker has said something new, or is no longer reached."""
        self._number()
        self._news.set()
        self._news = asyncio.Event()
        self.on_change()

    async def ready(self, deadline: Deadline, is_enough: Callable[[], bool]) -> None:
        """Returns when enough workers were reached, each was tried, or the wait has been long enough."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(FIRST_WORDS_SECONDS, deadline.remaining())):
                while not is_enough() and any(
                    each.status is None and not each.is_gone for each in self._links.values()
                ):
                    await self._news.wait()

    def claim(self, tried: Collection[WorkerLink] = (), key: str = "") -> WorkerLink:
        """The worker that is to open a session. See `Placement.claim`.

        Args:
            tried: workers that have refused.
            key: the same one leads to the same workers in the same order, as two of one request must not open two
                sessions; empty for the least loaded.

        Raises:
            WorkerUnreachableError: none is reached.
        """
        if self._draining:
            raise ShuttingDownError("this edge is shutting down: use another one, or wait for its restart")
        ranked = self._by_rank(each for each in self.up if each not in tried)
        fit = [each for each in ranked if _load(each).free > 0 and _load(each).status.memory_share < 1]
        if len(tried) < DOUBTED and (key or not fit):
            fit = ranked  # a full one knows whether the request is being answered there
        if key:
            fit.sort(key=lambda each: _affinity(key, each.name))
        if not fit:
            raise self._refusal()
        fit[0].pending += 1
        return fit[0]

    def release(self, place: WorkerLink) -> None:
        """The claim has not become a session."""
        place.pending = max(0, place.pending - 1)

    def drain(self) -> None:
        self._draining = True

    def locate(self, session_id: str) -> WorkerLink:
        """The worker that has a session. See `Placement.locate`.

        Raises:
            WorkerUnreachableError: it is not reached now, and may be there.
        """
        said = read_session_id(session_id, self._keys())
        if said is None:
            raise forged(session_id) if looks_signed(session_id) else unknown_session(session_id)
        link = self._numbers.get(said.worker)
        if link is None:
            if any(each.status is None and not each.is_gone for each in self._links.values()):
                raise unreachable("of this session")
            raise lost(session_id)
        if link.is_gone or (link.status is not None and link.status.epoch != said.epoch):
            raise lost(session_id)
        if not link.up:
            raise unreachable(link.name)
        return link

    async def located(self, session_id: str, deadline: Deadline) -> WorkerLink:
        """As `locate`; an edge that has only started waits for its workers first."""
        try:
            return self.locate(session_id)
        except WorkerUnreachableError:
            await self.ready(deadline, lambda: self._is_known(session_id))
            return self.locate(session_id)

    async def opened_by(self, wanted: Wanted, deadline: Deadline) -> WorkerLink | None:
        """The worker that has the session of a request; None where no worker that is reached has it.

        Raises:
            WorkerUnreachableError: one of them does not answer.
        """
        asked = self.up
        found = await asyncio.gather(*(each.has_request(wanted, deadline) for each in asked))
        return next((link for link, has in zip(asked, found, strict=True) if has), None)

    def any(self, tried: Collection[WorkerLink] = ()) -> WorkerLink:
        """A worker for a call without a session: the least loaded one. Raises WorkerUnreachableError for none."""
        ranked = self._by_rank((each for each in self.up if each not in tried), draining=True)
        if not ranked:
            raise self._refusal()
        return ranked[0]

    def _by_rank(self, links: Iterable[WorkerLink], *, draining: bool = False) -> list[WorkerLink]:
        """The least loaded first; those that are to end last, or not at all."""
        known = [each for each in links if each.status is not None and (draining or not each.status.is_draining)]
        return sorted(known, key=lambda each: (_load(each).status.is_draining, *_load(each).rank))

    def _refusal(self) -> PerceptionError:
        """Why no worker takes a session."""
        up = [each.status for each in self.up if each.status is not None]
        if not up:
            return WorkerUnreachableError(
                f"none of the {len(self._links)} workers is reached at the moment: nothing was done; try again"
            )
        taking = [each for each in up if not each.is_draining]
        if not taking:
            return ShuttingDownError(f"all {len(up)} workers are shutting down: wait for new ones")
        total = sum(each.slots for each in taking)
        return SessionLimitError(
            f"all {total} sessions of {len(taking)} workers are in use: close one, or start more workers",
            limit=str(total),
            setting=variable_of("max_sessions"),
        )

    def _is_known(self, session_id: str) -> bool:
        said = read_session_id(session_id, self._keys())
        link = self._numbers.get(said.worker) if said is not None else None
        return said is None or (link is not None and link.up)

    def _number(self) -> None:
        """Finds workers by their numbers. Two of one name would have the same ids: the later one is not used."""
        for link in self.links:
            if link.status is None:
                continue
            known = self._numbers.get(link.status.number)
            if known is not None and known is not link and known.up and link.up:
                log.error("two workers have the same name: give each its own", worker=link.name, address=link.address)
                link.up = False
            elif known is None or link.up:
                self._numbers[link.status.number] = link

    def _forget(self, link: WorkerLink) -> None:
        if link.status is not None and self._numbers.get(link.status.number) is link:
            del self._numbers[link.status.number]
        closing = asyncio.create_task(link.close(), name="close-worker")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


def _load(link: WorkerLink) -> _Load:
    assert link.status is not None  # it is ranked
    return _Load(link.status, link.pending)


def _affinity(key: str, name: str) -> bytes:
    """Rendezvous hashing: each key has its own order of workers, which others' comings and goings do not change."""
    return hashlib.sha256(f"{key}\0{name}".encode()).digest()
