"""The list of pages, and of the packages, origins and programs that serve them, as `manifest.toml` has it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from perception.errors import BadInputError

T = TypeVar("T")

MANIFEST = Path(__file__).with_name("manifest.toml")


class Registry(StrEnum):
    NPM = "npm"
    PYPI = "pypi"
    DEBIAN = "debian"


class Mount(StrEnum):
    """How an origin's files lie: packages side by side, unpacked over each other, or a folder of our own."""

    BESIDE = "beside"
    ROOT = "root"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Package:
    """An exact version of something a registry serves. `sha256` is the archive's, in hexadecimal."""

    name: str
    registry: Registry
    version: str
    licence: str
    sha256: str

    def __post_init__(self) -> None:
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise BadInputError(f"package {self.name}: sha256 {self.sha256!r} is not 64 hexadecimal digits")


@dataclass(frozen=True, slots=True)
class Origin:
    """One loopback server of files. `folder` is relative to the manifest; `links` are (path, what it points at)."""

    name: str
    mount: Mount
    folder: str = ""
    host: str = "127.0.0.1"
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """A program that serves pages. In its commands {python}, {app}, {state} and {port} are filled in.

    Attributes:
        folder: its files, relative to the manifest.
        packages: what is installed for it, by name.
        prepare: commands that fill its empty state folder before each start.
        command: the program.
        ready: path that answers once it serves.
    """

    name: str
    folder: str
    packages: tuple[str, ...]
    prepare: tuple[tuple[str, ...], ...]
    command: tuple[str, ...]
    ready: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page. Served by an origin or by an app; `path` starts with `/`.

    Attributes:
        package: the package it is from; empty for a page of our own.
        needs: further packages that must be there.
        wait_ms: what it takes after loading until it is drawn.
        locale: language the browser asks for; empty for the browser's own.
        ax_poor: accessibility facts explain little of what a person sees.
        random: its content differs from load to load.
    """

    id: str
    path: str
    category: str
    package: str = ""
    origin: str = ""
    app: str = ""
    needs: tuple[str, ...] = ()
    wait_ms: int = 0
    locale: str = ""
    ax_poor: bool = False
    random: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything by its name, in the manifest's order. Every name that is used is there."""

    packages: dict[str, Package]
    origins: dict[str, Origin]
    apps: dict[str, App]
    pages: dict[str, Page]

    def __post_init__(self) -> None:
        for app in self.apps.values():
            _check_names(f"app {app.name}", app.packages, self.packages, "package")
        for page in self.pages.values():
            _check_names(f"page {page.id}", (*page.needs, *filter(None, (page.package,))), self.packages, "package")
            if bool(page.origin) == bool(page.app):
                raise BadInputError(f"page {page.id}: name its origin or its app, one of them")
            _check_names(f"page {page.id}", filter(None, (page.origin,)), self.origins, "origin")
            _check_names(f"page {page.id}", filter(None, (page.app,)), self.apps, "app")

    def needs(self, page: Page) -> tuple[Package, ...]:
        """Every package that a page needs, each once."""
        names = (page.package, *page.needs, *(self.apps[page.app].packages if page.app else ()))
        return tuple(self.packages[name] for name in dict.fromkeys(filter(None, names)))

    def select(self, ids: Iterable[str]) -> tuple[Page, ...]:
        """Pages by id, all for none. Raises BadInputError for an unknown one."""
        wanted = tuple(ids)
        _check_names("the selection", wanted, self.pages, "page")
        return tuple(self.pages[page_id] for page_id in wanted or self.pages)


@cache
def load_manifest(path: Path = MANIFEST) -> Manifest:
    """Reads a manifest.

    Raises:
        BadInputError: it is no TOML, an entry has a part that there is not or lacks one, or names what is not there.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        packages = [Package(**{**row, "registry": Registry(row["registry"])}) for row in data.get("package", ())]
        origins = [Origin(**{**_frozen(row), "mount": Mount(row["mount"])}) for row in data.get("origin", ())]
        apps = [App(**_frozen(row)) for row in data.get("app", ())]
        pages = [Page(**_frozen(row)) for row in data.get("page", ())]
    except (KeyError, TypeError, ValueError) as exc:
        raise BadInputError(f"{path.name}: {exc}") from exc
    return Manifest(
        _by_name("package", ((each.name, each) for each in packages)),
        _by_name("origin", ((each.name, each) for each in origins)),
        _by_name("app", ((each.name, each) for each in apps)),
        _by_name("page", ((each.id, each) for each in pages)),
    )


def _frozen(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _by_name(kind: str, entries: Iterable[tuple[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, entry in entries:
        if name in found:
            raise BadInputError(f"the manifest has {kind} {name} twice")
        found[name] = entry
    return found


def _check_names(who: str, names: Iterable[str], known: dict[str, Any], kind: str) -> None:
    for name in names:
        if name not in known:
            raise BadInputError(f"{who} names {kind} {name!r}, which the manifest does not have")
