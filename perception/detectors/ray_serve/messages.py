"""What a service and its client process tell each other, and what the client tells replicas."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from perception.detectors.worker import Image, WorkerResult

WIRE_VERSION = 1
"""Version of the arguments and the answer of `DetectorReplica.detect`. Raise it when they change: a service and an
application of different versions then say so, and do not misread each other."""

PREFIX = "perception-"
"""Names of our applications in Ray Serve begin with it."""

ACTORS_OWN = ("RAY_JOB_ID", "RAY_RAYLET_PID", "RAY_WORKER_ID", "RAY_NODE_ID", "RAY_CLIENT_MODE")
"""Variables of an actor's process."""

STARTED = 0
"""Id of the client's first message, before any ask."""


def application_name(detector: str) -> str:
    return PREFIX + detector


class Ask(msgspec.Struct, array_like=True):
    """Images for a detector. Without images: nobody waits for the answer to the ask of that id any more."""

    id: int
    detector: str = ""
    images: list[Image] = []
    yields: bool = False


class Answer(msgspec.Struct, array_like=True):
    """Results in the order of the ask's images, or a failure that all of them share. `late` ones have none."""

    id: int
    results: list[WorkerResult] = []
    failure: str = ""


class ReplicaAnswer(msgspec.Struct, array_like=True):
    """What a replica returns: see `Answer`."""

    results: list[WorkerResult] = []
    failure: str = ""


def client_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process that joins Ray. A service that an actor of Ray has started has variables of that
    actor's process, which would make the client a part of it."""
    kept = {name: value for name, value in environment.items() if name not in ACTORS_OWN}
    return {**kept, "RAY_USAGE_STATS_ENABLED": "0"}
