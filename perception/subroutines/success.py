"""The success condition of a subroutine: what shows that its task was done, learned from the recordings.

Rule 1: what changes by itself is not a condition: numbers and times are wildcards, entered values are parameters, and
of two recordings only what they have in common counts.
Rule 2: better evidence replaces weaker evidence: where a message or a row with an entered value appeared, a heading of
the next page confirms nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from perception.subroutines.answer_shape import CONFIRMING, AnswerShape, common_shape, describe_shape
from perception.subroutines.hosts import is_first_party
from perception.subroutines.looks import CONTENT_ROLES, FIELDS, MESSAGES, Seen
from perception.subroutines.masking import is_masked
from perception.subroutines.parameter import Parameter
from perception.subroutines.path_patterns import objects_of, path_pattern
from perception.subroutines.phrases import (
    common_phrase,
    has_parameter,
    is_complaint,
    is_telling,
    phrase_of,
    row_phrase,
)
from perception.subroutines.ranking import MUTATING
from perception.subroutines.recording import RecordedRequest, Recording
from perception.subroutines.result_rows import describe_place

MAX_SIGNS = 5
"""Signs of one kind in a condition: one of them has to be seen. Chosen by hand."""

STRONG, CHANGED, NEW, OTHER_PAGE = 3, 2, 1, 0
"""How good a sign is: it has an entered value or is a message; a state changed; it is new on the page; it belongs to
the next page."""


@dataclass(frozen=True, slots=True)
class Sign:
    """An element that appears or disappears.

    Attributes:
        role: its role.
        name: phrase of its name.
        state: a state that it has, or `not` and one that it has not; "" for any.
    """

    role: str
    name: str
    state: str = ""

    @property
    def script(self) -> dict[str, str]:
        return {"role": self.role, "name": self.name} | ({"state": self.state} if self.state else {})

    def __str__(self) -> str:
        return f'{self.role} "{self.name}"' + (f" is {self.state}" if self.state else "")


@dataclass(frozen=True, slots=True)
class SuccessCondition:
    """What confirms a run. Of `appears`, `gone` and `kept` one sign is enough.

    Attributes:
        url: path of the final address, with `*` for variable segments and the query that holds entered values; "" where
            it is that of the form.
        appears: elements that the page shows more often than before.
        gone: elements that it shows less often.
        kept: role, name and phrase of fields that hold what was entered when the page is loaded again.
        answer: the shape of the answer's JSON.
        status: the answer's status, where that confirms it; 0 where it does not.
        entered: nothing but the fields themselves changes: they hold what was entered.
        filled: the form is shown again with what was entered, also when it was accepted.
        results: what shows the rows that a search found, in words; "" for none.
        page_status: status of the last page, where it is an error; otherwise 0.
        lacks: why nothing confirms it, in words; "" where something does, or no reason is known.
    """

    url: str = ""
    appears: tuple[Sign, ...] = ()
    gone: tuple[Sign, ...] = ()
    kept: tuple[tuple[str, str, str], ...] = ()
    answer: AnswerShape = field(default_factory=AnswerShape)
    status: int = 0
    entered: bool = False
    filled: bool = False
    page_status: int = 0
    results: str = ""
    lacks: str = ""

    @property
    def script(self) -> dict[str, Any]:
        """The signs on the page, as the script has them."""
        parts: dict[str, Any] = {
            "url": self.url if "?" in self.url else "",
            "appears": [each.script for each in self.appears],
            "gone": [each.script for each in self.gone],
            "kept": [{"role": role, "name": name, "value": value} for role, name, value in self.kept],
            "entered": self.entered,
            "filled": self.filled,
            "pageStatus": self.page_status,
        }
        return {key: value for key, value in parts.items() if value}

    @property
    def is_empty(self) -> bool:
        """Whether nothing confirms it."""
        return not self.words

    @property
    def is_answered(self) -> bool:
        """Whether the answer to the request confirms it."""
        return bool(self.answer) or bool(self.status)

    @property
    def words(self) -> tuple[str, ...]:
        """The condition in words, one line for each part; empty where none could be learned."""
        said = [f"the address is {self.url}"] if self.url else []
        said += [describe_shape(self.answer)] if self.answer else []
        said += [f"the answer's status is {self.status}"] if self.status else []
        signs = [
            *(str(each) if each.state else f"{each} appears" for each in self.appears),
            *(f"{each} is gone" for each in self.gone),
            *(f'{role} "{name}" holds {value} when the page is loaded again' for role, name, value in self.kept),
        ]
        said += [" or ".join(signs)] if signs else []
        said += [f"the page shows {self.results}"] if self.results else []
        return (*said, *(["the fields hold what was entered"] if self.entered else []))


def learn_condition(
    recordings: Sequence[Recording], parameters: Sequence[Parameter], requests: Sequence[RecordedRequest]
) -> SuccessCondition:
    """Learns the condition of a task.

    Args:
        recordings: one or two recordings.
        parameters: inferred parameters.
        requests: the request of each recording that does the task; empty for none.
    """
    first = recordings[0]
    if not any(map(_has_effect, recordings)):
        return _condition_of_page(first, recordings, parameters)
    values = [_values(each, parameters, number) for number, each in enumerate(recordings)]
    choices = [_choices(each, parameters, number) for number, each in enumerate(recordings)]
    switches = {first.events[step].target.name for each in parameters if each.type == "boolean" for step in each.steps}
    signs = [
        _signs(each, given, others, switches) for each, given, others in zip(recordings, values, choices, strict=True)
    ]
    found = signs[0] if len(signs) == 1 else _common(signs[0], signs[1])
    changes = any(_changes(each, first) for each in first.requests)
    url = _final_url(recordings, parameters, values[0])
    is_search = bool(first.results.kind) and not changes and not requests
    appears, gone = ((), ()) if is_search else _choose(found, is_elsewhere=bool(url))
    strong = [score for _, _, score in found if score >= CHANGED]
    answered = bool(requests) and len(requests) == len(recordings)
    given = [value for pairs in (*values, *[[("", each) for each in group] for group in choices]) for _, value in pairs]
    statuses = {each.status for each in requests}
    status = next(iter(statuses)) if answered and len(statuses) == 1 else 0
    if answered and (requests[0].answer or status in CONFIRMING):
        # The answer tells: a heading of the next page, which may be another one, is not asked for as well.
        found = [each for each in found if each[2] >= CHANGED]
        appears, gone = _choose(found, is_elsewhere=bool(url))
    condition = SuccessCondition(
        url=url,
        appears=appears,
        gone=gone,
        kept=() if strong or not first.reloaded else _kept(first, values[0]),
        page_status=_error_status(first),
        results=describe_place(first.results) if is_search else "",
        filled=bool(first.kept) and not first.reloaded and changes,
        answer=common_shape([each.answer for each in requests], given, values, choices) if answered else AnswerShape(),
        status=status if status in CONFIRMING else 0,
    )
    if condition.is_empty and not changes and any(each.kind in _FILLING for each in first.events):
        return SuccessCondition(entered=True)
    return condition


def _has_effect(recording: Recording) -> bool:
    """Whether something came of what was done that outlasts the page: a request, another address, something stored."""
    first = min((each.at_ms for each in recording.events if each.kind != "goto"), default=0.0)
    is_sent = any(each.at_ms >= first and each.kind not in _LOADED for each in recording.requests)
    is_elsewhere = recording.end_url not in ("", recording.start_url)
    return is_sent or is_elsewhere or recording.stored or not recording.events


_LOADED = ("preflight", "prefetch", "performance")
"""Kinds of requests that say nothing of what was done."""

_LASTING = ("pressed", "checked", "mixed", "invalid", "disabled")
"""States that a page shows before what they stand for is done."""


def _condition_of_page(
    first: Recording, recordings: Sequence[Recording], parameters: Sequence[Parameter]
) -> SuccessCondition:
    """The condition where nothing was sent or stored: what a page shows by itself is not an effect, except for what it
    opens, its rows that it filters, and the fields that were filled in."""
    signs = [_signs(each, _values(each, parameters, number), [], ()) for number, each in enumerate(recordings)]
    found = signs[0] if len(signs) == 1 else _common(signs[0], signs[1])
    opened = [sign for sign, is_gone, _ in found if sign.state and not is_gone]
    shown = tuple(each for each in opened if each.state.removeprefix("not ") not in _LASTING)[:MAX_SIGNS]
    is_declined = any(each.kind in ("dialog", "prompt") and each.value is False for each in first.events)
    is_filled = is_declined or (bool(first.events) and first.events[-1].kind in _FILLING)
    results = describe_place(first.results) if first.results.kind else ""
    condition = SuccessCondition(appears=shown, results=results, entered=is_filled and not shown and not results)
    lacks = "nothing was sent or stored: record the task until it is done" if condition.is_empty else ""
    return replace(condition, lacks=lacks)


_FILLING = ("type", "select", "check")


def _values(recording: Recording, parameters: Sequence[Parameter], number: int) -> list[tuple[str, str]]:
    """Name and recorded value of each parameter with a value of its own."""
    found = []
    for parameter in parameters:
        if parameter.secret or parameter.type in ("boolean", "array") or parameter.enum:
            continue
        text = _value_of(parameter, recording, number)
        if text and not is_masked(text):
            found.append((parameter.name, text))
    return found


def _choices(recording: Recording, parameters: Sequence[Parameter], number: int) -> list[str]:
    """Recorded values of choices, and the objects of the start address. A word such as `Note` may be one by chance: it
    becomes a wildcard."""
    chosen = [
        text
        for parameter in parameters
        if parameter.enum and parameter.type == "string" and (text := _value_of(parameter, recording, number))
    ]
    first = [recording.events[each.steps[0]] for each in parameters if each.steps and not each.secret]
    sent = [value for event in first if event.kind in ("check", "select") for value in event.values]
    given = any(each.place == "start" for each in parameters)
    # Of a value of several lines, a phrase has the first one.
    lines = [line for event in first if isinstance(event.value, str) for line in event.value.splitlines()[1:]]
    sent += [line.strip() for line in lines if line.strip()]
    return [*chosen, *sent, *(objects_of(recording.start_url) if given else ())]


def _value_of(parameter: Parameter, recording: Recording, number: int) -> str:
    """Its value in a recording, the first or the second; "" for the address of the start, which no page shows."""
    if parameter.place == "start":
        return ""
    if parameter.place in ("address", "row"):
        recorded = (parameter.example, *parameter.others)
        return str(recorded[number]) if number < len(recorded) else ""
    steps = [step for step in parameter.steps if step < len(recording.events)]
    if not steps:
        return str(parameter.example) if isinstance(parameter.example, str | int | float) else ""
    event = recording.events[steps[0]]
    value: Any = event.target.name if event.kind in ("click", "dblclick", "check", "toggle") else event.value
    if isinstance(value, list | tuple):
        value = value[0] if value else ""
    lines = [line for line in str(value).splitlines() if line.strip()]
    return " ".join(lines[0].split()) if lines else ""


Rated = tuple[Sign, bool, int]
"""A sign, whether it disappeared, and how good it is."""


def _signs(
    recording: Recording, values: Sequence[tuple[str, str]], choices: Sequence[str], switches: Collection[str]
) -> list[Rated]:
    before, after = set(recording.gone), set(recording.appeared)
    was = {(each.role, each.name): each for each in recording.gone}
    stays = _is_same_page(recording)
    texts = [value for _, value in values]
    found: list[Rated] = []
    for each in recording.appeared:
        old = was.get((each.role, each.name))
        if old is not None and old.states != each.states:
            is_chosen = each.name in switches
            found += [] if is_chosen else [(sign, False, CHANGED) for sign in _state_signs(each, old, values)]
        elif each.role not in FIELDS and not is_complaint(each.name, texts):
            found += _rated(each, values, choices, is_gone=False, stays=stays)
    names = {(each.role, each.name) for each in after}
    for each in recording.gone if stays else ():
        if each in before and (each.role, each.name) not in names and each.role not in FIELDS:
            found += _rated(each, values, choices, is_gone=True, stays=stays)
    return list(dict.fromkeys(found))


def _state_signs(now: Seen, old: Seen, values: Sequence[tuple[str, str]]) -> list[Sign]:
    """The states that an element got or lost."""
    name = phrase_of(now.name, values)
    came = [state for state in now.states if state not in old.states and state not in ("invalid", "disabled")]
    went = [f"not {state}" for state in old.states if state not in now.states and state not in ("invalid", "disabled")]
    return [Sign(now.role, name, state) for state in (*came, *went)] if is_telling(name) else []


def _rated(
    seen: Seen, values: Sequence[tuple[str, str]], choices: Sequence[str], *, is_gone: bool, stays: bool
) -> list[Rated]:
    phrase = phrase_of(seen.name, values, choices)
    listed = seen.role in CONTENT_ROLES
    is_message = seen.role in MESSAGES
    if listed and has_parameter(phrase):
        phrase = row_phrase(phrase)
    if is_masked(phrase) or not is_telling(phrase):
        return []
    is_dialog = is_gone and seen.role in ("dialog", "alertdialog")
    score = STRONG if has_parameter(phrase) or (is_message and not is_gone) else NEW if stays else OTHER_PAGE
    return [(Sign(seen.role, phrase), is_gone, CHANGED if is_dialog else score)]


def _common(one: Sequence[Rated], other: Sequence[Rated]) -> list[Rated]:
    """The signs that two recordings have in common; words that differ become wildcards."""
    found: list[Rated] = []
    for sign, is_gone, score in one:
        for twin, twin_gone, _ in other:
            if (sign.role, sign.state, is_gone) != (twin.role, twin.state, twin_gone):
                continue
            name = sign.name if sign.name == twin.name else common_phrase(sign.name, twin.name)
            if name and is_telling(name):
                found.append((Sign(sign.role, name, sign.state), is_gone, score))
                break
    return list(dict.fromkeys(found))


def _choose(found: Sequence[Rated], *, is_elsewhere: bool) -> tuple[tuple[Sign, ...], tuple[Sign, ...]]:
    """The signs that count: the best there are, and weaker ones only where nothing better was seen."""
    best = [each for each in found if each[2] >= CHANGED]
    is_sure = any(sign.role in CONTENT_ROLES or sign.role in MESSAGES for sign, _, _ in best)
    weaker = [each for each in found if each[2] < CHANGED]
    kept = [*best] if best and (is_sure or not is_elsewhere) else [*best, *weaker]
    order = sorted(kept, key=lambda each: (-each[2], each[0].role not in ("heading", "button", "text")))
    appears = [sign for sign, is_gone, _ in order if not is_gone]
    gone = [sign for sign, is_gone, _ in order if is_gone]
    both = {*appears} & {*gone}  # something was replaced by another of the same words: neither tells
    return (
        tuple(each for each in appears if each not in both)[:MAX_SIGNS],
        tuple(each for each in gone if each not in both)[:MAX_SIGNS],
    )


def _kept(recording: Recording, values: Sequence[tuple[str, str]]) -> tuple[tuple[str, str, str], ...]:
    """Fields that hold an entered value on the last page, which was requested with GET."""
    found = []
    for each in recording.kept:
        name = next((name for name, value in values if value == each.value), "")
        if name and is_telling(each.name):
            found.append((each.role, each.name, f"{{{name}}}"))
    return tuple(found[:MAX_SIGNS])


def _error_status(recording: Recording) -> int:
    pages = [each for each in recording.requests if each.kind == "document" and not each.frame and not each.location]
    return pages[-1].status if pages and pages[-1].status >= 400 else 0


def _changes(request: RecordedRequest, recording: Recording) -> bool:
    return request.method in MUTATING and is_first_party(request.url, recording.start_url)


def _form_url(recording: Recording) -> str:
    return recording.events[-1].url if recording.events else recording.start_url


def _is_same_page(recording: Recording) -> bool:
    end = urlsplit(recording.end_url).path
    return not recording.end_url or end in (urlsplit(_form_url(recording)).path, urlsplit(recording.start_url).path)


def _final_url(
    recordings: Sequence[Recording], parameters: Sequence[Parameter], values: Sequence[tuple[str, str]]
) -> str:
    """The final address where it differs from that of the form."""
    first = recordings[0]
    examples = [str(each.example) for each in parameters if each.example is not None]
    if any(each.place == "start" for each in parameters):
        examples += objects_of(first.start_url)
    ends = {path_pattern(each.end_url, examples) for each in recordings if each.end_url}
    here = path_pattern(_form_url(first))
    if not first.end_url or len(ends) != 1:
        return ""
    by_value = {value: name for name, value in values}
    asked = parse_qsl(urlsplit(first.end_url).query)
    before = parse_qsl(urlsplit(_form_url(first)).query)
    query = "&".join(f"{quote(key)}={{{by_value[value]}}}" for key, value in asked if value in by_value)
    if query and asked != before:
        return f"{ends.pop()}?{query}"
    return path_pattern(first.end_url, examples) if path_pattern(first.end_url) != here else ""


def is_read_only(recording: Recording) -> bool:
    """Whether a task only reads: nothing that changes something was sent."""
    return not any(_changes(each, recording) for each in recording.requests)
