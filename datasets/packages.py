"""Fetches packages by their registry's own client, checks what came, and unpacks it.

Rule 1: an archive whose sha256 is not the manifest's, or an app's lock's, is neither unpacked nor installed.
Rule 2: a folder has its final name only once it is complete, so that what is there can be used as it is.
Rule 3: what one page lacks costs that page alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath

from perception.datasets.clients import Clients
from perception.datasets.clients import PackageError as PackageError  # callers know it by this door
from perception.datasets.manifest import App, Manifest, Package, Page, Registry

AT_ONCE = 3
"""Packages fetched side by side: a client waits for the network half its time and unpacks the other half."""


def home_folder() -> Path:
    """Where packages are kept: `$PERCEPTION_HOME`, else `perception` in the user's cache folder."""
    if home := os.environ.get("PERCEPTION_HOME"):
        return Path(home).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "perception"


def package_folder(package: Package, home: Path) -> Path:
    """Where a package lies once it is unpacked."""
    return home / "packages" / package.registry / f"{package.name}-{package.version}"


def environment_folder(app: App, manifest: Manifest, home: Path) -> Path:
    """Where the virtual environment of an app lies: another for every lock and every Python.

    Raises:
        PackageError: its lock cannot be read.
    """
    digest = hashlib.sha256(_read_lock(app, manifest))
    for part in (sys.implementation.cache_tag, sysconfig.get_platform(), sys.base_prefix):
        digest.update(part.encode())
    return home / "environments" / f"{PurePosixPath(app.folder).name}-{digest.hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class Piece:
    """One folder that pages need: an unpacked package, or an app's environment.

    Attributes:
        label: what it is, in words.
        folder: where it lies once it is complete.
        build: makes it in a work folder, and says where; not part of what makes two pieces the same.
    """

    label: str
    folder: Path
    build: Callable[[Path, Clients], Path] = field(compare=False, repr=False)


def pieces_of(page: Page, manifest: Manifest, home: Path) -> tuple[Piece, ...]:
    """What a page needs, each once, whether it is there or not."""
    pieces = [_package_piece(package, home) for package in manifest.files_of(page)]
    if page.app:
        pieces.append(_environment_piece(manifest.apps[page.app], manifest, home))
    return tuple(pieces)


def absent(pages: Iterable[Page], manifest: Manifest, home: Path) -> dict[Piece, tuple[str, ...]]:
    """What of pages has not been fetched yet, and the ids of the pages that need it; empty when all can be served."""
    wanted: dict[Piece, tuple[str, ...]] = {}
    for page in pages:
        for piece in pieces_of(page, manifest, home):
            if not piece.folder.is_dir():
                wanted[piece] = (*wanted.get(piece, ()), page.id)
    return wanted


def fetch(page: Page, manifest: Manifest, home: Path) -> None:
    """Fetches what a page needs and is not there yet.

    Raises:
        PackageError: a registry's client is missing or fails, or an archive has another sha256.
    """
    for piece in absent([page], manifest, home):
        _make_once(piece, home, Clients())


class Step(StrEnum):
    STARTED = "started"
    DONE = "done"
    FAILED = "failed"


def fetch_all(
    wanted: Iterable[Piece],
    home: Path,
    *,
    report: Callable[[Piece, Step], None],
    at_once: int = AT_ONCE,
) -> dict[Piece, str]:
    """Fetches pieces, some side by side; one that fails does not stop the others.

    Ctrl-C, or whatever `report` raises, ends all clients and leaves only complete folders: a later call goes on there.

    Args:
        report: told of each piece as it is started, from another thread, and when it is done or failed.

    Returns:
        Why, for each that failed; empty when all are there.
    """
    clients, failures = Clients(), dict[Piece, str]()

    def make(piece: Piece) -> None:
        report(piece, Step.STARTED)
        _make_once(piece, home, clients)

    with ThreadPoolExecutor(at_once, thread_name_prefix="fetch") as pool:
        try:
            jobs = {pool.submit(make, piece): piece for piece in wanted}
            for job in as_completed(jobs):
                piece, error = jobs[job], job.exception()
                if error is not None and not isinstance(error, PackageError):
                    raise error
                if error is not None:
                    failures[piece] = str(error)
                report(piece, Step.DONE if error is None else Step.FAILED)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            clients.end()
            raise
    return failures


def verify(archive: Path, package: Package) -> None:
    """Raises PackageError unless the archive is the one that the manifest names."""
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != package.sha256:
        raise PackageError(
            f"{package.registry} package {package.name} {package.version}: the archive's sha256 is {found}, the "
            f"manifest says {package.sha256}: what came is not what was looked at when it was listed"
        )


