"""The list of pages, and of the packages, origins and programs that serve them, as `manifest.toml` has it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from perception.datasets.actions import Action, ActionVerb, parse_actions
from perception.errors import BadInputError

T = TypeVar("T")

MANIFEST = Path(__file__).with_name("manifest.toml")

SMOKE = "smoke"
"""Selects the few pages that show the most kinds of trouble."""

SEED = "1"
"""What seeds the pages that can be seeded, unless another is asked for."""


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
class Patch:
    """A change to one file of a package, where it is served: what is fetched stays as it came.

    Attributes:
        file: its path in the package.
        find: text that it has exactly once.
        replace: what is served in its place.
    """

    package: str
    file: str
    find: str
    replace: str


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
    """A program that serves pages. In its texts {python}, {app}, {state}, {port} and {origin:NAME} are filled in.

    Attributes:
        folder: its files, relative to the manifest; apps of one folder share one environment.
        lock: file of that folder which names every package that is installed for it, with its hashes.
        command: the program.
        ready: path that answers once it serves.
        prepare: commands that fill its empty state folder before each start.
        environment: variables that its processes see, next to the few that all apps see.
    """

    name: str
    folder: str
    command: tuple[str, ...]
    ready: str
    prepare: tuple[tuple[str, ...], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    lock: str = "requirements.lock"


@dataclass(frozen=True, slots=True)
class Page:
    """One page. Served by an origin or by an app; `path` starts with `/`.

    Attributes:
        package: the package it is from; empty for a page of our own.
        needs: further packages whose files must be served.
        wait_ms: what it takes after loading until it is drawn.
        actions: what then brings it to its state, in this order.
        locale: language the browser asks for; empty for the browser's own.
        ax_poor_reason: why accessibility facts explain little of what a person sees; empty where they explain enough.
        random: its content differs from load to load, or from day to day.
        seeded: its content is random, but its actions seed it: the same seed gives the same content.
        smoke: one of the few that show the most kinds of trouble.
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
        """What comes before `--` in its id."""
        return self.id.partition("--")[0]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything by its name, in the manifest's order. Every name that is used is there.

    Attributes:
        root: folder that `folder` of origins and apps is relative to.
    """

    packages: dict[str, Package]
    origins: dict[str, Origin]
    apps: dict[str, App]
    pages: dict[str, Page]
    patches: tuple[Patch, ...] = ()
    root: Path = MANIFEST.parent

    def __post_init__(self) -> None:
        _check_names("a patch", (patch.package for patch in self.patches), self.packages, "package")
        for page in self.pages.values():
            _check_names(f"page {page.id}", (*page.needs, *filter(None, (page.package,))), self.packages, "package")
            _check_names(f"page {page.id}", filter(None, (page.origin,)), self.origins, "origin")
            _check_names(f"page {page.id}", filter(None, (page.app,)), self.apps, "app")

    def packages_of(self, page: Page) -> tuple[Package, ...]:
        """The package that a page is from, and those that it needs, each once. What its app installs is in its lock."""
        return tuple(self.packages[name] for name in dict.fromkeys(filter(None, (page.package, *page.needs))))

    def files_of(self, page: Page) -> tuple[Package, ...]:
        """The packages whose files origins serve for a page: an app has its own installed."""
        return tuple(each for each in self.packages_of(page) if not page.app or each.name != page.package)

    def select(self, names: Iterable[str]) -> tuple[Page, ...]:
        """Pages by id, by family (what comes before `--`) or by `smoke`; all for none; each once.

        Raises:
            BadInputError: there is no such page or family.
        """
        wanted = tuple(names)
        chosen = [page for name in wanted for page in self._named(name)]
        return tuple(dict.fromkeys(chosen)) if wanted else tuple(self.pages.values())

    def _named(self, name: str) -> tuple[Page, ...]:
        found = tuple(
            page for page in self.pages.values() if name in (page.id, page.family) or (name == SMOKE and page.smoke)
        )
        if not found:
            raise BadInputError(
                f"{name!r} is no page, no family of pages and not `{SMOKE}`: "
                "`python -m perception.datasets list` names them all"
            )
        return found


@cache
def load_manifest(path: Path = MANIFEST, *, seed: str = SEED) -> Manifest:
    """Reads a manifest.

    Args:
        seed: letters and digits; another seed gives the pages that can be seeded other content.

    Raises:
        BadInputError: it is no TOML, an entry has a part that there is not or lacks one, or names what is not there.
    """
    if not seed.isalnum():
        raise BadInputError(f"seed {seed!r}: letters and digits only, as it is put into the pages' own scripts")
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        packages = [Package(**{**row, "registry": Registry(row["registry"])}) for row in data.get("package", ())]
        origins = [Origin(**{**_frozen(row), "mount": Mount(row["mount"])}) for row in data.get("origin", ())]
        apps = [App(**_frozen(row)) for row in data.get("app", ())]
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
    """The pages of a family, each as if it had been written out."""
    shared = {key: value for key, value in family.items() if key not in ("name", "names", "pages")}
    for own in [*({"name": name} for name in family.get("names", ())), *family.get("pages", ())]:
        yield {
            "package": family["name"],
            **shared,
            **{key: value for key, value in own.items() if key != "name"},
            "id": f"{family['name']}--{own['name']}",
            "path": shared["path"].replace("{}", own.get("path", own["name"])),
        }


def _parse_page(row: Mapping[str, Any], seed: str) -> Page:
    actions = parse_actions(row.get("actions", ()))
    filled = tuple(_seeded(action, seed) for action in actions)
    if row.get("seeded", False) != (filled != actions):
        raise BadInputError(f"page {row['id']}: it is `seeded` if, and only if, an eval of it says {{seed}}")
    return Page(**{**_frozen(row), "actions": filled})


def _seeded(action: Action, seed: str) -> Action:
    if action.verb is not ActionVerb.EVAL:
        return action
    return Action(action.verb, str(action.argument).replace("{seed}", seed))


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


def _check_names(who: str, names: Iterable[str], known: Mapping[str, Any], kind: str) -> None:
    for name in names:
        if name not in known:
            raise BadInputError(f"{who} names {kind} {name!r}, which the manifest does not have")
