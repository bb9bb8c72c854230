"""Fetches packages with their registry's own client, verifies and unpacks them.

Rule 1: an archive whose sha256 differs from the manifest's, or an app's lock's, is neither unpacked nor installed.
Rule 2: a folder gets its final name only when it is complete, so every existing folder can be used.
Rule 3: a missing package affects only the pages that need it.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath

from perception import host_os
from perception.datasets.sources.manifest import Manifest, Package, PackageRegistry, PageSpec, SiteProgram
from perception.datasets.sources.package_clients import Clients
from perception.datasets.sources.package_clients import PackageError as PackageError  # callers import it from here

WAKE_SECONDS = 1.0
"""How long a Ctrl-C may go unnoticed while packages are fetched."""

AT_ONCE = 3
"""Packages that are fetched in parallel: a client spends half its time on the network and half on unpacking."""


def package_folder(package: Package, home: Path) -> Path:
    """Folder of an unpacked package."""
    return home / "packages" / package.registry / f"{package.name}-{package.version}"


def environment_folder(app: SiteProgram, manifest: Manifest, home: Path) -> Path:
    """Folder of an app's virtual environment: a different one for every lock and every Python version.

    Raises:
        PackageError: its lock cannot be read.
    """
    digest = hashlib.sha256(_read_lock(app, manifest))
    for part in (sys.implementation.cache_tag, sysconfig.get_platform(), sys.base_prefix):
        digest.update(part.encode())
    return home / "environments" / f"{PurePosixPath(app.folder).name}-{digest.hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One folder that pages need: an unpacked package, or an app's environment.

    Attributes:
        label: description for people.
        folder: its folder when it is complete.
        build: builds it in a work folder and returns its path; not compared.
    """

    label: str
    folder: Path
    build: Callable[[Path, Clients], Path] = field(compare=False, repr=False)


def pieces_of(page: PageSpec, manifest: Manifest, home: Path) -> tuple[PackageFile, ...]:
    """All pieces that a page needs, without duplicates, whether they are fetched or not."""
    pieces = [_package_piece(package, home) for package in manifest.files_of(page)]
    if page.app:
        pieces.append(_environment_piece(manifest.apps[page.app], manifest, home))
    return tuple(pieces)


def absent(pages: Iterable[PageSpec], manifest: Manifest, home: Path) -> dict[PackageFile, tuple[str, ...]]:
    """The pieces that are not fetched yet, each with the ids of the pages that need it; empty if all can be served."""
    wanted: dict[PackageFile, tuple[str, ...]] = {}
    for page in pages:
        for piece in pieces_of(page, manifest, home):
            if not piece.folder.is_dir():
                wanted[piece] = (*wanted.get(piece, ()), page.id)
    return wanted


def fetch(page: PageSpec, manifest: Manifest, home: Path) -> None:
    """Fetches the missing pieces of a page.

    Raises:
        PackageError: a registry's client is missing or fails, or an archive has another sha256.
    """
    for piece in absent([page], manifest, home):
        _make_once(piece, home, Clients())


class FetchStep(StrEnum):
    STARTED = "started"
    DONE = "done"
    FAILED = "failed"


def fetch_all(
    wanted: Iterable[PackageFile],
    home: Path,
    *,
    report: Callable[[PackageFile, FetchStep], None],
    at_once: int = AT_ONCE,
) -> dict[PackageFile, str]:
    """Fetches pieces, some in parallel; a failure does not stop the others.

    Ctrl-C, or an exception of `report`, ends all clients and leaves only complete folders; a later call continues.

    Args:
        report: called for each piece when it is started, from another thread, and when it is done or has failed.

    Returns:
        The reason for each piece that failed; empty if all are fetched.
    """
    clients, failures = Clients(), dict[PackageFile, str]()

    def make(piece: PackageFile) -> None:
        report(piece, FetchStep.STARTED)
        _make_once(piece, home, clients)

    with ThreadPoolExecutor(at_once, thread_name_prefix="fetch") as pool:
        try:
            jobs = {pool.submit(make, piece): piece for piece in wanted}
            for job in _as_completed(jobs):
                piece, error = jobs[job], job.exception()
                if error is not None and not isinstance(error, PackageError):
                    raise error
                if error is not None:
                    failures[piece] = str(error)
                report(piece, FetchStep.DONE if error is None else FetchStep.FAILED)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            clients.end()
            raise
    return failures


def _as_completed(jobs: Iterable[Future[None]]) -> Iterator[Future[None]]:
    """The jobs as they end. Waits in short steps: a Ctrl-C that comes just before a long one would be missed."""
    left = set(jobs)
    while left:
        done, left = wait(left, WAKE_SECONDS, FIRST_COMPLETED)
        yield from done


def verify(archive: Path, package: Package) -> None:
    """Checks an archive's digest. Raises PackageError: it is not the one in the manifest."""
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != package.sha256:
        raise PackageError(
            f"{package.registry} package {package.name} {package.version}: the archive's sha256 is {found}, the "
            f"manifest says {package.sha256}: what came is not what was looked at when it was listed"
        )


