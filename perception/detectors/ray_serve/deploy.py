"""Puts detectors of the registry on Ray Serve, lists them and takes them away. Imported by commands only."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perception.detectors.detector_hosts import HUGE_PAGES, TUNABLES_VARIABLE
from perception.detectors.ray_serve.messages import PREFIX, application_name
from perception.detectors.registry import Registry
from perception.ray_cluster.address import RayUnavailableError

SETTINGS = tuple(f"PERCEPTION_{each}_" for each in ("FASTERPADDLE", "OCR", "ONNX", "PADDLE", "TESSERACT"))
"""Variables of detectors begin so: replicas get those of the command."""

POLL_SECONDS = 0.2
HEALTH_SECONDS = 1.0
"""How often Serve asks a replica whether it is well."""
SHUTDOWN_SECONDS, SHUTDOWN_POLL_SECONDS = 5.0, 0.2
"""A replica that is told to end may finish calls for so long, and looks so often whether it has."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """How a detector runs on Ray.

    Attributes:
        replicas: processes that each load the detector.
        cpus, gpus: what each replica reserves of its node.
        batch: most calls that a replica looks at together.
        batch_wait_s: how long the first of them waits for others.
        queue: most calls of one service that wait for a free replica; further ones are skipped.
    """

    replicas: int = 1
    cpus: float = 1.0
    gpus: float = 0.0
    batch: int = 8
    batch_wait_s: float = 0.0
    queue: int = 64


@dataclass(frozen=True, slots=True)
class ServedDetector:
    """An application: `state` is Serve's (`RUNNING`, `DEPLOYING`, `DEPLOY_FAILED`, …), `message` says why."""

    name: str
    state: str
    running: int
    replicas: int
    message: str


def check_name(name: str) -> None:
    """Raises UnknownDetectorError: no package here offers that name. Joins nothing."""
    Registry.load().describe(name)


def serve_detector(
    name: str, deployment: Deployment, wait_s: float, environment: Mapping[str, str] = os.environ
) -> None:
    """Deploys a detector, or changes how it is deployed, and waits until all its replicas run.

    Raises:
        RayUnavailableError: it does not run after `wait_s`, and why. An application that was not there before is
            taken away again.
    """
    from ray import serve

    before = {each.name for each in served_detectors()}
    serve.start(proxy_location="Disabled")
    target = serve.RunTarget(_application(name, deployment, environment), application_name(name), route_prefix=None)
    serve.run_many([target], wait_for_ingress_deployment_creation=False, wait_for_applications_running=False)
    ends_s = time.monotonic() + wait_s
    while True:
        found = next((each for each in served_detectors() if each.name == name), None)
        if found is not None and found.state == "RUNNING":
            return
        failed = found is not None and found.state in ("DEPLOY_FAILED", "UNHEALTHY")
        if failed or time.monotonic() > ends_s:
            if name not in before:
                serve.delete(application_name(name))
            raise RayUnavailableError(_why_not(name, found, wait_s))
        time.sleep(POLL_SECONDS)


def served_detectors() -> list[ServedDetector]:
    """The detectors on the cluster that this process has joined, sorted by name."""
    from ray import serve

    found = []
    for name, application in sorted(serve.status().applications.items()):
        if not name.startswith(PREFIX):
            continue
        deployments = application.deployments.values()
        running = sum(each.replica_states.get("RUNNING", 0) for each in deployments)
        replicas = sum(sum(each.replica_states.values()) for each in deployments)
        message = application.message or next((each.message for each in deployments if each.message), "")
        found.append(ServedDetector(name[len(PREFIX) :], str(application.status.value), running, replicas, message))
    return found


def stop_detector(name: str) -> bool:
    """Takes a detector away. Returns whether it was there."""
    from ray import serve

    there = any(each.name == name for each in served_detectors())
    if there:
        serve.delete(application_name(name))
    return there


def _application(name: str, deployment: Deployment, environment: Mapping[str, str]) -> Any:
    from ray import serve

    from perception.detectors.ray_serve.replica import DetectorReplica

    settings = {key: value for key, value in environment.items() if key.startswith(SETTINGS)}
    return (
        serve.deployment(DetectorReplica)
        .options(
            name=name,
            num_replicas=deployment.replicas,
            # One batch runs, and the next one gathers.
            max_ongoing_requests=2 * deployment.batch,
            max_queued_requests=deployment.queue,
            health_check_period_s=HEALTH_SECONDS,
            graceful_shutdown_timeout_s=SHUTDOWN_SECONDS,
            graceful_shutdown_wait_loop_s=SHUTDOWN_POLL_SECONDS,
            ray_actor_options={
                "num_cpus": deployment.cpus,
                "num_gpus": deployment.gpus,
                "runtime_env": {"env_vars": {TUNABLES_VARIABLE: HUGE_PAGES, **settings}},
            },
        )
        .bind(name, deployment.batch, deployment.batch_wait_s)
    )


def _why_not(name: str, found: ServedDetector | None, wait_s: float) -> str:
    if found is None:
        return f"Ray Serve did not take {name} within {wait_s:g} s: see its logs (`serve status`, `ray status`)"
    said = " ".join(found.message.split())[-600:] or "Serve says no reason"
    return f"{name} does not run on Ray ({found.state}, {found.running} of {found.replicas} replicas run): {said}"
