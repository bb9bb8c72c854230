"""The manifest: pages, and the packages, origins and programs that serve them, from `manifest.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from perception.datasets.sources.page_actions import Action, ActionVerb, parse_actions
from perception.errors import BadInputError

T = TypeVar("T")

MANIFEST = Path(__file__).with_name("manifest.toml")

SMOKE = "smoke"
"""Selects the few pages that cover the most kinds of problems."""

SEED = "1"
"""Default seed of the pages that can be seeded."""


class PackageRegistry(StrEnum):
    NPM = "npm"
    PYPI = "pypi"
    DEBIAN = "debian"


class Mount(StrEnum):
    """Layout of an origin's files: packages side by side, unpacked over each other, or a folder of this project."""

    BESIDE = "beside"
    ROOT = "root"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Package:
    """An exact version of a package in a registry.

    Attributes:
        name: name in the registry.
        registry: the registry.
        version: exact version.
        licence: SPDX expression.
        sha256: digest of the archive, hexadecimal.
    """

    name: str
    registry: PackageRegistry
    version: str
    licence: str
    sha256: str

    def __post_init__(self) -> None:
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise BadInputError(f"package {self.name}: sha256 {self.sha256!r} is not 64 hexadecimal digits")


@dataclass(frozen=True, slots=True)
class Patch:
    """A change to one file of a package when it is served; the fetched file is not changed.

    Attributes:
        package: name of the package.
        file: path in the package.
        find: text that occurs exactly once in the file.
        replace: text in its place.
    """

    package: str
    file: str
    find: str
    replace: str


