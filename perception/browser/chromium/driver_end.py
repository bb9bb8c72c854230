"""Learning that Playwright's driver process has ended.

Playwright 1.65 has no public sign of it: `Browser.on("disconnected")` is not emitted, `Browser.is_connected()` stays
true, and only calls that are in flight, or made later, fail. Its connection, which is private, emits `close`. This
module and `driver_events` are the only ones that touch it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from playwright.async_api import Playwright

log = structlog.get_logger(__name__)


def transport_of(playwright: Playwright) -> Any:
    """What reads and writes the driver's pipes; None where this version keeps it elsewhere. `stop` is a method of
    Playwright's context manager, which holds it (1.65.2); earlier versions have it in their connection."""
    manager = getattr(getattr(playwright, "stop", None), "__self__", None)
    found = getattr(getattr(manager, "_client", None), "_transport", None)
    return found if found is not None else getattr(_connection_of(playwright), "_transport", None)


def on_driver_end(playwright: Playwright, react: Callable[[], None]) -> bool:
    """Calls `react` once the driver has ended, for any reason.

    Returns:
        False where this Playwright keeps its connection elsewhere: then nothing calls `react`, this is logged, and a
        driver's end shows when the next call to it fails.
    """
    listen = getattr(_connection_of(playwright), "on", None)
    if not callable(listen):
        log.warning("the end of Playwright's driver is not reported: sessions fail on their next call instead")
        return False
    listen("close", lambda *_: react())
    return True


def driver_pid(playwright: Playwright) -> int:
    """The driver's process; 0 where this Playwright keeps it elsewhere."""
    return int(getattr(getattr(transport_of(playwright), "_proc", None), "pid", 0))


def _connection_of(playwright: Playwright) -> Any:
    return getattr(getattr(playwright, "_impl_obj", None), "_connection", None)
