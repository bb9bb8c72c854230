"""Rules of a session for the requests of its pages: block them, answer them, change their headers. Pure.

Rules are tried in order. Changes of headers add up; the first rule that blocks or answers a request decides, and later
ones are not tried. Whether a page may reach a host at all is decided by the session's policy, before and apart from
all rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Block:
    """The request fails."""


@dataclass(frozen=True, slots=True)
class FixedAnswer:
    """The request is answered without being sent."""

    status: int
    headers: tuple[Header, ...] = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class HeaderChange:
    """Headers of the request, and of its response, are set or removed."""

    set_request: tuple[Header, ...] = ()
    remove_request: frozenset[str] = frozenset()
    set_response: tuple[Header, ...] = ()
    remove_response: frozenset[str] = frozenset()

    @property
    def is_of_response(self) -> bool:
        return bool(self.set_response or self.remove_response)

    @property
    def is_of_request(self) -> bool:
        return bool(self.set_request or self.remove_request)


@dataclass(frozen=True, slots=True)
class NetworkRule:
    """One rule.

    Attributes:
        name: for people; may be empty.
        url_pattern: see `fits_pattern`; any URL when empty. Case counts.
        kinds: CDP's ResourceTypes; any when empty.
        methods: in capitals; any when empty.
        action: what becomes of the request.
    """

    name: str
    url_pattern: str
    kinds: frozenset[str]
    methods: frozenset[str]
    action: Block | FixedAnswer | HeaderChange

    @property
    def patterns(self) -> list[dict[str, str]]:
        """What has to be paused for it, as RequestPatterns of CDP, where `?` is a wildcard, and a backslash escapes."""
        escaped = self.url_pattern.replace("\\", "\\\\").replace("?", "\\?")
        glob = escaped if "*" in escaped else f"*{escaped}*"
        stages = []
        if not isinstance(self.action, HeaderChange) or self.action.is_of_request:
            stages.append("Request")
        if isinstance(self.action, HeaderChange) and self.action.is_of_response:
            stages.append("Response")
        kinds: Iterable[dict[str, str]] = [{"resourceType": kind} for kind in sorted(self.kinds)] or [{}]
        return [{"urlPattern": glob, "requestStage": stage, **kind} for stage in stages for kind in kinds]

    def takes(self, url: str, kind: str, method: str) -> bool:
        """Whether a request is meant."""
        return (
            (not self.kinds or kind in self.kinds)
            and (not self.methods or method in self.methods)
            and fits_pattern(url, self.url_pattern)
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a request.

    Attributes:
        rule: that blocks or answers it; None where it is sent.
        number: of that rule, from 1; 0 for none.
        changes: of headers, in order.
    """

    rule: NetworkRule | None
    number: int
    changes: tuple[HeaderChange, ...]

    @property
    def reason(self) -> str:
        """Which rule it was: `rule 2 (ads)`."""
        name = f" ({self.rule.name})" if self.rule is not None and self.rule.name else ""
        return f"rule {self.number}{name}"


def fits_pattern(url: str, pattern: str) -> bool:
    """Whether a URL fits a pattern in which `*` stands for anything, or contains one without `*`."""
    if "*" not in pattern:
        return pattern in url
    return fnmatchcase(url, pattern.replace("[", "[[]").replace("?", "[?]"))


def decide(rules: Sequence[NetworkRule], url: str, kind: str, method: str) -> Decision:
    """What rules make of a request; see the module.

    Args:
        rules: in their order.
        url: of the request.
        kind: CDP's ResourceType.
        method: in capitals.
    """
    changes: list[HeaderChange] = []
    for number, rule in enumerate(rules, 1):
        if not rule.takes(url, kind, method):
            continue
        if not isinstance(rule.action, HeaderChange):
            return Decision(rule, number, tuple(changes))
        changes.append(rule.action)
    return Decision(None, 0, tuple(changes))


def changed_headers(headers: Iterable[Header], set_: Iterable[Header], removed: frozenset[str]) -> list[dict[str, str]]:
    """Headers after a change, as CDP's HeaderEntries. Names are compared in any case.

    Args:
        headers: before.
        set_: that take the place of those of the same name, or are added.
        removed: names in lower case.
    """
    new = list(set_)
    gone = removed | {name.lower() for name, _ in new}
    kept = [(name, value) for name, value in headers if name.lower() not in gone]
    return [{"name": name, "value": value} for name, value in [*kept, *new]]
