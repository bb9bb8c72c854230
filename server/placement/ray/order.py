"""What `perception worker` was given, in a form that another machine can take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from perception.errors import BadInputError
from perception.server.auth.edge_callers import EDGE
from perception.server.auth.private_file import read_private, read_regular
from perception.server.auth.session_ids import KEYS_NAME, parse_keys
from perception.server.environment import OTHERS, how_to_set, variable_of
from perception.server.placement.authority import AUTHORITY, SESSION_KEYS, WORKER
from perception.server.placement.ray.operating import Order
from perception.server.settings import Settings

CERTIFICATES = (f"{AUTHORITY}.pem", f"{EDGE}.pem", f"{WORKER}.pem")

KEYS = (f"{EDGE}.key", f"{WORKER}.key", SESSION_KEYS)

OF_THE_NODE = frozenset(
    "address cluster session_keys tls_cert tls_key tls_client_ca worker worker_name placement".split()
)
"""Settings that the worker's actor makes for its node."""


OF_WORKERS = OTHERS - frozenset(
    f"PERCEPTION_{name}" for name in "AGENT_BROWSER SESSION TLS_CA TLS_CLIENT_CERT TLS_CLIENT_KEY TOKEN".split()
)
"""Variables that are not settings, without those of clients."""


def order_of(settings: Settings, cpus: float) -> Order:
    """What workers with these settings need. Raises BadInputError for files that are missing."""
    return Order(
        environment=environment_of(settings),
        files=shared_files(settings),
        has_certificates=settings.cluster is not None,
        cpus=cpus,
    )


def environment_of(settings: Settings) -> dict[str, str]:
    """The settings that were given, and the detectors' and OpenTelemetry's own, as environment variables."""
    given = settings.model_fields_set - OF_THE_NODE
    others = {name: value for name, value in os.environ.items() if name in OF_WORKERS or name.startswith("OTEL_")}
    return others | {variable_of(name): _as_text(getattr(settings, name)) for name in sorted(given)}


def shared_files(settings: Settings) -> dict[str, bytes]:
    """The content of the cluster's folder without `authority.key`; the session keys alone where there is none."""
    if settings.cluster is not None:
        folder = settings.cluster
        certificates = {name: read_regular(folder / name, f"{folder / name}") for name in CERTIFICATES}
        files = certificates | {name: read_private(folder / name, f"{folder / name}") for name in KEYS}
    elif settings.session_keys is not None:
        files = {SESSION_KEYS: read_private(settings.session_keys, KEYS_NAME)}
    else:
        raise BadInputError(
            f"workers share keys with their edges: give both the same ones ({how_to_set('cluster')}, or "
            f"{how_to_set('session_keys')} on one machine)",
            field="cluster",
        )
    parse_keys(files[SESSION_KEYS])
    return files


def _as_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, Path):
        return str(value.absolute())
    return str(value)
