"""What a page's things to reach are, which ref leads to each, and what is counted.

Rule 1: why nothing leads to a thing is decided by facts of the page, or by doing it; never by the name of a page.
Rule 2: a thing that nobody can act on (hidden, covered, without area), that does nothing when a real mouse acts on it,
or that is the page itself, is explained: it does not count against the share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

from perception.bench.scores import Score, Tally


class RouteKind(StrEnum):
    """How a ref leads to a thing."""

    OWN = "own"
    LABEL = "label"
    """It is in the label of a control that has a ref, or that label has it."""
    LIST = "list"
    """It is an option, which is chosen by its list's ref."""
    AROUND = "around"
    """It lies where an element around it, which has a ref, is acted upon."""
    INSIDE = "inside"
    """What it holds has a ref: there its own middle is, or it only hears what bubbles up."""
    NONE = ""


class Finding(StrEnum):
    """The result of acting on a thing both ways; on a missed one, by a real mouse alone."""

    UNTRIED = ""
    SAME = "same effect"
    OTHER = "another effect"
    REFUSED = "refused"
    """Ours refused to act on the ref."""
    NOTHING = "nothing changes"
    ACTS = "it acts"
    CHANGED = "the page is another one each time"


ACTS_ANYWAY = "not tried"
"""The reason of a missed thing that was not acted upon: it counts as missed."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An element that can be acted upon.

    Attributes:
        path: positions among the element children, from the document.
        kinds: listeners, `focus`, `pointer` (its cursor), `hover rule`, `peer` (Playwright has a ref for it).
        route: how a ref leads to it.
        ref: that ref; empty for none.
        reason: why nobody can act on it; empty if one can.
        finding: the result of doing it.
        detail: what differed, or the service's message.
    """

    path: str
    tag: str
    role: str
    name: str
    kinds: tuple[str, ...]
    route: RouteKind
    ref: str = ""
    reason: str = ""
    finding: Finding = Finding.UNTRIED
    detail: str = ""

    @property
    def is_reached(self) -> bool:
        return self.route is not RouteKind.NONE

    @property
    def is_explained(self) -> bool:
        """Without a ref, rightly so."""
        return not self.is_reached and (bool(self.reason) or self.finding is Finding.NOTHING)

    @property
    def is_missed(self) -> bool:
        return not self.is_reached and not self.is_explained

    @property
    def why(self) -> str:
        """Why nothing leads to it."""
        if self.is_reached:
            return ""
        return self.reason or (self.finding.value if self.finding else ACTS_ANYWAY)

    @property
    def shown_as(self) -> str:
        role = f" role={self.role}" if self.role else ""
        return f'<{self.tag}{role}> "{self.name}" ({", ".join(self.kinds)})'


@dataclass(frozen=True, slots=True)
class PageReach:
    """A page's things. `still`: elements that have a ref in Playwright's snapshot and nothing to act upon."""

    page: str
    things: tuple[Thing, ...]
    still: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReachRun:
    """A run. `failed`: why pages could not be read, by page."""

    pages: tuple[PageReach, ...]
    failed: Mapping[str, str]
    browser: str

    @property
    def visited(self) -> tuple[str, ...]:
        return tuple(each.page for each in self.pages)


@dataclass(frozen=True, slots=True)
class ReachCounts:
    """Counts of things.

    Attributes:
        explained: without a ref, rightly so; not in `of`.
        tried: reached things that were acted upon both ways, on pages that are the same each time.
        same: those of them that had the same effect.
    """

    pages: int
    own: int
    through: int
    missed: int
    explained: int
    tried: int
    same: int

    @property
    def of(self) -> int:
        return self.own + self.through + self.missed

    @property
    def share(self) -> float:
        """Of the things that can be reached; 1 for none."""
        return (self.own + self.through) / self.of if self.of else 1.0


JUDGED = (Finding.SAME, Finding.OTHER, Finding.REFUSED)


def count_reach(pages: Sequence[PageReach]) -> ReachCounts:
    """The counts of some pages together."""
    things = [each for page in pages for each in page.things]
    own = sum(each.route is RouteKind.OWN for each in things)
    judged = [each for each in things if each.is_reached and each.finding in JUDGED]
    return ReachCounts(
        len(pages),
        own,
        sum(each.is_reached for each in things) - own,
        sum(each.is_missed for each in things),
        sum(each.is_explained for each in things),
        len(judged),
        sum(each.finding is Finding.SAME for each in judged),
    )


class OfPage(Protocol):
    """What is of one page. `page`: its id."""

    @property
    def page(self) -> str: ...


OfPageT = TypeVar("OfPageT", bound=OfPage)


def by_package(pages: Sequence[OfPageT], total: str = "") -> dict[str, list[OfPageT]]:
    """Pages by the part of their name before `--`: the package or library. `total`: the name of all of them, which are
    added where there are several packages."""
    found: dict[str, list[OfPageT]] = {}
    for page in pages:
        found.setdefault(package_of(page.page), []).append(page)
    if total and len(found) > 1:
        found[total] = list(pages)
    return found


def package_of(page: str) -> str:
    """`widgets--antd--0003` is of `antd`, `bootstrap--navbar` of `bootstrap`."""
    first, _, rest = page.partition("--")
    return rest.partition("--")[0] if first == "widgets" else first


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action changed.

    Attributes:
        url: the address afterwards.
        opened: how many pages it opened.
        focus: path of the focused element.
        heard: kinds of real events that the thing heard.
        changed: what changed outside of styles, as path and attribute or kind of change.
        left: the document was replaced, so that nothing else is known.
    """

    url: str
    opened: int
    focus: str
    heard: tuple[str, ...]
    changed: tuple[str, ...]
    left: bool = False


ALIKE_CHANGES = 0.7
"""Least share of changes that two effects have in common: ids, times and random contents differ from copy to copy."""


def differences(ours: Effect, theirs: Effect, act: str) -> tuple[str, ...]:
    """What differs between two effects, in words; empty if they are the same.

    Args:
        act: the event that the action is for: `click`.
    """
    if (ours.url, ours.opened, ours.left) != (theirs.url, theirs.opened, theirs.left):
        return (f"ours ends at {ours.url} ({ours.opened} opened), the mouse at {theirs.url} ({theirs.opened} opened)",)
    if ours.left:
        return ()
    found = []
    if (act in ours.heard) != (act in theirs.heard):
        found.append(f"{act} heard by {'the mouse' if act in theirs.heard else 'ours'} only")
    if ours.focus != theirs.focus:
        found.append(f"focus at {ours.focus or 'none'}, by the mouse at {theirs.focus or 'none'}")
    one, other = set(ours.changed), set(theirs.changed)
    if one != other and len(one & other) < ALIKE_CHANGES * len(one | other):
        more, less = sorted(one - other), sorted(other - one)
        found.append(f"changed by ours only {more[:2]}, by the mouse only {less[:2]}")
    return tuple(found)


def is_empty(effect: Effect, url: str) -> bool:
    """Whether an action did nothing that can be seen. `url`: the address before."""
    return not (effect.left or effect.opened or effect.changed or effect.focus) and effect.url == url


def page_scores(run: ReachRun) -> list[Score]:
    """By page: how many of the things have a ref, and how many that were tried had the same effect."""
    scores = []
    for page in run.pages:
        count = count_reach([page])
        tallies = {"reached": Tally(count.own + count.through, count.of)} if count.of else {}
        if count.tried:
            tallies["same effect"] = Tally(count.same, count.tried)
        scores.append(Score(page.page, "ours", page.page, "", "", tallies))
    return scores
