"""Chromium as a process: find it, launch it with its sandbox on, and leave nothing of it behind.

Rule 1: the sandbox stays on. Chromium's works for any user but root, so as root it runs as `nobody`.
Rule 2: what is started here is killed here, its whole process group, and its profile folder removed; `leftovers` does
that for a service that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

from perception.browser.leftovers import Folder
from perception.budget import Budget
from perception.errors import BrowserUnavailableError, SandboxUnavailableError

UNPRIVILEGED_USER = "nobody"

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")

_SWITCHES = (
    "--remote-debugging-port=0",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",  # nothing but what the pages ask for
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-features=Translate,MediaRouter,OptimizationHints,HttpsUpgrades",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-pings",
    "--password-store=basic",
    "--disable-background-timer-throttling",  # a tab that is not in front is still worked with
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--enable-features=CDPScreenshotNewSurface",  # … and pictured: else its screenshots never come (Chromium 156)
    "--disable-dev-shm-usage",  # containers often give /dev/shm only 64 MB
    "--force-color-profile=srgb",
    # Nothing goes past a session's proxy (`egress`): it takes no UDP, and the names are its to resolve.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",  # the same, as headless Chromium calls it
    "--disable-quic",
    "--dns-prefetch-disable",
)

MIN_FREE_BYTES = 64 * 2**20
"""A new profile takes 10 MiB."""

_WALL = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
"""The browser itself resolves nothing, and reaches no address but that of its proxies:
https://www.chromium.org/developers/design-documents/network-stack/socks-proxy/."""

LAUNCH_FAILED = 127
"""launcher.py's exit code when the program cannot be run."""

_NO_SANDBOX_SIGNS = (
    "No usable sandbox",
    "Running as root without --no-sandbox",
    "setuid sandbox",
    "zygote_host_impl_linux",
)


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """How Chromium is started. `executable` None means: look for one.

    `walled` makes it resolve no name itself: only contexts with a proxy reach anything then.
    """

    executable: Path | None = None
    headless: bool = True
    sandbox: bool = True
    walled: bool = False
    switches: tuple[str, ...] = ()


