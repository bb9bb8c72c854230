"""The service that the suite measures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from perception.client import Client, connect
from perception.client.child import ServiceChild

HOSTS = ("127.0.0.1", "localhost")


@contextmanager
def serve_client() -> Iterator[Client]:
    """A service whose recordings are deleted with it."""
    with serving() as address, connect(address) as client:
        yield client


@contextmanager
def serving() -> Iterator[str]:
    """The address of a service whose recordings are deleted with it."""
    with tempfile.TemporaryDirectory(prefix="perception-subroutines-") as folder, _environment(folder):
        child = ServiceChild.start(HOSTS)
        try:
            yield child.address
        finally:
            child.stop()


@contextmanager
def _environment(folder: str) -> Iterator[None]:
    before = os.environ.get("PERCEPTION_DATA_DIR")
    os.environ["PERCEPTION_DATA_DIR"] = folder
    try:
        yield
    finally:
        os.environ.pop("PERCEPTION_DATA_DIR")
        if before is not None:
            os.environ["PERCEPTION_DATA_DIR"] = before
