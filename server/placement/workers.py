"""The workers of an edge, and the placement over them: who opens a session, and who has one.

Rule 1: an edge keeps nothing of sessions. What it knows of workers they say again to each edge that asks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Sequence
from itertools import islice

import structlog

from perception.deadline import Deadline
from perception.errors import PerceptionError, SessionLimitError, ShuttingDownError, WorkerUnreachableError
from perception.server.auth.session_ids import ClusterKey, looks_signed, read_session_id
from perception.server.environment import variable_of
from perception.server.placement.local import forged, lost, unknown_session
from perception.server.placement.worker_index import WorkerIndex
from perception.server.placement.worker_link import WorkerLink, unreachable
from perception.server.placement.worker_status import Wanted, WorkerStatus, heartbeat_of

log = structlog.get_logger(__name__)

FIRST_WORDS_SECONDS = 5.0
"""How long calls wait for workers that an edge has not reached yet, as it has only started. Chosen by hand."""

DOUBTED = 2
"""How many workers that say to be full are asked all the same: what they said may be a moment old."""

OWNERS = 2
"""How many workers give turns to the edges that have the same request: two edges of which each does not reach another
worker still have one in common. Each costs a round trip. `perception bench run placement_simulation` counts sessions
that were opened twice."""

DOUBTED_FOR_A_REQUEST = 32
"""As DOUBTED, for a session that has a request's id: another edge that has it, too, asks the same workers, though it
knows other ones to be full. `perception bench run placement_simulation` counts sessions that were opened twice."""

LinkTo = Callable[[str, Callable[[WorkerLink], None], Callable[[], float]], WorkerLink]


class Workers:
    """All workers of an edge.

    Args:
        keys: that session ids are signed with.
        link_to: makes the connection to the worker at an address, with what hears its news and says its heartbeat.
        on_change: called when a worker has said something new, or is no longer reached.
    """

    def __init__(
        self,
        keys: Callable[[], tuple[ClusterKey, ...]],
        link_to: LinkTo,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._keys = keys
        self._link_to = link_to
        self._links: dict[str, WorkerLink] = {}
        self._numbers: dict[int, WorkerLink] = {}
        self._unheard: dict[WorkerLink, None] = {}
        self._index = WorkerIndex()
        self._closing: set[asyncio.Task[None]] = set()
        self._folders: set[str] = set()
        self._news = asyncio.Event()
        self._draining = False
        self._on_change = on_change

    def expect(self, addresses: Sequence[str]) -> None:
        """Says where all workers are. One that is no longer among them stays for as long as it is reached: whoever
        tells of workers may not see all of them."""
        for each in addresses:
            if each not in self._links:
                link = self._links[each] = self._link_to(each, self._take_news, self._heartbeat_s)
                self._unheard[link] = None
                self._index.add(link)
                link.start()
        for each in set(self._links).difference(addresses):
            if self._links[each].is_gone:
                self._forget(self._links.pop(each))

    async def close(self) -> None:
        await asyncio.gather(*(each.close() for each in self._links.values()), *self._closing)

    @property
    def links(self) -> Collection[WorkerLink]:
        return self._links.values()

    @property
    def up(self) -> Collection[WorkerLink]:
        """Those that are reached now; changes while it is read over an `await`."""
        return self._index.up.keys()

    @property
    def free(self) -> int:
        """Slots that nobody has taken, by what the workers have said."""
        return self._index.slots - self._index.taken

    def _heartbeat_s(self) -> float:
        return heartbeat_of(len(self._links))

    def _take_news(self, link: WorkerLink) -> None:
        """A worker has said something new, or is no longer reached."""
        if self._links.get(link.address) is not link:  # it is forgotten, and still ends
            return
        if link.status is not None:
            self._unheard.pop(link, None)
            self._number(link)
            self._compare_folder(link.status)
        self._index.take(link)
        self._news.set()
        self._news = asyncio.Event()
        self._on_change()

    def _compare_folder(self, status: WorkerStatus) -> None:
        """Says of each further data folder that workers do not share one."""
        if status.folder in ("", *self._folders):
            return
        self._folders.add(status.folder)
        if len(self._folders) > 1:
            log.warning(
                "workers keep profiles, videos and subroutines in different folders, each lists its own: name "
                f"one shared folder for all of them by {variable_of('data_dir')}",
                worker=status.name,
            )

    async def ready(self, deadline: Deadline, is_enough: Callable[[], bool]) -> None:
        """Returns when enough workers were reached, each was tried, or the wait has been long enough."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(FIRST_WORDS_SECONDS, deadline.remaining())):
                while not is_enough() and self._is_starting():
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
        found = self._by_affinity(key, tried) if key else self._least_loaded(tried)
        if found is None:
            raise self._refusal()
        found.pending += 1
        self._index.rank(found)
        return found

    def release(self, place: WorkerLink) -> None:
        """The claim has not become a session."""
        place.pending = max(0, place.pending - 1)
        self._index.rank(place)

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
            if self._is_starting():
                raise unreachable("of this session")
            raise lost(session_id)
        is_known = link.status is not None and link.status.epoch == said.epoch
        if link.up and is_known:
            return link
        # One that ended may be back, with sessions that another edge has opened, before this edge has reached it.
        if link.up or link.is_long_down or (is_known and link.is_gone):
            raise lost(session_id)
        raise unreachable(link.name)

    async def located(self, session_id: str, deadline: Deadline) -> WorkerLink:
        """As `locate`; an edge that has only started waits for its workers first."""
        try:
            return self.locate(session_id)
        except WorkerUnreachableError:
            await self.ready(deadline, lambda: self._is_known(session_id))
            return self.locate(session_id)

    def owners_of(self, wanted: Wanted) -> list[WorkerLink]:
        """The workers that give turns to those who would open a request's session, in the order in which they are asked
        at each edge; none for a request without an id."""
        return list(islice(self._index.by_affinity(wanted.key), OWNERS)) if wanted.request_id else []

    async def opened_by(
        self, wanted: Wanted, deadline: Deadline, asked_before: Collection[int] = ()
    ) -> WorkerLink | None:
        """The worker that has the session of a request, or is opening it; None where no worker that is reached has it.
        Asked are those that say so, and those that the request leads to first.

        Args:
            asked_before: numbers of workers that others have asked for it.

        Raises:
            WorkerUnreachableError: one of them does not answer.
        """
        asked = self.may_have(wanted, asked_before)
        found = await asyncio.gather(*(each.has_request(wanted, deadline) for each in asked))
        return next((link for link, has in zip(asked, found, strict=True) if has), None)

    def may_have(self, wanted: Wanted, asked_before: Collection[int] = ()) -> list[WorkerLink]:
        """Those that are asked for a request's session. See `opened_by`."""
        before = (self._numbers.get(each) for each in asked_before)
        return list(dict.fromkeys((*self._index.may_have(wanted), *(each for each in before if each and each.up))))

    def any(self, tried: Collection[WorkerLink] = ()) -> WorkerLink:
        """A worker for a call without a session: the least loaded one. Raises WorkerUnreachableError for none."""
        first = self._index.first(tried)
        if first is None:
            raise self._refusal()
        return first[0]

    def _least_loaded(self, tried: Collection[WorkerLink]) -> WorkerLink | None:
        """The next one to ask for a session; None for none. A few that are full by what they said are asked, too."""
        first = self._index.first(tried)
        if first is None or first[1].is_draining or (first[1].is_full and len(tried) >= DOUBTED):
            return None
        return first[0]

    def _by_affinity(self, key: str, tried: Collection[WorkerLink]) -> WorkerLink | None:
        """The next one of a key's own order; None for none. The first ones are asked though they are full: they know
        whether the request is being answered there."""
        first = self._least_loaded(tried)
        if first is None:
            return None
        is_doubted = len(tried) < DOUBTED_FOR_A_REQUEST
        for each in self._index.by_affinity(key):
            rank = self._index.rank_of(each)
            if rank is not None and not rank.is_draining and each not in tried and (is_doubted or not rank.is_full):
                return each
        return first

    def _refusal(self) -> PerceptionError:
        """Why no worker takes a session."""
        index = self._index
        if not index.up:
            return WorkerUnreachableError(
                f"none of the {len(self._links)} workers is reached at the moment: nothing was done; try again"
            )
        if not index.taking:
            return ShuttingDownError(f"all {len(index.up)} workers are shutting down: wait for new ones")
        return SessionLimitError(
            f"all {index.slots} sessions of {index.taking} workers are in use: close one, or start more workers",
            limit=str(index.slots),
            setting=variable_of("max_sessions"),
        )

    def _is_starting(self) -> bool:
        """Whether a worker has said nothing yet, and may."""
        return any(not each.is_gone for each in self._unheard)

    def _is_known(self, session_id: str) -> bool:
        said = read_session_id(session_id, self._keys())
        link = self._numbers.get(said.worker) if said is not None else None
        return said is None or (link is not None and link.up)

    def _number(self, link: WorkerLink) -> None:
        """Finds a worker by its number. Two of one name would have the same ids: the later one is not used."""
        assert link.status is not None  # it has spoken
        known = self._numbers.get(link.status.number)
        if known is not None and known is not link and known.up and link.up:
            log.error("two workers have the same name: give each its own", worker=link.name, address=link.address)
            link.up = False
        elif known is None or link.up:
            self._numbers[link.status.number] = link

    def _forget(self, link: WorkerLink) -> None:
        if link.status is not None and self._numbers.get(link.status.number) is link:
            del self._numbers[link.status.number]
        self._unheard.pop(link, None)
        self._index.forget(link)
        closing = asyncio.create_task(link.close(), name="close-worker")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
