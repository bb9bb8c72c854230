"""Puts the two scripts of a recording into documents, before their own scripts: the recorder, in an isolated world, and
the patch of what sends requests, in the page's own world."""

from __future__ import annotations

import asyncio
from functools import cache
from importlib.resources import files

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.walker import recorder_source
from perception.deadline import Deadline
from perception.errors import PageChangingError

RECORDER_WORLD = "perception-recorder"
"""Name of the isolated world that the recorder runs in."""


_NOT_LOADED = (
    "the recorder does not run in the page, which is being replaced or closing: wait, and begin the recording again"
)


async def inject_scripts(session: CdpSession, binding: str) -> None:
    """Puts the scripts into a page or frame, now and in each new document.

    Args:
        session: the DevTools session of the page or frame.
        binding: begins the names of the bindings that the scripts report by; the page cannot guess it.
    """
    world, main = f"{binding}w", f"{binding}m"
    recorder = f"{recorder_source()};\nperceptionRecorder.start(globalThis['{world}']);"
    patch = f"{_patch_source()}('{main}');"
    await asyncio.gather(
        session.start("Page.enable"),
        session.start("Runtime.enable"),  # without it new documents get no bindings (Chromium 156)
        session.start("Runtime.addBinding", name=world, executionContextName=RECORDER_WORLD),
        session.start("Runtime.addBinding", name=main),
        session.start(
            "Page.addScriptToEvaluateOnNewDocument", source=recorder, worldName=RECORDER_WORLD, runImmediately=True
        ),
        session.start("Page.addScriptToEvaluateOnNewDocument", source=patch, runImmediately=True),
    )


async def require_loaded(session: CdpSession, frame: str, deadline: Deadline) -> None:
    """Raises PageChangingError where the recorder does not run in a frame: it would record nothing."""
    phase = "beginning the recording"
    try:
        world = await session.call("Page.createIsolatedWorld", deadline, phase, frameId=frame, worldName=RECORDER_WORLD)
        reply = await session.call(
            "Runtime.evaluate",
            deadline,
            phase,
            expression="typeof perceptionRecorder",
            contextId=world["executionContextId"],
            returnByValue=True,
        )
    except CdpCallError as exc:
        raise PageChangingError(f"{_NOT_LOADED} ({exc})") from exc
    if reply["result"].get("value") != "object":
        raise PageChangingError(_NOT_LOADED)


@cache
def _patch_source() -> str:
    text = files(__package__).joinpath("patch.js").read_text("utf-8").rstrip().rstrip(";")
    return f"({text})"  # an arrow function is called in brackets only
