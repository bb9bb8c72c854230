"""Installs the applications of `manifest.toml` into the home folder, by their registries' own clients.

Rule 1: an application is never a dependency of this package: each has its own folder and its own environment.
Rule 2: an application that cannot be installed is left out with its reason; the others are measured.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from perception.datasets.sources.package_clients import Clients
from perception.datasets.sources.packages import FetchStep, PackageFile, environment_python, fetch_all

ROOT = Path(__file__).resolve().parents[4]
"""The package's top folder: locks are named from it."""


@dataclass(frozen=True, slots=True)
class AppPackages:
    """What an application is installed from.

    Attributes:
        name: the application.
        lock: the bytes of its list of Python packages; empty for none.
        npm, debian: exact packages, `name@version` and `name=version`.
    """

    name: str
    lock: bytes = b""
    npm: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()

    def folder(self, home: Path) -> Path:
        """Where it is installed: another folder for other packages or another Python."""
        digest = hashlib.sha256(self.lock)
        for part in (*self.npm, *self.debian, sys.implementation.cache_tag or "", sys.base_prefix):
            digest.update(part.encode())
        return home / "bench-apps" / f"{self.name}-{digest.hexdigest()[:12]}"


def read_packages() -> dict[str, AppPackages]:
    """The packages of each application, by its name."""
    with Path(__file__).with_name("manifest.toml").open("rb") as file:
        entries = tomllib.load(file)["app"]
    return {
        entry["name"]: AppPackages(
            entry["name"],
            lock=(ROOT / entry["lock"]).read_bytes() if "lock" in entry else b"",
            npm=tuple(entry.get("npm", ())),
            debian=tuple(entry.get("debian", ())),
        )
        for entry in entries
    }


def install(names: Sequence[str], home: Path, say: Callable[[str], None]) -> tuple[dict[str, Path], dict[str, str]]:
    """Installs applications that are not there yet.

    Args:
        say: writes a line for each that is installed now.

    Returns:
        The folder of each application, and the reason of each that could not be installed.
    """
    packages = read_packages()
    return install_packages([packages[name] for name in names], home, say)


def install_packages(
    packages: Sequence[AppPackages], home: Path, say: Callable[[str], None]
) -> tuple[dict[str, Path], dict[str, str]]:
    """As `install`, of packages that no manifest lists."""
    pieces = {each.name: _piece(each, home) for each in packages}
    wanted = [piece for piece in pieces.values() if not piece.folder.is_dir()]

    def report(piece: PackageFile, step: FetchStep) -> None:
        if step is FetchStep.STARTED:
            say(f"installing {piece.label}")

    failed = fetch_all(wanted, home, report=report)
    folders = {name: piece.folder for name, piece in pieces.items() if piece not in failed}
    return folders, {name: failed[piece] for name, piece in pieces.items() if piece in failed}


def _piece(packages: AppPackages, home: Path) -> PackageFile:
    def build(work: Path, clients: Clients) -> Path:
        made = work / "app"
        made.mkdir()
        if packages.lock:
            _install_python(packages.lock, made / "python", work, clients)
        if packages.npm:
            quiet = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")
            clients.run(["npm", "install", *quiet, "--prefix", str(made), *packages.npm], work)
        if packages.debian:
            _unpack_debian(packages.debian, made, work, clients)
        return made

    return PackageFile(packages.name, packages.folder(home), build)


def _install_python(lock: bytes, environment: Path, work: Path, clients: Clients) -> None:
    listed = work / "app.lock"
    listed.write_bytes(lock)
    clients.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], work)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
    target = ("--python", str(environment_python(environment)))
    clients.run([*pip, *target, "install", "--require-hashes", "--no-deps", "--requirement", str(listed)], work)


def _unpack_debian(packages: Sequence[str], folder: Path, work: Path, clients: Clients) -> None:
    archives = work / "archives"
    archives.mkdir()
    hint = " (run `apt-get update`; a mirror keeps only its newest version: the manifest may have to name another)"
    clients.run(["apt-get", "--quiet=2", "download", *packages], archives, hint=hint)
    for archive in sorted(archives.iterdir()):
        clients.run(["dpkg-deb", "--extract", str(archive), str(folder)], work)
