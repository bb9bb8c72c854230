"""The actor of one worker: its process on a node of the cluster does nothing but to keep a `perception worker` running
beside it.

Rule 1: calls to sessions never go through it. What it is asked is where its worker is, and to drain it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from perception.server.placement.ray.keeper import Keeper
from perception.server.placement.ray.versions import own_version
from perception.server.placement.ray.worker_child import child_environment, make_folder, remove_folder
from perception.server.telemetry import logs

log = structlog.get_logger(__name__)


class RayWorker:
    """One worker on Ray. All answers are plain values: its callers may be of a neighboring version.

    Args:
        name: of the actor.
        environment: of the worker, beside the node's own.
        files: content of the cluster's folder, by name; `authority.key` is not in it.
        has_certificates: whether these are certificates, and not only keys.
        version: of this package where the actor was made.
    """

    def __init__(
        self,
        name: str,
        environment: Mapping[str, str],
        files: Mapping[str, bytes],
        has_certificates: bool,
        version: str,
    ) -> None:
        import ray

        logs.set_up(environment.get("PERCEPTION_LOG_LEVEL", "info"))
        host = ray.util.get_node_ip_address()
        if version != own_version():
            raise RuntimeError(
                f"node {host} has version {own_version()} of perception-service, and the worker was asked for with "
                f"{version}: install the same one on all nodes"
            )
        self._folder = make_folder(files)
        shared = {"PERCEPTION_CLUSTER": str(self._folder)} if has_certificates else {}
        shared["PERCEPTION_SESSION_KEYS"] = str(self._folder / "session.keys")
        whole = child_environment(environment) | shared
        self._keeper = Keeper(name, host, whole, self._folder, has_certificates=has_certificates)
        self._running = asyncio.get_running_loop().create_task(self._run(), name="keep-worker")

    async def settled(self) -> dict[str, Any]:
        """Returns when the worker serves, or has failed to start."""
        return _plain(await self._keeper.settled())

    async def describe(self) -> dict[str, Any]:
        """What is known of it."""
        return _plain(self._keeper.facts)

    async def news(self, seen: int, seconds: float) -> dict[str, Any]:
        """Returns when the address is another one than at change number `seen`, or after that time."""
        return _plain(await self._keeper.news(seen, seconds))

    async def drain(self, grace_s: float | None) -> dict[str, Any]:
        """The worker takes no more sessions, ends with its last one, and the actor with it."""
        return _plain(await self._keeper.drain(grace_s))

    async def leave(self) -> None:
        """Ends the actor for good. Only it asks itself for that."""
        import ray

        ray.actor.exit_actor()

    async def _run(self) -> None:
        import ray

        me = ray.get_runtime_context().current_actor
        try:
            await self._keeper.run()
        except Exception:  # a defect: Ray makes the actor again
            log.exception("the worker is not kept any more")
            os._exit(1)
        remove_folder(self._folder)
        me.leave.remote()


def _plain(facts: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(facts)
    return plain