@dataclass(frozen=True, slots=True)
class SiteOrigin:
    """One loopback server of files.

    Attributes:
        name: name of the origin.
        mount: layout of its files.
        folder: folder of this project, relative to the manifest; "" for none.
        host: loopback host.
        links: path and target of symbolic links.
    """

    name: str
    mount: Mount
    folder: str = ""
    host: str = "127.0.0.1"
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SiteProgram:
    """A program that serves pages. In its texts {python}, {app}, {state}, {port} and {origin:NAME} are filled in.

    Attributes:
        name: name of the app.
        folder: its files, relative to the manifest; apps of one folder share one environment.
        lock: file in that folder with all packages to install and their hashes.
        command: command line of the program.
        ready: path that answers when the program is ready.
        prepare: commands that fill its empty state folder before each start.
        environment: variables of its processes, in addition to those of all apps.
    """

    name: str
    folder: str
    command: tuple[str, ...]
    ready: str
    prepare: tuple[tuple[str, ...], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    lock: str = "requirements.lock"


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One page. Served by an origin or by an app; `path` starts with `/`.

    Attributes:
        package: the package it belongs to; "" for a page of this project.
        needs: further packages whose files must be served.
        wait_ms: milliseconds from load until it is painted.
        actions: actions that then bring it to its state, in order.
        locale: language of the browser; "" for its default.
        ax_poor_reason: why accessibility facts explain little of the visible page; "" if they explain enough.
        random: whether its content differs from load to load, or from day to day.
        seeded: whether its content is random but seeded by its actions: the same seed gives the same content.
        smoke: whether it is one of the few pages that cover the most kinds of problems.
    """

    id: str
    path: str
    category: str
    package: str = ""
    origin: str = ""
    app: str = ""
    needs: tuple[str, ...] = ()
    wait_ms: int = 0
    actions: tuple[Action, ...] = ()
    locale: str = ""
    ax_poor_reason: str = ""
    random: bool = False
    seeded: bool = False
    smoke: bool = False

    def __post_init__(self) -> None:
        if not self.path.startswith("/"):
            raise BadInputError(f"page {self.id}: path {self.path!r} does not start with /")
        if not isinstance(self.wait_ms, int) or self.wait_ms < 0:
            raise BadInputError(f"page {self.id}: wait_ms is {self.wait_ms!r}: milliseconds, 0 or more")
        if bool(self.origin) == bool(self.app):
            raise BadInputError(f"page {self.id}: name its origin or its app, one of them")

    @property
    def family(self) -> str:
        """The part of its id before `--`."""
        return self.id.partition("--")[0]


@dataclass(frozen=True, slots=True)
class Manifest:
    """All entries by name, in the manifest's order. Every reference is valid.

    Attributes:
        root: folder that `folder` of origins and apps is relative to.
    """

    packages: dict[str, Package]
    origins: dict[str, SiteOrigin]
    apps: dict[str, SiteProgram]
    pages: dict[str, PageSpec]
    patches: tuple[Patch, ...] = ()
    root: Path = MANIFEST.parent

    def __post_init__(self) -> None:
        _check_names("a patch", (patch.package for patch in self.patches), self.packages, "package")
        for page in self.pages.values():
            _check_names(f"page {page.id}", (*page.needs, *filter(None, (page.package,))), self.packages, "package")
            _check_names(f"page {page.id}", filter(None, (page.origin,)), self.origins, "origin")
            _check_names(f"page {page.id}", filter(None, (page.app,)), self.apps, "app")

    def packages_of(self, page: PageSpec) -> tuple[Package, ...]:
        """The package of a page and those that it needs, without duplicates. Packages of its app are in the lock."""
        return tuple(self.packages[name] for name in dict.fromkeys(filter(None, (page.package, *page.needs))))

    def files_of(self, page: PageSpec) -> tuple[Package, ...]:
        """The packages whose files origins serve for a page; an app has its packages installed."""
        return tuple(each for each in self.packages_of(page) if not page.app or each.name != page.package)

    def select(self, names: Iterable[str]) -> tuple[PageSpec, ...]:
        """Pages by id, by family (the part before `--`) or by `smoke`, without duplicates; all pages for no names.

        Raises:
            BadInputError: there is no such page or family.
        """
        wanted = tuple(names)
        chosen = [page for name in wanted for page in self._named(name)]
        return tuple(dict.fromkeys(chosen)) if wanted else tuple(self.pages.values())

    def _named(self, name: str) -> tuple[PageSpec, ...]:
        found = tuple(
            page for page in self.pages.values() if name in (page.id, page.family) or (name == SMOKE and page.smoke)
        )
        if not found:
            raise BadInputError(
                f"{name!r} is not a page, a family of pages or `{SMOKE}`: "
                "`perception dataset list --pages` names them all"
            )
        return found


@cache
def load_manifest(path: Path = MANIFEST, *, seed: str = SEED) -> Manifest:
    """Reads a manifest.

    Args:
        path: the TOML file.
        seed: letters and digits; pages that can be seeded have different content for each seed.

    Raises:
        BadInputError: the file is not valid TOML, or an entry has an unknown, missing or invalid part.
    """
    if not seed.isalnum():
        raise BadInputError(f"seed {seed!r}: letters and digits only, as it is put into the pages' own scripts")
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        packages = [Package(**{**row, "registry": PackageRegistry(row["registry"])}) for row in data.get("package", ())]
        origins = [SiteOrigin(**{**_frozen(row), "mount": Mount(row["mount"])}) for row in data.get("origin", ())]
        apps = [SiteProgram(**_frozen(row)) for row in data.get("app", ())]
        patches = tuple(Patch(**row) for row in data.get("patch", ()))
        rows = [*data.get("page", ()), *(row for each in data.get("family", ()) for row in _members(each))]
        pages = [_parse_page(row, seed) for row in rows]
    except (KeyError, TypeError, ValueError) as exc:
        raise BadInputError(f"{path.name}: {exc}") from exc
    return Manifest(
        _by_name("package", ((each.name, each) for each in packages)),
        _by_name("origin", ((each.name, each) for each in origins)),
        _by_name("app", ((each.name, each) for each in apps)),
        _by_name("page", ((each.id, each) for each in pages)),
        patches,
        path.parent,
    )


def _members(family: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The pages of a family as separate entries."""
    shared = {key: value for key, value in family.items() if key not in ("name", "names", "pages")}
    for own in [*({"name": name} for name in family.get("names", ())), *family.get("pages", ())]:
        yield {
            "package": family["name"],
            **shared,
            **{key: value for key, value in own.items() if key != "name"},
            "id": f"{family['name']}--{own['name']}",
            "path": shared["path"].replace("{}", own.get("path", own["name"])),
        }


def _parse_page(row: Mapping[str, Any], seed: str) -> PageSpec:
    actions = parse_actions(row.get("actions", ()))
    filled = tuple(_seeded(action, seed) for action in actions)
    if row.get("seeded", False) != (filled != actions):
        raise BadInputError(f"page {row['id']}: it is `seeded` if, and only if, an eval of it says {{seed}}")
    return PageSpec(**{**_frozen(row), "actions": filled})


def _seeded(action: Action, seed: str) -> Action:
    if action.verb is not ActionVerb.EVAL:
        return action
    return Action(action.verb, str(action.argument).replace("{seed}", seed))


def _frozen(value: Any) -> Any:
    """Lists as tuples, recursively."""
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


def _check_names(who: str, names: Iterable[str], known: Mapping[str, Any], kind: str) -> None:
    for name in names:
        if name not in known:
            raise BadInputError(f"{who} names {kind} {name!r}, which the manifest does not have")
