"""The service that the suite measures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from perception.client import Client, connect

HOSTS = ("127.0.0.1", "localhost")


@contextmanager
def serve_client() -> Iterator[Client]:
    """A service whose recordings are deleted with it."""
    with tempfile.TemporaryDirectory(prefix="perception-subroutines-") as folder:
        before = os.environ.get("PERCEPTION_DATA_DIR")
        os.environ["PERCEPTION_DATA_DIR"] = folder
        try:
            with connect(allow_hosts=HOSTS) as client:
                yield client
        finally:
            os.environ.pop("PERCEPTION_DATA_DIR")
            if before is not None:
                os.environ["PERCEPTION_DATA_DIR"] = before
