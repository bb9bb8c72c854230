"""Serves pages on loopback, on free ports, while a context is open: origins of files, and programs.

    with serve(load_manifest().select(["django-admin"]), load_manifest(), home_folder()) as served:
        served.urls["django-admin--ar"], served.unserved

Rule 1: a page that cannot be served is reported with its reason; the others are served.
Rule 2: fetched files are served unchanged: a patched file is a new one in the served tree.
Rule 3: a program has no access to the user's settings: its home is its state folder, its variables are the manifest's.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from perception.datasets.sources.manifest import (
    Manifest,
    Mount,
    Package,
    PackageRegistry,
    PageSpec,
    Patch,
    SiteOrigin,
    SiteProgram,
)
from perception.datasets.sources.package_clients import PackageError
from perception.datasets.sources.packages import (
    absent,
    environment_folder,
    environment_python,
    package_folder,
    work_folder,
)
from perception.errors import BadInputError

READY_SECONDS = 90.0
"""Time limit for a program to start. JupyterLab takes 6 s on two idle cores; all six programs together, on busy cores,
take three times that."""


@dataclass(frozen=True, slots=True)
class Served:
    """Served pages. No page is in both mappings.

    Attributes:
        urls: URL by page id.
        unserved: reason by page id.
    """

    urls: Mapping[str, str]
    unserved: Mapping[str, str]


@contextmanager
def serve(pages: Sequence[PageSpec], manifest: Manifest, home: Path) -> Iterator[Served]:
    """Serves pages until the context ends. Only the programs of these pages are started."""
    lacking = {page.id: [piece.label for piece in absent([page], manifest, home)] for page in pages}
    unserved = {page_id: f"not fetched: {', '.join(what)}" for page_id, what in lacking.items() if what}
    there = [page for page in pages if page.id not in unserved]
    # The work folder is next to the packages: hard links need the same file system.
    with work_folder(home, "serving") as work, ExitStack() as stack:
        origins = _serve_origins(there, manifest, home, work, stack)
        apps = [manifest.apps[name] for name in dict.fromkeys(page.app for page in there if page.app)]
        hosts, failed = _run_apps(apps, manifest, home, work, origins, stack)
        unserved |= {page.id: failed[page.app] for page in there if page.app in failed}
        addresses = {page.id: origins[page.origin] if page.origin else hosts.get(page.app, "") for page in there}
        yield Served({page.id: addresses[page.id] + page.path for page in there if page.id not in unserved}, unserved)


def _serve_origins(
    pages: Sequence[PageSpec], manifest: Manifest, home: Path, work: Path, stack: ExitStack
) -> dict[str, str]:
    """Starts every origin; returns URLs by name."""
    # All listen before the first file is written, since files may contain any of their URLs.
    servers = {name: stack.enter_context(_bound(work / name)) for name in manifest.origins}
    addresses = {
        name: f"http://{manifest.origins[name].host}:{server.server_address[1]}" for name, server in servers.items()
    }
    packages = {package for page in pages for package in manifest.files_of(page)}
    for name, origin in manifest.origins.items():
        build_tree(origin, sorted(packages, key=lambda each: each.name), manifest, home, work / name, addresses)
        stack.enter_context(_answering(servers[name]))
    return addresses


def build_tree(
    origin: SiteOrigin,
    packages: Iterable[Package],
    manifest: Manifest,
    home: Path,
    tree: Path,
    addresses: Mapping[str, str],
) -> None:
    """Creates the tree that an origin serves, without copying packages.

    Args:
        packages: all fetched packages; an origin uses those of its registry.
        tree: folder to create.
        addresses: URLs of all origins by name, for files that contain them.

    Raises:
        BadInputError: a patch does not fit its file.
    """
    tree.mkdir()
    if origin.mount is Mount.FOLDER:
        shutil.copytree(manifest.root / origin.folder, tree, dirs_exist_ok=True)
        for file in tree.rglob("*.html"):
            file.write_text(_filled(file.read_text("utf-8"), _origin_values(addresses)), "utf-8")
    for package in packages:
        is_root = package.registry is PackageRegistry.DEBIAN
        if origin.mount is (Mount.ROOT if is_root else Mount.BESIDE):
            patches = [patch for patch in manifest.patches if patch.package == package.name]
            _lay_out(package_folder(package, home), tree if is_root else tree / package.name, is_root, patches)
    for path, target in origin.links:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).symlink_to(target)


def _lay_out(folder: Path, place: Path, is_root: bool, patches: Sequence[Patch]) -> None:
    if not is_root and not patches:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(folder, target_is_directory=True)
        return
    # Hard links, not symbolic ones: Debian's own links lead from one package to another.
    shutil.copytree(folder, place, symlinks=True, copy_function=os.link, dirs_exist_ok=True)
    for patch in patches:
        file = place / patch.file
        text = file.read_text("utf-8") if file.is_file() else ""
        if text.count(patch.find) != 1:
            raise BadInputError(
                f"the patch of {patch.package}/{patch.file}: its text to find is there {text.count(patch.find)} times, "
                "not once: it was written for another version"
            )
        file.unlink()  # the package's own file has another link and stays
        file.write_text(text.replace(patch.find, patch.replace), "utf-8")


def _origin_values(addresses: Mapping[str, str]) -> dict[str, str]:
    return {f"{{origin:{name}}}": address for name, address in addresses.items()}


def _filled(text: str, values: Mapping[str, str]) -> str:
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text


class _SiteHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Logs nothing."""


