"""Tells a worker to end, as an operator does."""

from __future__ import annotations

from pathlib import Path

from perception.deadline import Deadline
from perception.server.auth.private_file import read_private
from perception.server.placement.authority import SESSION_KEYS, edge_credentials
from perception.server.placement.session_ids import KEYS_NAME, parse_keys
from perception.server.placement.worker_link import WorkerLink, tls_options
from perception.server.placement.worker_status import DRAIN, DrainAsked, WorkerStatus

ANSWER_SECONDS = 5.0


async def ask_to_end(address: str, cluster: Path, grace_s: float | None) -> WorkerStatus:
    """Raises BadInputError for a folder without certificates and keys, and WorkerUnreachableError."""
    keys = parse_keys(read_private(cluster / SESSION_KEYS, KEYS_NAME))
    link = WorkerLink(address, lambda: keys, lambda: None, edge_credentials(cluster), tls_options())
    try:
        return await link.ask(DRAIN, DrainAsked(grace_s), WorkerStatus, Deadline.of(ANSWER_SECONDS))
    finally:
        await link.close()
