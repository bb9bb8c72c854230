"""What became of each selector that was tried, and what the lists cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class SelectorMaker(StrEnum):
    """Who makes a selector."""

    OURS = "ours"
    PLAYWRIGHT = "Playwright"
    PATH = "nth-child path"


class SelectorStage(StrEnum):
    """When it is evaluated."""

    NOW = "at once"
    RELOAD = "after a reload"
    REBUILD = "after a rebuild"
    RECLASSED = "after a rebuild with all classes changed"


class SelectorFinding(StrEnum):
    """The result of a selector."""

    SAME = "the same element"
    OTHER = "another element"
    NONE = "nothing"
    MANY = "several elements"


@dataclass(frozen=True, slots=True)
class SelectorTrial:
    """One evaluation of a selector. `shared`: all makers have one for this element; `reason`, `stability`: of ours."""

    page: str
    element: str
    maker: SelectorMaker
    stage: SelectorStage
    selector: str
    finding: SelectorFinding
    shared: bool
    reason: str = ""
    stability: float = 0.0


@dataclass(frozen=True, slots=True)
class ListedSelector:
    """One selector of a list. `positional`: it counts siblings somewhere (`:nth-…`)."""

    page: str
    length: int
    stability: float
    positional: bool


@dataclass(frozen=True, slots=True)
class ListCost:
    """The cost of one page as a list and as a map.

    Attributes:
        ours_ms, map_ms: medians of the visits, over gRPC and over Playwright.
        again_ms: ours, for a page that has not changed since.
        json_bytes, text_bytes, map_bytes, html_bytes: of the list as JSON and as text, the map, the page's markup.
        json_tokens, text_tokens, map_tokens: o200k_base.
    """

    page: str
    count: int
    elements: int
    ours_ms: float
    again_ms: float
    map_ms: float
    json_bytes: int
    text_bytes: int
    map_bytes: int
    html_bytes: int
    json_tokens: int
    text_tokens: int
    map_tokens: int


@dataclass(frozen=True, slots=True)
class SelectorsRun:
    """A run. `unnamed`: elements without a selector, by page; `changed`: those that the page changed at its reload;
    `listed`: every selector of the lists."""

    pages: tuple[str, ...]
    sightings: tuple[SelectorTrial, ...]
    costs: tuple[ListCost, ...]
    unnamed: Mapping[str, int]
    changed: int
    failed: Mapping[str, str]
    browser: str
    listed: tuple[ListedSelector, ...] = ()