class _SiteServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # browsers hang up in the middle of answers
            super().handle_error(request, client_address)


def _bound(folder: Path) -> _SiteServer:
    """A server that is bound to a free port; it is a context manager that closes it."""
    return _SiteServer(("127.0.0.1", 0), lambda *args: _SiteHandler(*args, directory=str(folder)))


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serves the files of a folder until the context ends; yields its origin."""
    with _bound(folder) as server, _answering(server):
        yield f"http://127.0.0.1:{server.server_address[1]}"


@contextmanager
def _answering(server: _SiteServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, name="pages", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@dataclass(frozen=True, slots=True)
class _Program:
    """A started app.

    Attributes:
        app: its entry in the manifest.
        process: its supervisor.
        log: file of its output.
        address: its origin.
    """

    app: SiteProgram
    process: subprocess.Popen[bytes]
    log: Path
    address: str


def _run_apps(
    apps: Sequence[SiteProgram],
    manifest: Manifest,
    home: Path,
    work: Path,
    origins: Mapping[str, str],
    stack: ExitStack,
) -> tuple[dict[str, str], dict[str, str]]:
    """Starts all apps, then waits for each. Returns URLs of those that serve, and reasons for the others, by name."""
    programs: list[_Program] = []
    failed: dict[str, str] = {}
    for app in apps:
        try:
            programs.append(stack.enter_context(_started(app, manifest, home, work, origins)))
        except PackageError as exc:
            failed[app.name] = str(exc)
    for program in programs:
        try:
            _wait_until_ready(program)
        except PackageError as exc:
            failed[program.app.name] = str(exc)
    return {each.app.name: each.address for each in programs if each.app.name not in failed}, failed


@contextmanager
def _started(
    app: SiteProgram, manifest: Manifest, home: Path, work: Path, origins: Mapping[str, str]
) -> Iterator[_Program]:
    """Prepares a new state folder for an app and starts it there.

    Raises:
        PackageError: a command of the preparation fails; with the end of its output.
    """
    state = work / f"app-{app.name}"
    state.mkdir()
    port = free_port()
    python = environment_python(environment_folder(app, manifest, home))
    values = {
        "{python}": str(python),
        "{app}": str(manifest.root / app.folder),
        "{state}": str(state),
        "{port}": str(port),
        **_origin_values(origins),
    }
    environ = {
        **_APP_VARIABLES,
        "PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(state),
        **{name: _filled(value, values) for name, value in app.environment.items()},
    }
    for command in app.prepare:
        filled = [_filled(part, values) for part in command]
        done = subprocess.run(filled, cwd=state, env=environ, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise PackageError(f"app {app.name}: `{' '.join(command)}` failed: {done.stderr.strip()[-500:]}")
    log = work / f"app-{app.name}.log"
    with log.open("wb") as output:
        supervisor = [sys.executable, "-I", str(Path(__file__).with_name("supervise.py"))]
        process = subprocess.Popen(
            [*supervisor, *(_filled(part, values) for part in app.command)],
            cwd=state,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield _Program(app, process, log, f"http://127.0.0.1:{port}")
    finally:
        assert process.stdin is not None
        process.stdin.close()  # the supervisor ends it
        process.wait()


_APP_VARIABLES = {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}
"""Variables of all apps: the same times everywhere, and no writes to their environment."""


def _wait_until_ready(program: _Program) -> None:
    """Raises PackageError when it ends, answers an error, or answers nothing for too long; with its last words."""
    app = program.app
    end = time.monotonic() + READY_SECONDS
    loopback = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while program.process.poll() is None and time.monotonic() < end:
        try:
            loopback.open(program.address + app.ready, timeout=READY_SECONDS).close()
            return
        except urllib.error.HTTPError as exc:
            exc.close()
            raise PackageError(f"app {app.name} answers {exc.code} at {app.ready}") from exc
        except OSError:
            time.sleep(0.05)  # not listening yet
    words = program.log.read_text(errors="replace").strip()[-500:]
    raise PackageError(f"app {app.name} does not serve: {words or 'it said nothing'}")


def free_port() -> int:
    """A port of loopback that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
