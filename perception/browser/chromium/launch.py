"""Chromium as a process: find it, launch it with its sandbox enabled, and remove everything of it at the end.

Rule 1: the sandbox stays enabled. It works for any user but root, so as root Chromium runs as `nobody`.
Rule 2: what is started here is killed here, the whole process group, and its profile folder removed; `leftovers` does
that for a service that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from perception import host_os
from perception.browser.chromium.leftovers import Folder
from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError, SandboxUnavailableError

UNPRIVILEGED_USER = "nobody"
"""Chromium's user where the service runs as root."""

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")

_SWITCHES = (
    "--remote-debugging-port=0",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",  # only pages use the network
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    # Without a window, the preview of `window.print()` never opens, and the page stays "being printed" (Chromium 156).
    "--disable-print-preview",
    "--disable-extensions",
    "--disable-sync",
    "--disable-features=Translate,MediaRouter,OptimizationHints,HttpsUpgrades"
    # Each window loads three hidden pages for its address bar: half of a session's CPU time and 160 MB (Chromium 156).
    ",WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
    # Otherwise Chromium measures the class itself after three minutes, by two more processes that stay (Chromium 156).
    "--optimization-guide-performance-class=1",
    "--allow-pre-commit-input",  # without it, input is lost until a new document has painted its first frame
    "--metrics-recording-only",
    "--mute-audio",
    "--no-pings",
    "--password-store=basic",
    "--disable-background-timer-throttling",  # agents use tabs that are not in front, too
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--enable-features=CDPScreenshotNewSurface",  # without it, screenshots of such tabs never come (Chromium 156)
    "--disable-dev-shm-usage",  # containers often give /dev/shm only 64 MB
    "--force-color-profile=srgb",
    "--site-per-process",  # the default of Chromium, not of chromium-headless-shell (Chromium 156)
    # Nothing bypasses a session's proxy, which relays no UDP and resolves all names.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",  # the same switch of headless Chromium
    "--disable-quic",
    "--dns-prefetch-disable",
    # The middle button would paste what any session has selected last (Chromium 156 on Linux).
    "--blink-settings=middleClickPasteAllowed=false",
)

MIN_FREE_BYTES = 64 * 2**20
"""Free space that a launch needs: a new profile takes 10 MiB. Chosen by hand."""

LAST_WORDS_SECONDS = 2.0
"""Limit for a browser that has ended to have its messages read, which takes milliseconds: a process that it has started
may still hold its output. Chosen by hand."""

_NO_RESOLVER = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
"""The browser resolves no name, and reaches only the address of its proxies:
https://www.chromium.org/developers/design-documents/network-stack/socks-proxy/."""

LAUNCH_FAILED = 127
"""Exit code of launcher.py when the program cannot be run."""

_NO_SANDBOX_SIGNS = (
    "No usable sandbox",
    "Running as root without --no-sandbox",
    "setuid sandbox",
    "zygote_host_impl_linux",
)


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """How Chromium is started.

    Attributes:
        executable: path of the browser; None to look for one.
        headless: without a window.
        sandbox: with its sandbox.
        walled: it resolves no name itself, so that only contexts with a proxy reach anything.
        switches: further command line switches.
    """

    executable: Path | None = None
    headless: bool = True
    sandbox: bool = True
    walled: bool = False
    switches: tuple[str, ...] = ()


@dataclass(slots=True)
class Chromium:
    """A running browser that was started here.

    Attributes:
        process: its main process.
        ws_url: the CDP address of its browser target.
        folder: its files.
        stderr: the last lines that it wrote.
        drain: the task that reads them; None before it is started.
    """

    process: asyncio.subprocess.Process
    ws_url: str
    folder: Folder
    stderr: list[str] = field(default_factory=list)
    drain: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        return self.process.pid

    def make_folder(self, name: str) -> Path:
        """A new folder inside the browser's own, which the browser's user can write to."""
        folder = self.folder.home / name
        folder.mkdir()
        if host_os.is_superuser():
            owner = self.folder.home.stat()
            host_os.give_to(folder, host_os.Account(owner.st_uid, owner.st_gid))
        return folder

    async def close(self) -> None:
        """Ends the process group and removes the profile. Safe to call twice."""
        host_os.kill_group(self.process.pid)
        await self.process.wait()
        if self.drain is not None:
            self.drain.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.drain
        await asyncio.to_thread(self.folder.remove)


def find_executable(options: LaunchOptions, playwright_path: str = "") -> Path:
    """The browser to start: the named one, else Playwright's own if it is installed, else one on PATH.

    Args:
        playwright_path: where Playwright's own would be; empty to skip it.

    Raises:
        BrowserUnavailableError: there is none; the message says how to install one.
    """
    if options.executable is not None:
        if not os.access(options.executable, os.X_OK):
            raise BrowserUnavailableError(f"{options.executable} is not an executable program: check the browser path")
        return options.executable
    if playwright_path and os.access(playwright_path, os.X_OK):
        return Path(playwright_path)
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    raise BrowserUnavailableError(
        f"no Chromium found: install it ({host_os.chromium_hint()}), or name one by PERCEPTION_BROWSER_PATH"
    )