@dataclass(slots=True)
class Chromium:
    """A running browser of ours."""

    process: asyncio.subprocess.Process
    ws_url: str
    folder: Folder
    stderr: list[str] = field(default_factory=list)
    drain: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        return self.process.pid

    def make_folder(self, name: str) -> Path:
        """A folder in the browser's own, that the browser's user can write to."""
        folder = self.folder.home / name
        folder.mkdir()
        owner = self.folder.home.stat()
        if os.geteuid() == 0:
            os.chown(folder, owner.st_uid, owner.st_gid)
        return folder

    async def close(self) -> None:
        """Ends the process group and removes the profile. Safe to call twice."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        if self.drain is not None:
            self.drain.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.drain
        await asyncio.to_thread(self.folder.remove)


def find_executable(options: LaunchOptions, playwright_path: str = "") -> Path:
    """The browser to start: the one named, else Playwright's own if it is installed, else one on PATH.

    Raises:
        BrowserUnavailableError: there is none; says how to get one.
    """
    if options.executable is not None:
        if not os.access(options.executable, os.X_OK):
            raise BrowserUnavailableError(f"{options.executable} is no program that can be run: check the browser path")
        return options.executable
    if playwright_path and os.access(playwright_path, os.X_OK):
        return Path(playwright_path)
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    raise BrowserUnavailableError(
        "no Chromium found: install it (`apt-get install chromium`, or `playwright install chromium`), "
        "or name one by PERCEPTION_BROWSER_PATH"
    )


async def launch(options: LaunchOptions, executable: Path, budget: Budget) -> Chromium:
    """Starts Chromium and waits until it takes CDP connections.

    Raises:
        SandboxUnavailableError: its sandbox does not work here and `options.sandbox` is on.
        BrowserUnavailableError: it ended at once, for another reason.
        DeadlineError: it was not up within the budget.
    """
    folder = new_folder()
    if (free := shutil.disk_usage(folder.path).free) < MIN_FREE_BYTES:  # it would wait for ever
        folder.remove()
        raise BrowserUnavailableError(
            f"the browser needs {MIN_FREE_BYTES >> 20} MiB in the temporary folder, and {free >> 20} MiB are free: "
            "make room, or name another folder by TMPDIR"
        )
    try:
        return await _launch(options, executable, folder, budget)
    except BaseException:
        folder.remove()
        raise


def new_folder() -> Folder:
    """For a browser, or for the connection to one. Raises BrowserUnavailableError where it cannot be made."""
    try:
        return Folder()
    except OSError as exc:
        raise BrowserUnavailableError(
            f"the browser's folder cannot be made ({exc.strerror}): see to the temporary folder, or name another one "
            "by TMPDIR"
        ) from exc


async def _launch(options: LaunchOptions, executable: Path, folder: Folder, budget: Budget) -> Chromium:
    home, temporary = folder.home, folder.temporary
    account = _account(options)
    uid, gid = (account.pw_uid, account.pw_gid) if account else (-1, -1)
    for each in {home, temporary}:
        os.chown(each, uid, gid)
    launcher = [sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py")), str(uid), str(gid)]
    command = [str(executable), *_SWITCHES, *options.switches, f"--user-data-dir={home / 'profile'}"]
    command += ["--headless"] if options.headless else []
    command += [_WALL] if options.walled else []
    command += [] if options.sandbox else ["--no-sandbox"]
    process = await asyncio.create_subprocess_exec(
        *launcher,
        *command,
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        limit=2**20,
        env={**_environment(), "HOME": str(home), "TMPDIR": str(temporary)},
    )
    browser = Chromium(process, "", folder)
    browser.drain = asyncio.create_task(_drain(process, browser.stderr), name="chromium-stderr")
    try:
        async with budget.phase("starting the browser"):
            browser.ws_url = await _endpoint(browser)
    except BaseException:
        await browser.close()
        raise
    return browser


async def _endpoint(browser: Chromium) -> str:
    """Chromium writes the port it chose, and the path of its browser target, into its profile folder."""
    port_file = browser.folder.home / "profile" / "DevToolsActivePort"
    while True:
        if browser.process.returncode is not None:
            raise _start_error(browser)
        with contextlib.suppress(OSError, ValueError):
            port, path = port_file.read_text().strip().split("\n")
            return f"ws://127.0.0.1:{int(port)}{path}"
        await asyncio.sleep(0.02)


def _start_error(browser: Chromium) -> BrowserUnavailableError:
    log = "\n".join(browser.stderr)
    if any(sign in log for sign in _NO_SANDBOX_SIGNS):
        return SandboxUnavailableError(
            "Chromium's sandbox does not work on this machine: allow unprivileged user namespaces "
            "(sysctl kernel.unprivileged_userns_clone=1, or the AppArmor rule for it) or install chromium-sandbox; "
            "if you accept the risk, start with --no-sandbox"
        )
    last = browser.stderr[-1][:200] if browser.stderr else "it said nothing"
    hint = ""
    if browser.process.returncode == LAUNCH_FAILED and os.geteuid() == 0:
        hint = (
            f" (as root it runs as {UNPRIVILEGED_USER}, who must be able to read it: "
            "put the browser outside root's home, for example by PLAYWRIGHT_BROWSERS_PATH)"
        )
    return BrowserUnavailableError(f"Chromium ended as it started: {last}{hint}")


def _account(options: LaunchOptions) -> pwd.struct_passwd | None:
    """Whom root runs Chromium as; None for users who run it as themselves."""
    if os.geteuid() != 0 or not options.sandbox:
        return None
    try:
        return pwd.getpwnam(UNPRIVILEGED_USER)
    except KeyError as exc:
        raise SandboxUnavailableError(
            f"Chromium's sandbox does not work as root and there is no user {UNPRIVILEGED_USER!r} to run it as: "
            "start the service as an ordinary user, or with --no-sandbox if you accept the risk"
        ) from exc


def _environment() -> dict[str, str]:
    """What Chromium needs of ours; no credentials travel along."""
    kept = (
        "PATH",
        "LANG",
        "LC_ALL",
        "TZ",
        "DISPLAY",
        "XAUTHORITY",
        "WAYLAND_DISPLAY",
        "XDG_RUNTIME_DIR",
        "FONTCONFIG_PATH",
    )
    return {name: os.environ[name] for name in kept if name in os.environ}


async def _drain(process: asyncio.subprocess.Process, lines: list[str]) -> None:
    """Keeps the last lines Chromium writes, so that its pipe never fills."""
    assert process.stderr is not None
    while line := await process.stderr.readline():
        lines.append(line.decode(errors="replace").rstrip())
        del lines[:-50]
