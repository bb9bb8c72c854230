"""One simulated cluster: sessions arrive in bursts, callers leave and repeat, workers fail and drain, news is late."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

from perception.errors import PerceptionError, SessionLimitError
from perception.server.placement.simulation.model import (
    GRACE_SECONDS,
    Measured,
    ModeledEdge,
    ModeledWorker,
    VirtualClock,
    drawn,
)
from perception.server.placement.worker_link import WorkerLink
from perception.server.placement.worker_status import SILENT_SECONDS, Wanted, WorkerStatus, heartbeat_of

LOAD = 0.5
"""Share of all slots that would be taken without bursts; with them, all are taken at times."""

BURST_EVERY_SECONDS, BURST_SECONDS, BURST_FACTOR = 60.0, 2.0, 20.0

MEAN_LENGTH_SECONDS, LENGTH_SIGMA = 60.0, 1.0
"""Sessions are log-normal. Nobody's sessions are recorded, so that this is chosen by hand; a shorter one means more
claims for the same slots."""

LONGEST_SECONDS = 1800.0
"""Of a session: the end of the run waits for the last one."""

MEAN_LIFE_SECONDS = 2 * 3600.0
"""Of a worker between two failures, and as long between two drains: far more often than in practice."""

RESTART_SECONDS = (5.0, 20.0)

RECONNECT_SECONDS = (0.1, 1.0)

WITH_REQUEST_ID, REPEATED, LEFT, LOCATED = 0.3, 0.2, 0.01, 0.2
"""Shares: of sessions with a request id, of these that are asked for again by another edge; of callers that leave while
their claim is under way; of sessions that are looked up at another edge."""

LATE = 0.001
"""Share of news that comes late, by up to what counts as silence."""

SAMPLE_SECONDS = 5.0


@dataclass(slots=True, eq=False)
class Asked:
    """A caller's request for a session, at one edge.

    Attributes:
        owners: the workers that give it a turn, of which it has had `held`.
        asked_before: numbers of the workers that others have asked for its session.
    """

    edge: ModeledEdge
    wanted: Wanted
    since: float
    tried: list[WorkerLink] = field(default_factory=list)
    owners: list[ModeledWorker] = field(default_factory=list)
    held: int = 0
    asked_before: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Outcome:
    """What happened.

    Attributes:
        counts: by what happened.
        waited_s: virtual seconds from a request until a worker had a slot for it.
        imbalance: the 99th percentile of workers' shares of taken slots less the mean, every SAMPLE_SECONDS.
    """

    counts: Counter[str] = field(default_factory=Counter)
    waited_s: list[float] = field(default_factory=list)
    imbalance: list[float] = field(default_factory=list)


class Simulation:
    """One cluster of that many workers; `run` drives that many sessions through it."""

    def __init__(self, measured: Measured, workers: int, edges: int, slots: int, sessions: int, seed: int = 1) -> None:
        self.clock = VirtualClock()
        self.outcome = Outcome()
        self._measured = measured
        self._dice = random.Random(seed)
        self._left = sessions
        self._open_now = 0
        self._live: dict[str, tuple[ModeledWorker, str]] = {}
        self._is_ending = False
        self._asked = 0
        self.arrived_s = 0.0
        self.workers = [ModeledWorker(f"w{number}", slots, number, -float(number)) for number in range(workers)]
        self.edges = [ModeledEdge(self.clock, self.workers) for _ in range(edges)]
        self._heartbeat_s = heartbeat_of(workers)
        self._rate = LOAD * workers * slots / MEAN_LENGTH_SECONDS
        self._free = workers * slots

    def run(self) -> Outcome:
        for worker in self.workers:
            for edge in self.edges:
                edge.hear(edge.links[worker], worker.status(0.0))
            self.clock.after(self._dice.random() * self._heartbeat_s, self._beat, worker)
        self._arrive()
        self._sample()
        for happens in (self._fail, self._drain):
            self._next_event(happens)
        self.clock.run(lambda: self._left == 0)
        self.arrived_s = self.clock.now
        self._is_ending = True
        settled = self.clock.now + LONGEST_SECONDS + GRACE_SECONDS
        self.clock.run(lambda: self.clock.now > settled or (not self._asked and not self._open_now))
        quiet = self.clock.now + 30 * self._heartbeat_s + RESTART_SECONDS[1]
        self.clock.run(lambda: self.clock.now > quiet)
        self._count_lost()
        return self.outcome

    # Sessions

    def _arrive(self) -> None:
        if self._is_ending or not self._left:
            return
        self._left -= 1
        edge = self._dice.choice(self.edges)
        has_id = self._dice.random() < WITH_REQUEST_ID
        wanted = Wanted("p", f"r{self._left}" if has_id else "")
        self._ask(Asked(edge, wanted, self.clock.now))
        if has_id and self._dice.random() < REPEATED:
            again_s = self._dice.choice((0.0, 0.002, 0.05, 5.0))
            self.clock.after(again_s, self._repeat, wanted)
        in_burst = self.clock.now % BURST_EVERY_SECONDS < BURST_SECONDS
        rate = self._rate * (BURST_FACTOR if in_burst else 1.0)
        self.clock.after(self._dice.expovariate(rate), self._arrive)

    def _repeat(self, wanted: Wanted) -> None:
        self.outcome.counts["repeated requests"] += 1
        self._ask(Asked(self._dice.choice(self.edges), wanted, self.clock.now))

    def _ask(self, asked: Asked) -> None:
        self._asked += 1
        if not asked.wanted.request_id:
            self._claim(asked)
            return
        asked.owners = [asked.edge.owners[each] for each in asked.edge.workers.owners_of(asked.wanted)]
        self._hold_next(asked)

    # Turns: see `request_turns`

    def _hold_next(self, asked: Asked) -> None:
        if asked.held < len(asked.owners):
            self.clock.after(self._hop(), self._join, asked, asked.owners[asked.held])
            return
        links = asked.edge.workers.may_have(asked.wanted, asked.asked_before)
        self.outcome.counts["workers asked for a request"] += len(links)
        self.clock.after(2 * self._hop(), self._look_up, asked, links)

    def _join(self, asked: Asked, owner: ModeledWorker) -> None:
        line = owner.turns.setdefault(asked.wanted.key, [])
        line.append(asked)
        if line[0] is asked or not owner.is_up:
            self._take_turn(asked, owner)

    def _take_turn(self, asked: Asked, owner: ModeledWorker) -> None:
        before = owner.asked.get(asked.wanted.key)
        if before is not None:
            asked.asked_before.add(before)
        asked.held += 1
        self.clock.after(self._hop(), self._hold_next, asked)

    def _end_turns(self, asked: Asked) -> None:
        for owner in asked.owners[: asked.held]:
            self.clock.after(self._hop(), self._leave_line, asked, owner)

    def _leave_line(self, asked: Asked, owner: ModeledWorker) -> None:
        line = owner.turns.get(asked.wanted.key, [])
        if asked in line:
            was_first = line[0] is asked
            line.remove(asked)
            if not line:
                del owner.turns[asked.wanted.key]
            elif was_first:
                self._take_turn(line[0], owner)

    def _end_all_turns(self, owner: ModeledWorker) -> None:
        """An owner is gone: those that wait there go on."""
        waiting = [each for line in owner.turns.values() for each in line[1:]]
        owner.turns = {}
        for each in waiting:
            self._take_turn(each, owner)

    # Claims

    def _look_up(self, asked: Asked, links: list[WorkerLink]) -> None:
        owners = (asked.edge.owners[each] for each in links)
        known = next((each for each in owners if each.is_up and asked.wanted.key in each.requests), None)
        if known is None:
            self._claim(asked)
        else:
            self._settle(asked, "repeats that found their session")

    def _claim(self, asked: Asked) -> None:
        try:
            link = asked.edge.claim(asked.tried, asked.wanted.key)
        except PerceptionError as exc:
            full = isinstance(exc, SessionLimitError)
            self._settle(asked, "refused, all slots taken" if full else "refused, no worker")
            if full and self._free > 0:
                self.outcome.counts["refused though a slot was free"] += 1
            return
        self.outcome.counts["claims"] += 1
        if self._dice.random() < LEFT:
            asked.edge.workers.release(link)
            self._settle(asked, "callers that left")
            return
        for owner in asked.owners:
            owner.asked[asked.wanted.key] = asked.edge.owners[link].number
        self.clock.after(self._hop(), self._reach, asked, link)

    def _reach(self, asked: Asked, link: WorkerLink) -> None:
        """A claim comes to its worker."""
        worker, key = asked.edge.owners[link], asked.wanted.key
        if worker.is_up and key in worker.requests:
            self._settle(asked, "repeats that found their session")
        elif worker.free > 0:
            self._open(asked, worker)
        else:
            self.outcome.counts["claims that a worker refused"] += 1
            asked.tried.append(link)
            self.clock.after(self._hop(), self._claim, asked)

    def _open(self, asked: Asked, worker: ModeledWorker) -> None:
        key = asked.wanted.key
        session_id = worker.open(asked.wanted)
        self._free -= 1
        self._open_now += 1
        self._say(worker)
        if key:
            before, other_id = self._live.get(key, (worker, ""))
            if other_id in before.sessions:
                self.outcome.counts["double sessions"] += 1
            self._live[key] = worker, session_id
        self.outcome.waited_s.append(self.clock.now - asked.since)
        opening_s = drawn(self._dice, self._measured.opening_s)
        self._settle(asked, "sessions", opening_s)
        if self._dice.random() < LOCATED:
            self.clock.after(opening_s, self._locate, session_id, worker, worker.epoch)
        mu = -(LENGTH_SIGMA**2) / 2
        length_s = min(LONGEST_SECONDS, MEAN_LENGTH_SECONDS * self._dice.lognormvariate(mu, LENGTH_SIGMA))
        self.clock.after(opening_s + length_s, self._end, worker, session_id)

    def _locate(self, session_id: str, worker: ModeledWorker, epoch: int) -> None:
        edge = self._dice.choice(self.edges)
        try:
            found = edge.owners[edge.workers.locate(session_id)]
        except PerceptionError as exc:
            is_right = not worker.is_up or worker.epoch != epoch or exc.reason == "WORKER_UNREACHABLE"
        else:
            is_right = found is worker
        self.outcome.counts["located" if is_right else "located at the wrong worker"] += 1

    def _end(self, worker: ModeledWorker, session_id: str) -> None:
        if session_id in worker.sessions:
            worker.end(session_id)
            self._open_now -= 1
            self._free += not worker.is_draining
            self._say(worker)
            if worker.is_draining and not worker.sessions:
                self._leave(worker, ended=True)

    def _settle(self, asked: Asked, what: str, answer_s: float = 0.0) -> None:
        """It is decided; the edge has the answer so much later, and ends the turns."""
        self._asked -= 1
        self.outcome.counts[what] += 1
        self.clock.after(answer_s, self._end_turns, asked)

    # Workers

    def _hop(self) -> float:
        return drawn(self._dice, self._measured.hop_s)

    def _say(self, worker: ModeledWorker) -> None:
        status = worker.status(self.clock.now)
        for number, edge in enumerate(self.edges):
            delay_s = self._hop()
            if self._dice.random() < LATE:
                delay_s = self._dice.random() * SILENT_SECONDS
            at = max(worker.heard_at.get(number, 0.0), self.clock.now + delay_s)
            worker.heard_at[number] = at
            self.clock.after(at - self.clock.now, self._deliver, worker, edge, status)

    def _deliver(self, worker: ModeledWorker, edge: ModeledEdge, status: WorkerStatus) -> None:
        if worker.is_up and worker.epoch == status.epoch:
            edge.hear(edge.links[worker], status)

    def _beat(self, worker: ModeledWorker) -> None:
        if worker.is_up:
            for edge in self.edges:
                link = edge.links[worker]
                if link.up:
                    edge.hear(link, None)
        # Once no session is asked for, heartbeats change nothing but the claims that were refused last.
        self.clock.after(self._heartbeat_s * (10 if self._is_ending else 1), self._beat, worker)

    def _next_event(self, happens: Callable[[], None]) -> None:
        rate = len(self.workers) / MEAN_LIFE_SECONDS
        self.clock.after(self._dice.expovariate(rate), happens)

    def _fail(self) -> None:
        if not self._is_ending:
            worker = self._dice.choice(self.workers)
            if worker.is_up:
                self.outcome.counts["failures"] += 1
                self.outcome.counts["sessions lost with their worker"] += len(worker.sessions)
                self._leave(worker, ended=False)
            self._next_event(self._fail)

    def _drain(self) -> None:
        if not self._is_ending:
            worker = self._dice.choice(self.workers)
            if worker.is_up and not worker.is_draining:
                self.outcome.counts["drains"] += 1
                self._free -= worker.free
                worker.is_draining = True
                self._say(worker)
                if not worker.sessions:
                    self._leave(worker, ended=True)
                else:
                    self.clock.after(GRACE_SECONDS, self._end_grace, worker, worker.epoch)
            self._next_event(self._drain)

    def _end_grace(self, worker: ModeledWorker, epoch: int) -> None:
        if worker.is_up and worker.epoch == epoch:
            self.outcome.counts["sessions longer than the grace"] += len(worker.sessions)
            self._leave(worker, ended=True)

    def _leave(self, worker: ModeledWorker, *, ended: bool) -> None:
        """A worker ends; another process of that name starts after a while."""
        self._free -= worker.free
        status = worker.status(self.clock.now, ended=True)
        worker.is_up = False
        self._end_all_turns(worker)
        self._open_now -= worker.lose_all()
        for edge in self.edges:
            self.clock.after(self._hop(), self._notice_end, edge, worker, worker.epoch, status if ended else None)
        self.clock.after(self._dice.uniform(*RESTART_SECONDS), self._restart, worker)

    def _notice_end(self, edge: ModeledEdge, worker: ModeledWorker, epoch: int, last_word: WorkerStatus | None) -> None:
        link = edge.links[worker]
        if worker.epoch == epoch:
            if last_word is not None:
                link.hear(last_word)
            link.note_down(refused=True)

    def _restart(self, worker: ModeledWorker) -> None:
        worker.is_up, worker.is_draining = True, False
        worker.epoch += len(self.workers)
        worker.browser_since_s = self.clock.now
        self._free += worker.free
        for number, edge in enumerate(self.edges):
            delay_s = self._dice.uniform(*RECONNECT_SECONDS)
            worker.heard_at[number] = self.clock.now + delay_s
            self.clock.after(delay_s, self._reconnect, worker, edge, worker.epoch)

    def _reconnect(self, worker: ModeledWorker, edge: ModeledEdge, epoch: int) -> None:
        if worker.is_up and worker.epoch == epoch:
            edge.hear(edge.links[worker], worker.status(self.clock.now))

    # What is counted

    def _sample(self) -> None:
        shares = sorted(len(each.sessions) / each.slots for each in self.workers if each.is_up and not each.is_draining)
        if shares and not self._is_ending:
            self.outcome.imbalance.append(shares[int(0.99 * (len(shares) - 1))] - fmean(shares))
        if not self._is_ending:
            self.clock.after(SAMPLE_SECONDS, self._sample)

    def _count_lost(self) -> None:
        """Slots that are taken, or held by an edge, when no session is left."""
        lost = sum(len(each.sessions) for each in self.workers)
        for edge in self.edges:
            for worker, link in edge.links.items():
                said = link.status.taken if link.status is not None and link.up else 0
                lost += said + link.pending
                lost += not link.up and worker.is_up
        self.outcome.counts["slots lost"] = lost
        self.outcome.counts["unanswered requests"] = self._asked
