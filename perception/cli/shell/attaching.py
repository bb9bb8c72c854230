"""The command that works in a tab of the user's own Chrome."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from perception.browser.cdp.open_tabs import UserTab, read_tabs
from perception.browser.chromium.cdp_endpoint import websocket_url
from perception.cli.shell.context import Context
from perception.cli.shell.navigating import create_attached, shown_page
from perception.cli.shell.results import Result
from perception.deadline import Deadline
from perception.errors import BadInputError, BrowserUnavailableError
from perception.interaction.answers import lines, place
from perception.render.untrusted import Fence

PORT_FILE = "DevToolsActivePort"
"""Where Chromium writes its debugging port and the path of its endpoint, in its user data folder."""

_FOLDERS = {
    "linux": (
        *(".config/google-chrome", ".config/google-chrome-beta", ".config/google-chrome-unstable", ".config/chromium"),
        *(".config/microsoft-edge", ".config/BraveSoftware/Brave-Browser", "snap/chromium/common/chromium"),
        ".var/app/com.google.Chrome/config/google-chrome",
        ".var/app/org.chromium.Chromium/config/chromium",
    ),
    "darwin": tuple(
        f"Library/Application Support/{name}"
        for name in ("Google/Chrome", "Google/Chrome Beta", "Chromium", "Microsoft Edge", "BraveSoftware/Brave-Browser")
    ),
    "win32": tuple(
        f"AppData/Local/{name}/User Data"
        for name in ("Google/Chrome", "Google/Chrome Beta", "Chromium", "Microsoft/Edge", "BraveSoftware/Brave-Browser")
    ),
}
"""User data folders in the home folder (chromium.org, user_data_dir.md)."""

USUAL_ENDPOINT = "http://127.0.0.1:9222"
"""Of browsers that are started with a port, which write no file; most guides name this one."""

HOW_TO_START = (
    "in Chrome 144 or newer open chrome://inspect/#remote-debugging and allow it; or start one with a folder of its "
    'own: google-chrome --remote-debugging-port=0 --user-data-dir="$HOME/chrome-for-agents", and name that folder with '
    "--user-data-dir. One that was started with a port is found by --endpoint http://127.0.0.1:PORT"
)


async def attach(context: Context) -> Result:
    """Lists the tabs of the running Chrome, or works in one of them."""
    values = context.values
    endpoint = await find_endpoint(values["user_data_dir"], values["endpoint"], context.left_s)
    tabs = await read_tabs(endpoint, context.left_s)
    if not values["tab"]:
        return _listed(tabs)
    tab = choose_tab(tabs, values["tab"])
    session = await create_attached(context, endpoint, tab.target_id)
    return await shown_page(context, session, f"session: {session.known.name}, in your own browser")


def _listed(tabs: list[UserTab]) -> Result:
    fence = Fence()
    told = [f"{number}. {place(fence, each.url, each.title)}" for number, each in enumerate(tabs, 1)]
    data = [{"number": n, "targetId": t.target_id, "url": t.url, "title": t.title} for n, t in enumerate(tabs, 1)]
    return Result(lines(*told, "`perception attach NUMBER` works in one of them"), data={"tabs": data})


def choose_tab(tabs: list[UserTab], wanted: str) -> UserTab:
    """The tab of a number in the list, a TargetID, or words of its title or URL. Raises BadInputError for none or
    several."""
    if wanted.isdecimal() and 0 < int(wanted) <= len(tabs):
        return tabs[int(wanted) - 1]
    exact = [each for each in tabs if each.target_id == wanted]
    found = exact or [each for each in tabs if wanted.lower() in f"{each.title}\n{each.url}".lower()]
    if len(found) != 1:
        what = f"{len(found)} tabs have" if found else "no tab has"
        raise BadInputError(
            f"attach: {what} {wanted[:60]!r} in its title or URL: `perception attach` lists them by number"
        )
    return found[0]


async def find_endpoint(folder: str | None, endpoint: str | None, left_s: float) -> str:
    """The debugging endpoint of a running browser.

    Raises:
        BadInputError: none runs; says how to start one.
        BrowserUnavailableError: none answers at `endpoint`.
    """
    if endpoint:
        return await _websocket_of(endpoint, left_s)
    folders = [Path(folder)] if folder else [Path.home() / each for each in _FOLDERS.get(sys.platform, ())]
    stale = ""
    for each in folders:
        found = read_port_file(each)
        if found is None:
            continue
        with suppress(BrowserUnavailableError):
            await read_tabs(found, min(left_s, 10.0))
            return found
        stale = f" {each / PORT_FILE} is there, but no browser answers: it has ended, or was not allowed."
    if not folder:
        with suppress(BrowserUnavailableError):
            return await _websocket_of(USUAL_ENDPOINT, left_s)
    where = str(folders[0]) if folder else "the folders of Chrome, Chromium, Edge and Brave"
    raise BadInputError(
        f"attach: no running browser with remote debugging in {where}.{stale} To start one: {HOW_TO_START}"
    )


async def _websocket_of(endpoint: str, left_s: float) -> str:
    """The WebSocket address of an endpoint, which may be an `http:` one. Raises BrowserUnavailableError."""
    if not endpoint.startswith(("http:", "https:")):
        return endpoint
    return await websocket_url(endpoint, Deadline.of(min(left_s, 10.0)))


def read_port_file(folder: Path) -> str | None:
    """The WebSocket address that a browser has written; None where there is none."""
    try:
        with open(folder / PORT_FILE, encoding="ascii") as file:
            words = file.read(1000).split()
    except (OSError, UnicodeDecodeError):
        return None
    if len(words) != 2 or not words[0].isdecimal() or not words[1].startswith("/devtools/browser/"):
        return None
    return f"ws://127.0.0.1:{words[0]}{words[1]}"
