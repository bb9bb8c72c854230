"""What every service works with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.server.auth.secret_store import SecretStore
from perception.server.rpc_call import deadline_of
from perception.server.services.snapshot_pages import SnapshotPages
from perception.server.sessions.manager import SessionManager
from perception.server.settings import Settings


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What services work with: made once, shared by all.

    Attributes:
        settings: the service's.
        sessions: all sessions.
        secret_store: secrets by name.
        registry: which detectors there are.
        pool: runs them.
        pages: writes snapshots.
    """

    settings: Settings
    sessions: SessionManager
    secret_store: SecretStore
    registry: Registry
    pool: DetectorPool
    pages: SnapshotPages

    def deadline(self, context: Any) -> Deadline:
        """The deadline of a call, by gRPC's context; see `deadline_of`."""
        return deadline_of(context, self.settings)

    def detector_names(self, asked: Iterable[str]) -> tuple[str, ...]:
        """The detectors to use. Raises UnknownDetectorError or DetectorMissingError for one that was asked for."""
        names = tuple(dict.fromkeys(asked))
        for name in names:
            self.registry.get(name)
        return names or self.settings.detectors or self.registry.defaults()


class OfService:
    """Answers rpcs, or does a part of that."""

    def __init__(self, service: ServiceContext) -> None:
        self._service = service
