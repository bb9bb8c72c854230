"""What the recordings say of elements, addresses and signs that a script names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perception.errors import SubroutineBrokenError
from perception.subroutines.context_text import describe_target
from perception.subroutines.path_patterns import url_fits
from perception.subroutines.phrases import is_complaint, is_telling, phrase_pattern
from perception.subroutines.recording import Recording, Target
from perception.subroutines.replay import target_of

_NO_TARGET = (SubroutineBrokenError, TypeError, ValueError)
"""What a value that names no element leads to."""

_FACTS = ("role", "name", "text", "placeholder", "selector", "frame", "owner", "href")


@dataclass(frozen=True, slots=True)
class RecordedFacts:
    """The recordings of a subroutine.

    Attributes:
        recordings: one or two of the same task.
        arguments: the arguments of each, by the names of the script.
    """

    recordings: Sequence[Recording]
    arguments: Sequence[Mapping[str, Any]]

    def target_problem(self, recorded: Any, given: Any) -> str:
        """What is wrong with an element that a call names in place of the recorded one; "" for nothing. It may have
        more facts, if all recordings have them."""
        ours, theirs = (each.get("find") if isinstance(each, dict) else None for each in (recorded, given))
        if not isinstance(ours, dict) or not isinstance(theirs, dict):
            return f"names no element: give it {_find_text(ours)}"
        for key, value in ours.items():
            if key not in theirs:
                return f"has lost `{key}` of {_find_text(ours)}: another element could be taken for it"
            if theirs[key] != value:
                return f"has {key} {_short(theirs[key])}, and has to have {_short(value)}"
        added = {key: value for key, value in theirs.items() if key not in ours}
        wrong = next((key for key, value in added.items() if not self._is_fact(ours, key, value)), "")
        return (
            f"has {wrong} {_short(added[wrong])}, which {_find_text(ours)} did not have in the recording"
            if wrong
            else ""
        )

    def has_element(self, given: Any) -> bool:
        """Whether an element that is only looked for was acted on, or appeared, in the first recording."""
        try:
            wanted = target_of(given)
        except _NO_TARGET:
            return False
        if wanted.patterns:
            return False
        first = self.recordings[0]
        shown = {(each.role, each.name) for each in first.appeared} | {(each.role, each.name) for each in first.shown}
        if wanted.name and (wanted.role, wanted.name) in shown:
            return True
        return any(_is_same(wanted, each) for event in first.events for each in (event.target, event.to))

    def has_address(self, pattern: str) -> bool:
        """Whether the first recording was at an address that fits a pattern."""
        first = self.recordings[0]
        urls = [first.start_url, first.end_url, *first.visited, *(event.url for event in first.events)]
        return any(url and url_fits(pattern, url) for url in urls)

    def has_sign(self, kind: str, sign: Any) -> bool:
        """Whether a sign of success, `appears` or `gone`, was seen in every recording."""
        if not isinstance(sign, dict) or not isinstance(sign.get("name"), str) or sign.keys() - {"role", "name"}:
            return False
        name, role = sign["name"], sign.get("role", "")
        if not is_telling(name) or is_complaint(name):
            return False
        for recording, arguments in zip(self.recordings, self.arguments, strict=True):
            pattern = phrase_pattern(name, arguments)
            came, went = ([(each.role, each.name) for each in looks] for looks in (recording.appeared, recording.gone))
            seen, other = (came, went) if kind == "appears" else (went, came)
            fits = [each for each in seen if each not in other and (not role or each[0] == role)]
            if pattern is None or not any(pattern.fullmatch(text) for _, text in fits):
                return False
        return True

    def _is_fact(self, ours: Mapping[str, Any], key: str, value: Any) -> bool:
        """Whether what a script adds to an element was so in every recording, wherever the element occurs."""
        if key not in _FACTS:
            return False
        known = {name: text for name, text in ours.items() if name in ("role", "selector", "frame", "owner")}
        named = [name for name in ("name", "text", "placeholder") if name in ours]
        for recording, arguments in zip(self.recordings, self.arguments, strict=True):
            targets = [each for event in recording.events for each in (event.target, event.to)]
            alike = [
                each
                for each in targets
                if all(getattr(each, name) == text for name, text in known.items())
                and all(_may_be(getattr(each, name), ours[name], arguments) for name in named)
            ]
            if not alike or any(getattr(each, key) != value for each in alike):
                return False
        return True


def _may_be(text: str, wanted: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether a recorded text is the one wanted, or the value of a parameter, which differs between runs."""
    return text == wanted or any(str(each) and str(each) in text for each in arguments.values())


def _is_same(wanted: Target, recorded: Target) -> bool:
    facts = [(getattr(wanted, key), getattr(recorded, key)) for key in _FACTS]
    return bool(recorded.role or recorded.selector) and all(ours in ("", theirs) for ours, theirs in facts)


def _find_text(find: Any) -> str:
    try:
        return describe_target(target_of({"find": find}))
    except _NO_TARGET:
        return "find({ role, name, … })"


def _short(value: Any) -> str:
    return repr(value)[:120]
