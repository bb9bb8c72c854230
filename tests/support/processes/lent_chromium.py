"""Has the services that this process starts open their sessions in a browser that runs already, as if it were theirs.

A command of `perception(...)` does so with the environment of `in_browser`. To start a Chromium takes four
core-seconds; a service also loads no model before one is asked for. For tests that say nothing of the browser itself,
of its process or of its end, and nothing of contexts: they are those of earlier sessions (see `kept_contexts`).
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from types import SimpleNamespace

from perception import host_os
from perception.browser.chromium import browser_host
from perception.browser.chromium.flood_guard import FloodGuard
from perception.browser.chromium.launch import Chromium, LaunchOptions, _account, new_folder
from perception.server.app import Service

sys.path.append(str(Path(__file__).parents[3]))  # a process of the fork server has only this folder

from tests.support.kept_contexts import keep_contexts


class LentChromium(Chromium):
    """A browser of somebody else: at its end only its folder is removed. The sessions end with the connection."""

    async def close(self) -> None:
        await asyncio.to_thread(self.folder.remove)


def use(ws_url: str) -> None:
    """From here on services use that browser, whose address of CDP this is."""

    async def lend(options: LaunchOptions, *_: object) -> Chromium:
        folder = new_folder()
        account = _account(options)
        for each in {folder.home, folder.temporary}:
            host_os.give_to(each, account)
        return LentChromium(SimpleNamespace(pid=os.getpid()), ws_url, folder)  # type: ignore[arg-type]

    async def load_nothing(_: object) -> None:
        """In place of the warm-up."""

    keep_contexts()
    browser_host.launch = lend
    Service._warm_up = load_nothing  # type: ignore[method-assign]
    FloodGuard.start = lambda _: None  # type: ignore[method-assign]
