"""Serves pages on loopback: origins of files, and programs, on free ports, for as long as a context is open.

    with serve(load_manifest().select([]), load_manifest(), home_folder()) as served:
        served.urls["django-admin--ar"], served.unserved

Rule 1: a page that cannot be served is named with its reason; the others are served.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
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

from perception.datasets.manifest import MANIFEST, App, Manifest, Mount, Origin, Package, Page, Registry
from perception.datasets.packages import PackageError, environment_folder, missing, package_folder

READY_SECONDS = 60.0
"""Django is up in 1 to 2 s on two busy cores; larger programs import for a while."""


@dataclass(frozen=True, slots=True)
class Served:
    """`urls`: address by page id. `unserved`: why not, by page id. No page is in both."""

    urls: Mapping[str, str]
    unserved: Mapping[str, str]


@contextmanager
def serve(pages: Sequence[Page], manifest: Manifest, home: Path, *, root: Path = MANIFEST.parent) -> Iterator[Served]:
    """Serves pages until the context is left.

    Args:
        root: folder that `folder` of origins and apps is relative to.
    """
    absent = {page.id: missing(page, manifest, home) for page in pages}
    unserved = {page_id: f"not fetched: {', '.join(what)}" for page_id, what in absent.items() if what}
    there = [page for page in pages if page.id not in unserved]
    home.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # Beside the packages: hard links need the same file system.
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="serving-", dir=home)))
        hosts = _serve_origins(there, manifest, home, root, work, stack)
        for app in {page.app: manifest.apps[page.app] for page in there if page.app}.values():
            try:
                environment = environment_folder(app, manifest, home)
                hosts["", app.name] = stack.enter_context(_running(app, environment, root / app.folder, work))
            except PackageError as exc:
                unserved |= {page.id: str(exc) for page in there if page.app == app.name}
        urls = {page.id: hosts[page.origin, page.app] + page.path for page in there if page.id not in unserved}
        yield Served(urls, unserved)


def _serve_origins(
    pages: Sequence[Page], manifest: Manifest, home: Path, root: Path, work: Path, stack: ExitStack
) -> dict[tuple[str, str], str]:
    """Starts every origin; its address by (name, "")."""
    # All are up before the first file is written: files may name any of them.
    servers = {name: _bound(work / name) for name in manifest.origins}
    addresses = {
        name: f"http://{manifest.origins[name].host}:{server.server_address[1]}" for name, server in servers.items()
    }
    packages = {package for page in pages if not page.app for package in manifest.needs(page)}
    for name, origin in manifest.origins.items():
        build_tree(origin, sorted(packages, key=lambda each: each.name), home, root, work / name, addresses)
        stack.enter_context(_answering(servers[name]))
    return {(name, ""): address for name, address in addresses.items()}


def build_tree(
    origin: Origin, packages: Iterable[Package], home: Path, root: Path, tree: Path, addresses: Mapping[str, str]
) -> None:
    """Lays out what an origin serves, without copying packages.

    Args:
        packages: all that are fetched; an origin takes those of its kind.
        tree: folder to make.
        addresses: every origin's, by name, for files that name them.
    """
    tree.mkdir()
    if origin.mount is Mount.FOLDER:
        shutil.copytree(root / origin.folder, tree, dirs_exist_ok=True)
        for file in tree.rglob("*.html"):
            file.write_text(_filled(file.read_text("utf-8"), addresses), "utf-8")
    for package in packages:
        folder = package_folder(package, home)
        is_root = package.registry is Registry.DEBIAN
        if origin.mount is Mount.ROOT and is_root:
            # Hard links, not symbolic ones: the packages' own links lead from one package into another.
            shutil.copytree(folder, tree, symlinks=True, copy_function=os.link, dirs_exist_ok=True)
        elif origin.mount is Mount.BESIDE and not is_root:
            place = tree / package.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(folder, target_is_directory=True)
    for path, target in origin.links:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).symlink_to(target)


def _filled(text: str, addresses: Mapping[str, str]) -> str:
    for name, address in addresses.items():
        text = text.replace(f"{{origin:{name}}}", address)
    return text


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Pages ask for much; nobody reads it."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # browsers hang up in the middle of answers
            super().handle_error(request, client_address)


def _bound(folder: Path) -> _Server:
    return _Server(("127.0.0.1", 0), lambda *args: _Handler(*args, directory=str(folder)))


@contextmanager
def _answering(server: _Server) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, name="pages", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def _running(app: App, environment: Path, folder: Path, work: Path) -> Iterator[str]:
    """Starts an app in a new state folder. Gives its origin.

    Raises:
        PackageError: a command of it fails, or it does not answer; with its last words.
    """
    state = work / f"app-{app.name}"
    state.mkdir()
    port = _free_port()
    values = {"python": sys.executable, "app": str(folder), "state": str(state), "port": str(port)}
    environ = {**os.environ, "PYTHONPATH": str(environment), "PYTHONDONTWRITEBYTECODE": "1"}
    for command in app.prepare:
        filled = [part.format_map(values) for part in command]
        done = subprocess.run(filled, cwd=state, env=environ, capture_output=True, text=True)
        if done.returncode != 0:
            raise PackageError(f"app {app.name}: `{' '.join(command)}` failed: {done.stderr.strip()[-500:]}")
    log = work / f"app-{app.name}.log"
    with log.open("wb") as output:
        leash = [sys.executable, "-I", str(Path(__file__).with_name("leash.py"))]
        process = subprocess.Popen(
            [*leash, *(part.format_map(values) for part in app.command)],
            cwd=state,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_ready(app, process, f"http://127.0.0.1:{port}{app.ready}", log)
        yield f"http://127.0.0.1:{port}"
    finally:
        assert process.stdin is not None
        process.stdin.close()  # the leash ends it
        process.wait()


def _wait_until_ready(app: App, process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + READY_SECONDS
    loopback = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while process.poll() is None and time.monotonic() < end:
        try:
            loopback.open(url, timeout=READY_SECONDS).close()
            return
        except urllib.error.HTTPError as exc:
            exc.close()
            raise PackageError(f"app {app.name} answers {exc.code} at {app.ready}") from exc
        except OSError:
            time.sleep(0.05)  # not listening yet
    words = log.read_text(errors="replace").strip()[-500:]
    raise PackageError(f"app {app.name} does not serve: {words or 'it said nothing'}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
