"""Fetches packages by their registry's own client, checks what came, and unpacks it.

Rule 1: an archive whose sha256 is not the manifest's is not unpacked.
Rule 2: a folder has its final name only once it is complete, so that what is there can be used as it is.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from perception.datasets.manifest import App, Manifest, Package, Page, Registry
from perception.errors import PerceptionError

CLIENT_SECONDS = 600.0
"""The largest archive of the manifest is 35 MB: ten minutes is half a megabit a second."""


class PackageError(PerceptionError):
    """A package that cannot be had, or is not what the manifest says."""

    reason = "PACKAGE_UNAVAILABLE"


def home_folder() -> Path:
    """Where packages are kept: `$PERCEPTION_HOME`, else `perception` in the user's cache folder."""
    if home := os.environ.get("PERCEPTION_HOME"):
        return Path(home).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "perception"


def package_folder(package: Package, home: Path) -> Path:
    """Where a package lies once it is unpacked."""
    return home / "packages" / package.registry / f"{package.name}-{package.version}"


def environment_folder(app: App, manifest: Manifest, home: Path) -> Path:
    """Where an app's packages are installed: another folder for every set of archives."""
    archives = "".join(manifest.packages[name].sha256 for name in app.packages)
    return home / "environments" / f"{app.name}-{hashlib.sha256(archives.encode()).hexdigest()[:12]}"


def missing(page: Page, manifest: Manifest, home: Path) -> tuple[str, ...]:
    """What of a page has not been fetched yet, in words; empty when it can be served."""
    installed = set(manifest.apps[page.app].packages) if page.app else set()
    folders = {
        f"{package.name} {package.version}": package_folder(package, home)
        for package in manifest.needs(page)
        if package.name not in installed
    }
    if page.app:
        folders[f"the packages of app {page.app}"] = environment_folder(manifest.apps[page.app], manifest, home)
    return tuple(what for what, folder in folders.items() if not folder.is_dir())


def fetch(page: Page, manifest: Manifest, home: Path) -> None:
    """Fetches what a page needs and is not there yet.

    Raises:
        PackageError: a registry's client is missing or fails, or an archive has another sha256.
    """
    app = manifest.apps[page.app] if page.app else None
    for package in manifest.needs(page):
        if app is None or package.name not in app.packages:
            _fetch_package(package, home)
    if app is not None:
        _install_environment(app, manifest, home)


def verify(archive: Path, package: Package) -> None:
    """Raises PackageError unless the archive is the one that the manifest names."""
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != package.sha256:
        raise PackageError(
            f"{package.registry} package {package.name} {package.version}: the archive's sha256 is {found}, the "
            f"manifest says {package.sha256}: what came is not what was looked at when it was listed"
        )


def unpack(archive: Path, package: Package, folder: Path) -> None:
    """Unpacks an archive into a new folder; npm's own top folder is left out.

    Raises:
        PackageError: it is no archive of its registry's kind, or a member would lie outside the folder.
    """
    try:
        _UNPACKERS[package.registry](archive, folder)
    except (tarfile.TarError, zipfile.BadZipFile) as exc:
        raise PackageError(f"{package.registry} package {package.name}: cannot be unpacked: {exc}") from exc


def _fetch_package(package: Package, home: Path) -> None:
    def build(work: Path) -> Path:
        archive = _download(package, work / "archive")
        unpack(archive, package, work / "unpacked")
        return work / "unpacked"

    _make_once(package_folder(package, home), home, build)


def _install_environment(app: App, manifest: Manifest, home: Path) -> None:
    def build(work: Path) -> Path:
        packages = [manifest.packages[name] for name in app.packages]
        archives = [_download(package, work / package.name) for package in packages]
        target = work / "environment"
        _run([*_PIP, "install", "--no-deps", "--no-index", "--target", str(target), *map(str, archives)], work)
        return target

    _make_once(environment_folder(app, manifest, home), home, build)


def _make_once(folder: Path, home: Path, build: Callable[[Path], Path]) -> None:
    """Lets `build` make a folder in a work folder beside, then moves it to its place in one step."""
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetching-", dir=home) as work:
        made = build(Path(work))
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # if it is: another process was faster, with the same bytes
                raise


_HINTS = {
    Registry.DEBIAN: " (run `apt-get update`; a mirror keeps only its newest version: "
    "if this one is gone, the manifest must name the new one)",
}
"""What to do when a registry's client finds no such version, where its own words do not say so."""

_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def _download(package: Package, folder: Path) -> Path:
    """The archive of a package, verified, alone in a new folder."""
    folder.mkdir()
    exact = {Registry.NPM: "@", Registry.PYPI: "==", Registry.DEBIAN: "="}[package.registry]
    wanted = f"{package.name}{exact}{package.version}"
    commands = {
        Registry.NPM: ["npm", "pack", "--silent", "--ignore-scripts", wanted],
        Registry.PYPI: [*_PIP, "download", "--no-deps", "--only-binary", ":all:", wanted],
        Registry.DEBIAN: ["apt-get", "--quiet=2", "download", wanted],
    }
    _run(commands[package.registry], folder, hint=_HINTS.get(package.registry, ""))
    archives = list(folder.iterdir())
    if len(archives) != 1:
        raise PackageError(f"{package.registry} client left {len(archives)} files for {wanted}: one was expected")
    verify(archives[0], package)
    return archives[0]


def _run(command: Sequence[str], folder: Path, *, hint: str = "") -> None:
    """Runs a registry's client in a folder. Raises PackageError with its last words, and the hint after them."""
    if shutil.which(command[0]) is None:
        raise PackageError(
            f"there is no `{command[0]}` on this machine: install it, or leave out the pages that need it"
        )
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=CLIENT_SECONDS)
    except subprocess.TimeoutExpired as exc:
        raise PackageError(f"`{' '.join(command)}` did not end within {CLIENT_SECONDS:.0f} s") from exc
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip()[-500:]
        raise PackageError(f"`{' '.join(command)}` failed ({done.returncode}): {words or 'it said nothing'}{hint}")


def _unpack_npm(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        for member in tar:
            inner = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if inner.parts:
                tar.extract(member.replace(name=str(inner), deep=False), folder, filter="data")


def _unpack_wheel(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        wheel.extractall(folder)


def _unpack_debian(archive: Path, folder: Path) -> None:
    _run(["dpkg-deb", "--extract", str(archive), str(folder)], archive.parent)


_UNPACKERS = {Registry.NPM: _unpack_npm, Registry.PYPI: _unpack_wheel, Registry.DEBIAN: _unpack_debian}