def unpack(archive: Path, package: Package, folder: Path, clients: Clients) -> None:
    """Unpacks an archive into a new folder; npm's own top folder is left out.

    Raises:
        PackageError: it is no archive of its registry's kind, or a member would lie outside the folder.
    """
    try:
        match package.registry:
            case Registry.NPM:
                _unpack_npm(archive, folder)
            case Registry.PYPI:
                _unpack_wheel(archive, folder)
            case Registry.DEBIAN:
                clients.run(["dpkg-deb", "--extract", str(archive), str(folder)], archive.parent)
    except (tarfile.TarError, zipfile.BadZipFile) as exc:
        raise PackageError(f"{package.registry} package {package.name}: cannot be unpacked: {exc}") from exc


@contextmanager
def work_folder(home: Path, purpose: str) -> Iterator[Path]:
    """A new folder under the home folder, for as long as the context is open.

    What processes that were killed left of this purpose is removed: a folder whose process lives is locked.
    """
    home.mkdir(parents=True, exist_ok=True)
    with _locked(home):  # nobody else looks between its making and its locking
        for left in home.glob(f"{purpose}-*"):
            _remove_unlocked(left)
        made = tempfile.TemporaryDirectory(prefix=f"{purpose}-", dir=home)
        held = os.open(made.name, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield Path(made.name)
    finally:
        os.close(held)
        made.cleanup()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _remove_unlocked(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return  # its process has just removed it
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        pass  # in use
    finally:
        os.close(handle)


def _package_piece(package: Package, home: Path) -> Piece:
    def build(work: Path, clients: Clients) -> Path:
        archive = _download(package, work / "archive", clients)
        unpack(archive, package, work / "unpacked", clients)
        return work / "unpacked"

    return Piece(f"{package.name} {package.version}", package_folder(package, home), build)


_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")


def _environment_piece(app: App, manifest: Manifest, home: Path) -> Piece:
    def build(work: Path, clients: Clients) -> Path:
        made, lock = work / "environment", work / "requirements.lock"
        lock.write_bytes(_read_lock(app, manifest))
        clients.run([sys.executable, "-m", "venv", "--without-pip", str(made)], work)
        exactly = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", str(lock))
        clients.run([*_PIP, "--python", str(environment_python(made)), "install", *exactly], work)
        return made

    name = PurePosixPath(app.folder).name
    return Piece(f"the Python packages of {name}", environment_folder(app, manifest, home), build)


def environment_python(environment: Path) -> Path:
    """The interpreter of a virtual environment. It works wherever the folder is moved to; its other programs do not."""
    return environment / "bin" / "python"


def _read_lock(app: App, manifest: Manifest) -> bytes:
    try:
        return (manifest.root / app.folder / app.lock).read_bytes()
    except OSError as exc:
        raise PackageError(f"app {app.name}: its lock {app.lock} cannot be read: {exc.strerror}") from exc


def _make_once(piece: Piece, home: Path, clients: Clients) -> None:
    """Makes a piece in a work folder, then moves it to its place in one step."""
    if piece.folder.is_dir():
        return
    piece.folder.parent.mkdir(parents=True, exist_ok=True)
    with work_folder(home, "fetching") as work:
        made = piece.build(work, clients)
        try:
            made.rename(piece.folder)
        except OSError:
            if not piece.folder.is_dir():  # if it is: another process was faster, with the same bytes
                raise


_HINTS = {
    Registry.DEBIAN: " (run `apt-get update`; a mirror keeps only its newest version: "
    "if this one is gone, the manifest must name the new one)",
}
"""What to do when a registry's client finds no such version, where its own words do not say so."""


def _download(package: Package, folder: Path, clients: Clients) -> Path:
    """The archive of a package, verified, alone in a new folder."""
    folder.mkdir()
    exact = {Registry.NPM: "@", Registry.PYPI: "==", Registry.DEBIAN: "="}[package.registry]
    wanted = f"{package.name}{exact}{package.version}"
    commands = {
        Registry.NPM: ["npm", "pack", "--silent", "--ignore-scripts", wanted],
        Registry.PYPI: [*_PIP, "download", "--no-deps", "--only-binary", ":all:", wanted],
        Registry.DEBIAN: ["apt-get", "--quiet=2", "download", wanted],
    }
    clients.run(commands[package.registry], folder, hint=_HINTS.get(package.registry, ""))
    archives = list(folder.iterdir())
    if len(archives) != 1:
        raise PackageError(f"{package.registry} client left {len(archives)} files for {wanted}: one was expected")
    verify(archives[0], package)
    return archives[0]


def _unpack_npm(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        for member in tar:
            inner = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if inner.parts:
                tar.extract(member.replace(name=str(inner), deep=False), folder, filter="data")


def _unpack_wheel(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        wheel.extractall(folder)
