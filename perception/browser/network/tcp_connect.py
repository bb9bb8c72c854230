"""Connects to the first address of a host that answers (https://www.rfc-editor.org/rfc/rfc8305).

aiohappyeyeballs does so, too, but where addresses fail in different ways its error has no errno, which the proxy's
answer is made of.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

from perception.browser.network.addresses import Address

HEAD_START_SECONDS = 0.25
"""How long an address has before the next one is tried, too: https://www.rfc-editor.org/rfc/rfc8305#section-5."""


async def connect_first(addresses: Sequence[Address], port: int) -> socket.socket:
    """A non-blocking socket, connected to the first address that answers. Each attempt begins a little after the one
    before, or at once when that failed.

    Raises:
        OSError: none answered; the error is that of the last attempt.
    """
    pending: set[asyncio.Task[socket.socket]] = set()
    left, error = list(_interleaved(addresses)), OSError("no address")
    try:
        while left or pending:
            if left:
                pending.add(asyncio.ensure_future(_connect(left.pop(0), port)))
            timeout = HEAD_START_SECONDS if left else None
            done, pending = await asyncio.wait(pending, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            connected = [task.result() for task in done if task.exception() is None]
            for spare in connected[1:]:
                spare.close()
            if connected:
                return connected[0]
            error = next((failed for task in done if isinstance(failed := task.exception(), OSError)), error)
        raise error
    finally:
        for task in pending:
            task.cancel()
            task.add_done_callback(_close_unused)


async def _connect(address: Address, port: int) -> socket.socket:
    connecting = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        connecting.setblocking(False)
        connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(connecting, (str(address), port))
    except BaseException:
        connecting.close()
        raise
    return connecting


def _close_unused(task: asyncio.Task[socket.socket]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().close()


def _interleaved(addresses: Sequence[Address]) -> list[Address]:
    """The address families in turn, beginning with that of the first address: one family may be unreachable."""
    first = [each for each in addresses if each.version == addresses[0].version]
    other = [each for each in addresses if each.version != addresses[0].version]
    turns = [each for pair in zip(first, other, strict=False) for each in pair]
    return turns + first[len(other) :] + other[len(first) :]
