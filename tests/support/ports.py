"""Ports that a program is told to listen at."""

from __future__ import annotations

import random
import socket

BELOW_EPHEMERAL = range(20_000, 32_000)
"""The system gives these to nobody who asks for any port, so that none is taken before the program listens."""


def free_port(host: str = "127.0.0.1") -> int:
    """A port at which nobody listens."""
    for port in random.sample(BELOW_EPHEMERAL, 100):
        with socket.socket() as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise AssertionError(f"no free port at {host}")
