"""Fields of forms in requests: which are entered, and which are as the page shows them.

Rule: a field that nobody entered anything in is not a constant. A replay reads it from the form that the page shows
then; what it cannot read there, only the page can send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from perception.errors import DriftError
from perception.subroutines.body_writing import with_crlf
from perception.subroutines.masking import RecordingMasker
from perception.subroutines.recording import Event, FormEntry, FormState, RecordedRequest, Recording

MAX_FORM_STATES = 400
"""States of forms in a recording. Chosen by hand."""

SOON_MS = 1500.0
"""A request is sent this long after its form was seen, at most, without another look at it. Chosen by hand."""


def form_states(report: Mapping[str, Any], at_ms: float, masker: RecordingMasker) -> list[FormState]:
    """The forms of a report, masked."""
    states = []
    for form in report["forms"]:
        entries = tuple(
            FormEntry(**{**entry, "value": masker.mask_value(entry["name"], entry["value"])})
            for entry in form["entries"]
        )
        states.append(FormState(at_ms, entries, tuple(form["names"]), form["is_form"]))
    return states


def entered_names(events: Sequence[Event]) -> frozenset[str]:
    """Names and ids of fields that something was entered in."""
    return frozenset(
        name for event in events if event.kind in ("type", "select", "check", "upload", "press")
        for name in (event.field.name, event.field.id) if name
    )  # fmt: skip


def last_forms(request: RecordedRequest, recording: Recording) -> tuple[FormState, ...]:
    """The forms of the page as they were last seen before a request."""
    before = [each for each in recording.forms if each.at_ms <= request.at_ms + 1]
    return tuple(each for each in before if each.at_ms == before[-1].at_ms)


def match_form(request: RecordedRequest, forms: Sequence[FormState]) -> tuple[FormState, tuple[FormEntry, ...]] | None:
    """The form whose entries a body has, and the entry of each field; None for another body.

    The button that sent the form is one more entry.
    """
    for form in forms:
        entries = _matched(request.body.fields, form.entries) if form.is_form else None
        if entries is not None:
            return form, entries
    return None


def _matched(fields: Sequence[tuple[str, str]], entries: Sequence[FormEntry]) -> tuple[FormEntry, ...] | None:
    found: list[FormEntry] = []
    left = list(fields)
    for entry in entries:
        is_next = bool(left) and left[0][0] == entry.name and with_crlf(left[0][1]) == with_crlf(entry.value)
        if entry.kind == "submit" and not is_next:
            continue
        if entry.on and not is_next:
            return None
        if entry.on or entry.kind == "submit":
            found.append(entry)
            left.pop(0)
    return None if left or not found else tuple(found)


def page_field(name: str, value: Any, forms: Sequence[FormState]) -> FormEntry | None:
    """The one control of that name, or id, which holds a leaf of a script's body; None for none or several."""
    controls = [entry for form in forms if not form.is_form for entry in form.entries if entry.name == name]
    if len(controls) != 1 or controls[0].kind in ("submit", "file"):
        return None
    control = controls[0]
    if isinstance(value, bool):
        return control if control.kind == "check" and control.on is value else None
    return control if control.on and control.kind != "check" and control.value == str(value) else None


@dataclass(frozen=True, slots=True)
class FormWanted:
    """A form that is read, with what is entered in it.

    Attributes:
        names: names of controls that the form has.
        fields: name and value of what is entered, in order.
        checks: name, own value and state of checkboxes and radio buttons.
        submit: name and value of the button that sends it; empty for none with a name.
        lines: whether line ends are written as forms send them.
        multipart: whether a file field without a file is sent as one.
    """

    names: tuple[str, ...]
    fields: tuple[tuple[str, str], ...] = ()
    checks: tuple[tuple[str, str, bool], ...] = ()
    submit: tuple[str, ...] = ()
    lines: bool = False
    multipart: bool = False


class Slot(msgspec.Struct, array_like=True, frozen=True):
    """What a control sends, as the walker reads it."""

    name: str
    value: str
    kind: str
    on: bool


class Form(msgspec.Struct, array_like=True, frozen=True):
    """A form, as the walker reads it."""

    is_form: bool
    names: tuple[str, ...]
    slots: tuple[Slot, ...]


def find_form(forms: Sequence[Form], names: Sequence[str]) -> Form | None:
    """The one form with these controls; None for none or several."""
    found = [each for each in forms if each.is_form and set(names) <= set(each.names)]
    return found[0] if len(found) == 1 else None


def fill_form(form: Form, wanted: FormWanted) -> list[tuple[str, str | None]]:
    """The entries that a form sends with what is entered; None for a file field without a file.

    Raises:
        DriftError: a field that is entered is not there.
    """
    values: dict[str, list[str]] = {}
    for name, value in wanted.fields:
        values.setdefault(name, []).append(value)
    states = {(name, value): state for name, value, state in wanted.checks}
    chosen = {name for name, _, state in wanted.checks if state}
    entries: list[tuple[str, str | None]] = []
    submitted = False
    for slot in form.slots:
        if slot.kind == "submit":
            is_sent = not submitted and (slot.name, slot.value) == wanted.submit
            submitted = submitted or is_sent
            entries += [(slot.name, slot.value)] if is_sent else []
        elif slot.kind in ("check", "radio"):
            is_other = slot.kind == "radio" and slot.name in chosen
            on = states.pop((slot.name, slot.value), False if is_other else slot.on)
            entries += [(slot.name, _written(slot.value, wanted))] if on else []
        elif slot.kind == "file":
            entries.append((slot.name, None if wanted.multipart else ""))
        elif slot.name in values:
            entries += [(slot.name, values[slot.name].pop(0))] if values[slot.name] else []
        elif slot.on:
            entries.append((slot.name, _written(slot.value, wanted)))
    missing = [name for name, left in values.items() if left] + [name for name, _ in states]
    missing += [wanted.submit[0]] if wanted.submit and not submitted else []
    if missing:
        raise DriftError(
            f"the form has no field {missing[0][:60]!r} any more: nothing was sent", before=missing[0], after="none"
        )
    return entries


def _written(value: str, wanted: FormWanted) -> str:
    return with_crlf(value) if wanted.lines else value


def wanted_form(options: Mapping[str, Any]) -> FormWanted:
    """The argument of the helper `readForm`. Raises msgspec.ValidationError for anything else."""
    return msgspec.convert(dict(options), FormWanted)


def find_field(forms: Sequence[Form], name: str) -> str | bool | None:
    """What the one control of a name, or id, holds; None for none or several."""
    found = [slot for form in forms if not form.is_form for slot in form.slots if slot.name == name]
    if len(found) != 1:
        return None
    return found[0].on if found[0].kind == "check" else found[0].value if found[0].on else None