def unpack(archive: Path, package: Package, folder: Path, clients: Clients) -> None:
    """Unpacks an archive into a new folder, without npm's own top folder.

    Raises:
        PackageError: it is not an archive of its registry's format, or a member would be outside the folder.
    """
    try:
        match package.registry:
            case PackageRegistry.NPM:
                _unpack_npm(archive, folder)
            case PackageRegistry.PYPI:
                _unpack_wheel(archive, folder)
            case PackageRegistry.DEBIAN:
                clients.run(["dpkg-deb", "--extract", str(archive), str(folder)], archive.parent)
    except (tarfile.TarError, zipfile.BadZipFile) as exc:
        raise PackageError(f"{package.registry} package {package.name}: cannot be unpacked: {exc}") from exc


@contextmanager
def work_folder(home: Path, purpose: str) -> Iterator[Path]:
    """A new folder under the home folder, removed when the context ends.

    Folders of the same purpose that killed processes left behind are removed; the folder of a live process is locked.
    """
    home.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        with host_os.locked_folder(home):  # no other process runs between its creation and its lock
            for left in home.glob(f"{purpose}-*"):
                _remove_unlocked(left)
            made = held.enter_context(tempfile.TemporaryDirectory(prefix=f"{purpose}-", dir=home))
            held.enter_context(host_os.locked_folder(Path(made)))
        yield Path(made)


def _remove_unlocked(folder: Path) -> None:
    """Removes a folder that is there and that no process uses."""
    with suppress(FileNotFoundError, BlockingIOError), host_os.locked_folder(folder, wait=False):
        shutil.rmtree(folder, ignore_errors=True)


def _package_piece(package: Package, home: Path) -> PackageFile:
    def build(work: Path, clients: Clients) -> Path:
        archive = _download(package, work / "archive", clients)
        unpack(archive, package, work / "unpacked", clients)
        return work / "unpacked"

    return PackageFile(f"{package.name} {package.version}", package_folder(package, home), build)


_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")


def _environment_piece(app: SiteProgram, manifest: Manifest, home: Path) -> PackageFile:
    def build(work: Path, clients: Clients) -> Path:
        made, lock = work / "environment", work / "requirements.lock"
        lock.write_bytes(_read_lock(app, manifest))
        clients.run([sys.executable, "-m", "venv", "--without-pip", str(made)], work)
        exactly = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", str(lock))
        clients.run([*_PIP, "--python", str(environment_python(made)), "install", *exactly], work)
        return made

    name = PurePosixPath(app.folder).name
    return PackageFile(f"the Python packages of {name}", environment_folder(app, manifest, home), build)


def environment_python(environment: Path) -> Path:
    """The interpreter of a virtual environment. It still works after the folder is moved; other programs in it do
    not."""
    return environment / "bin" / "python"


def _read_lock(app: SiteProgram, manifest: Manifest) -> bytes:
    try:
        return (manifest.root / app.folder / app.lock).read_bytes()
    except OSError as exc:
        raise PackageError(f"app {app.name}: its lock {app.lock} cannot be read: {exc.strerror}") from exc


def _make_once(piece: PackageFile, home: Path, clients: Clients) -> None:
    """Builds a piece in a work folder, then moves it to its place atomically."""
    if piece.folder.is_dir():
        return
    piece.folder.parent.mkdir(parents=True, exist_ok=True)
    with work_folder(home, "fetching") as work:
        made = piece.build(work, clients)
        try:
            made.rename(piece.folder)
        except OSError:
            if not piece.folder.is_dir():  # otherwise another process was faster, with the same bytes
                raise


_HINTS = {
    PackageRegistry.DEBIAN: " (run `apt-get update`; a mirror keeps only its newest version: "
    "if this one is gone, the manifest must name the new one)",
}
"""Hints for a version that a registry's client does not find, if its own message does not say what to do."""


def _download(package: Package, folder: Path, clients: Clients) -> Path:
    """Downloads the archive of a package into a new folder and verifies it."""
    folder.mkdir()
    exact = {PackageRegistry.NPM: "@", PackageRegistry.PYPI: "==", PackageRegistry.DEBIAN: "="}[package.registry]
    wanted = f"{package.name}{exact}{package.version}"
    commands = {
        PackageRegistry.NPM: ["npm", "pack", "--silent", "--ignore-scripts", wanted],
        PackageRegistry.PYPI: [*_PIP, "download", "--no-deps", "--only-binary", ":all:", wanted],
        PackageRegistry.DEBIAN: ["apt-get", "--quiet=2", "download", wanted],
    }
    clients.run(commands[package.registry], folder, hint=_HINTS.get(package.registry, ""))
    archives = list(folder.iterdir())
    if len(archives) != 1:
        raise PackageError(f"{package.registry} client left {len(archives)} files for {wanted}: one was expected")
    verify(archives[0], package)
    return archives[0]


def _unpack_npm(archive: Path, folder: Path) -> None:
    """Packages of npm hold plain files alone. (Python 3.11.2, Debian 12's, has no filters of `tarfile`.)"""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            inner = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if ".." in inner.parts or inner.is_absolute():
                raise tarfile.TarError(f"{member.name!r} is outside of the package")
            content = tar.extractfile(member) if inner.parts and member.isfile() else None
            if content is not None:
                (folder / inner).parent.mkdir(parents=True, exist_ok=True)
                with (folder / inner).open("wb") as file:
                    shutil.copyfileobj(content, file)


def _unpack_wheel(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        wheel.extractall(folder)
