"""Keeps one worker running on this machine: starts it, watches it, starts it again, and drains it.

Rule 1: only a drain that was asked for ends it for good.
Rule 2: Ray is not loaded here: an actor owns a keeper, and a test can.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

import structlog

from perception.deadline import Deadline
from perception.errors import WorkerUnreachableError
from perception.server.placement.authority import edge_credentials, session_keys
from perception.server.placement.ray.facts import WorkerFacts
from perception.server.placement.ray.versions import own_version
from perception.server.placement.ray.worker_child import WorkerChild, WorkerFailedError
from perception.server.placement.worker_link import GONE_SECONDS, WorkerLink, tls_options
from perception.server.placement.worker_status import DRAIN, DrainAsked, WorkerStatus

log = structlog.get_logger(__name__)

PAUSES_SECONDS = (0.0, 1.0, 5.0, 15.0, 30.0)
"""Before a worker that ended is started again: longer each time that it ends within STEADY_SECONDS. Chosen by hand."""

STEADY_SECONDS = 60.0

CHECK_SECONDS = 1.0
"""How often is looked whether the worker hangs."""

HUNG_CHECKS = int(GONE_SECONDS / CHECK_SECONDS)
"""A worker that does not answer for as many is killed: edges count its sessions as lost then. Counted, so that a
machine that was suspended kills none."""

DRAIN_SECONDS = 5.0
"""For the worker to answer that it drains."""


class Keeper:
    """Keeps one worker running.

    Args:
        name: of the actor; each start of the worker has it with another ending, as the ids of sessions name a worker
            and one that has lost its actor may still have sessions.
        host: address of this machine that edges reach.
        environment: the worker's, all of it.
        folder: private, with the cluster's files.
        has_certificates: whether these are certificates, and not only keys.
    """

    def __init__(
        self, name: str, host: str, environment: Mapping[str, str], folder: Path, *, has_certificates: bool
    ) -> None:
        self._name = name
        self._host = host
        self._environment = environment
        self._folder = folder
        keys = session_keys(folder)
        credentials = edge_credentials(folder) if has_certificates else None
        options = tls_options() if has_certificates else ()
        self._link_to: Callable[[str], WorkerLink] = lambda address: WorkerLink(
            address, lambda: keys, lambda _: None, credentials, options
        )
        self._child: WorkerChild | None = None
        self._link: WorkerLink | None = None
        self._change = 0
        self._error = ""
        self._changed = asyncio.Event()
        self._leaving = False

    @property
    def facts(self) -> WorkerFacts:
        status = self._link.status if self._link is not None else None
        return WorkerFacts(
            name=self._name,
            address=self._child.address if self._child is not None else "",
            node=self._host,
            state=self._state(status),
            slots=status.slots if status is not None else 0,
            taken=status.taken if status is not None else 0,
            error=self._error,
            version=own_version(),
            change=self._change,
        )

    async def run(self) -> None:
        """Until it was drained and has ended."""
        failures = 0
        loop = asyncio.get_running_loop()
        while not self._leaving:
            began = loop.time()
            try:
                await self._run_once()
            except WorkerFailedError as exc:
                self._error = str(exc)
            finally:
                self._note(None)
            if self._leaving:
                return
            failures = 0 if loop.time() - began > STEADY_SECONDS else failures + 1
            pause_s = PAUSES_SECONDS[min(failures, len(PAUSES_SECONDS)) - 1] if failures else 0.0
            log.warning("worker ended", worker=self._name, why=self._error, again_in_s=pause_s)
            await self._sleep(pause_s)

    async def settled(self) -> WorkerFacts:
        """Returns when it serves, or has failed."""
        while not self.facts.address and not self._error:
            await self._next_change()
        return self.facts

    async def news(self, seen: int, seconds: float) -> WorkerFacts:
        """Returns when the address is another one than at change number `seen`, or after that time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._change == seen:
                    await self._next_change()
        return self.facts

    async def drain(self, grace_s: float | None) -> WorkerFacts:
        """It takes no more sessions, ends with the last one, and is not started again.

        Args:
            grace_s: seconds for its sessions to go on; None for its own setting.

        Raises:
            WorkerUnreachableError: it does not answer. It ends all the same, after its own grace.
        """
        self._leaving = True
        self._signal()
        if self._link is not None:
            try:
                await self._link.ask(DRAIN, DrainAsked(grace_s), WorkerStatus, Deadline.of(DRAIN_SECONDS))
            except WorkerUnreachableError:
                self.close()
                raise
        return self.facts

    def close(self) -> None:
        """Lets the worker go: it drains by itself, and is not started again."""
        self._leaving = True
        self._signal()
        if self._child is not None:
            self._child.let_go()

    async def _run_once(self) -> None:
        """One worker, from its start to its end. Raises WorkerFailedError where it does not start."""
        name = f"{self._name}.{secrets.token_hex(2)}"
        child = await WorkerChild.start(name, self._host, self._environment, self._folder)
        if self._leaving:
            child.kill()
            return
        link = self._link_to(child.address)
        link.start()
        self._link, self._error = link, ""
        self._note(child)
        try:
            await self._until_ended(child, link)
        finally:
            child.let_go()
            self._link = None
            await link.close()

    async def _until_ended(self, child: WorkerChild, link: WorkerLink) -> None:
        """Returns when the worker has ended; one that hangs is killed."""
        ending = asyncio.ensure_future(child.ended())
        silent = 0
        try:
            while not ending.done():
                await asyncio.wait((ending,), timeout=CHECK_SECONDS)
                silent = 0 if link.up else silent + 1
                if silent > HUNG_CHECKS and not ending.done():
                    log.error("worker hangs, and is killed", worker=self._name)
                    child.kill()
            self._error = "" if self._leaving else "it ended"
        finally:
            ending.cancel()

    def _note(self, child: WorkerChild | None) -> None:
        if child is not self._child:
            self._child = child
            self._change += 1
        self._signal()

    def _state(self, status: WorkerStatus | None) -> str:
        if self._leaving or (status is not None and status.is_draining):
            return "draining"
        if self._child is not None:
            return "serving"
        return "failed" if self._error else "starting"

    async def _sleep(self, seconds: float) -> None:
        """Until then, or until it is to leave."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._leaving:
                    await self._next_change()

    async def _next_change(self) -> None:
        await self._changed.wait()

    def _signal(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