async def launch(options: LaunchOptions, executable: Path, deadline: Deadline) -> Chromium:
    """Starts Chromium and waits until it accepts CDP connections.

    Raises:
        SandboxUnavailableError: its sandbox does not work here and `options.sandbox` is on.
        BrowserUnavailableError: it ended at once for another reason, or the disk is full.
        DeadlineError: it was not up within the deadline.
    """
    folder = new_folder()
    if (free := shutil.disk_usage(folder.path).free) < MIN_FREE_BYTES:  # it would wait forever
        folder.remove()
        raise BrowserUnavailableError(
            f"the browser needs {MIN_FREE_BYTES >> 20} MiB in the temporary folder, and {free >> 20} MiB are free: "
            "make room, or name another folder by TMPDIR"
        )
    try:
        return await _launch(options, executable, folder, deadline)
    except BaseException:
        folder.remove()
        raise


def new_folder() -> Folder:
    """A folder for a browser, or for the connection to one. Raises BrowserUnavailableError where it cannot be made."""
    try:
        return Folder()
    except OSError as exc:
        raise BrowserUnavailableError(
            f"the browser's folder cannot be made ({exc.strerror}): check the temporary folder, or name another one "
            "by TMPDIR"
        ) from exc


async def _launch(options: LaunchOptions, executable: Path, folder: Folder, deadline: Deadline) -> Chromium:
    home, temporary = folder.home, folder.temporary
    account = _account(options)
    for each in {home, temporary}:
        host_os.give_to(each, account)
    command = [str(executable), *_SWITCHES, *options.switches, f"--user-data-dir={home / 'profile'}"]
    command += ["--headless"] if options.headless else []
    command += [_NO_RESOLVER] if options.walled else []
    command += [] if options.sandbox else ["--no-sandbox"]
    environment = _environment() | {"HOME": str(home), "TMPDIR": str(temporary)}
    if sys.platform == "linux":
        environment["PATH"] = f"{_refuse_programs(home)}{os.pathsep}{environment.get('PATH', os.defpath)}"
    process = await asyncio.create_subprocess_exec(
        *host_os.launch_command([*command, "about:blank"], account),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        limit=2**20,
        env=environment,
    )
    browser = Chromium(process, "", folder)
    browser.drain = asyncio.create_task(_drain(process, browser.stderr), name="chromium-stderr")
    try:
        async with deadline.phase("starting the browser"):
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
            assert browser.drain is not None
            # Its end may be known before all that it wrote.
            await asyncio.wait([browser.drain], timeout=LAST_WORDS_SECONDS)
            raise _start_error(browser)
        with contextlib.suppress(OSError, ValueError):
            port, path = port_file.read_text().strip().split("\n")
            return f"ws://127.0.0.1:{int(port)}{path}"
        await asyncio.sleep(0.02)


def _start_error(browser: Chromium) -> BrowserUnavailableError:
    log = "\n".join(browser.stderr)
    if any(sign in log for sign in _NO_SANDBOX_SIGNS):
        return SandboxUnavailableError(
            f"Chromium's sandbox does not work on this machine: {host_os.sandbox_hint()}; "
            "if you accept the risk, start with --no-sandbox"
        )
    if few := host_os.few_files_hint():
        return BrowserUnavailableError(f"Chromium ended at its start: {few}")
    last = browser.stderr[-1][:200] if browser.stderr else "it wrote no message"
    hint = ""
    if browser.process.returncode == LAUNCH_FAILED and host_os.is_superuser():
        hint = (
            f" (as root it runs as the user {UNPRIVILEGED_USER}, who must be able to read it: "
            "put the browser outside root's home, for example by PLAYWRIGHT_BROWSERS_PATH)"
        )
    return BrowserUnavailableError(f"Chromium ended at its start: {last}{hint}")


def _account(options: LaunchOptions) -> host_os.Account | None:
    """Chromium's user where the service runs as root; None to run it as the service's user.

    Raises:
        SandboxUnavailableError: there is no such user.
    """
    if not host_os.is_superuser() or not options.sandbox:
        return None
    account = host_os.find_account(UNPRIVILEGED_USER)
    if account is None:
        raise SandboxUnavailableError(
            f"Chromium's sandbox does not work as root and there is no user {UNPRIVILEGED_USER!r} to run it as: "
            "start the service as an ordinary user, or with --no-sandbox if you accept the risk"
        )
    return account


def _refuse_programs(home: Path) -> Path:
    """A folder with an `xdg-settings` that says yes to all.

    Chromium (156) on Linux asks it who opens `tel:` and the like, and does nothing where it believes that this is
    Chromium itself. Otherwise it asks the user, in a window that neither the page nor DevTools sees, and the tab takes
    no more input.
    """
    folder = home / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "xdg-settings"
    program.write_text("#!/bin/sh\necho yes\n", encoding="utf-8")
    for each in (folder, program):
        each.chmod(0o755)
    return folder


def _environment() -> dict[str, str]:
    """The environment variables that Chromium gets: no credentials are among them."""
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
        "SYSTEMROOT",  # Windows: nothing starts without it
    )
    found = {name: os.environ[name] for name in kept if name in os.environ}
    if "utf" not in (found.get("LC_ALL") or found.get("LANG") or "").lower():
        found["LC_ALL"] = "C.UTF-8"  # otherwise names of files lose all but ASCII
    return found


async def _drain(process: asyncio.subprocess.Process, lines: list[str]) -> None:
    """Keeps the last lines that Chromium writes; reading them keeps its pipe from filling."""
    assert process.stderr is not None
    while line := await process.stderr.readline():
        lines.append(line.decode(errors="replace").rstrip())
        del lines[:-50]
