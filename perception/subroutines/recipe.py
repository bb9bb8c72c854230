"""Makes a recipe of a recorded request: a template to send it again, or the obstacles to that.

Rule 1: each value is a parameter, a token that the page stores, or a constant of the task. A request with another
value, such as a signature, a time or an id generated for this request, can only be sent by the page itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from perception.errors import RecordingsDifferError
from perception.subroutines.body_writing import with_crlf
from perception.subroutines.entered_values import entered_obstacle
from perception.subroutines.form_fields import entered_names
from perception.subroutines.form_recipe import FormRecipe, PageField, constant_obstacle, form_recipe, live_leaf
from perception.subroutines.hosts import origin_of
from perception.subroutines.masking import SECRET, is_masked, local_address, token_in
from perception.subroutines.objects import start_address
from perception.subroutines.parameter import Parameter, slug
from perception.subroutines.path_patterns import MADE_UP, landing_pattern, objects_of
from perception.subroutines.recording import Event, RecordedRequest, Recording
from perception.subroutines.request_objects import ANY_STEP, address_in_body, bind_parts, find_in_body, sent_address
from perception.subroutines.request_template import Given, PageToken, Recipe, Template
from perception.subroutines.request_values import Path, as_text, body_leaves, json_leaves, key_of_path, place_of
from perception.subroutines.routes import parts_of
from perception.subroutines.values import Value, address_code, values_of

MIN_CONTAINED = 3
"""Characters: a shorter text is in others by chance."""


@dataclass(slots=True)
class _Work:
    """State while a recipe is made."""

    parameters: Sequence[Parameter]
    known: Mapping[str, tuple[Parameter, Given]]
    addresses: str
    values: Sequence[Value]
    requests: Sequence[RecordedRequest]
    recording: Recording
    obstacles: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)


def make_recipe(
    requests: Sequence[RecordedRequest], recordings: Sequence[Recording], parameters: Sequence[Parameter]
) -> tuple[Recipe, tuple[str, ...]]:
    """Makes the recipe of a request, and lists the obstacles to sending it (none: it can be sent again).

    Args:
        requests: the request in each recording; every difference has to be explained.
        recordings: the recordings.
        parameters: inferred parameters.
    """
    request, recording = requests[0], recordings[0]
    addresses = f"{recording.start_url} {recording.end_url}"
    values = values_of(recordings, parameters)
    work = _Work(parameters, _known(parameters, recording.events), addresses, values, requests, recording)
    work.obstacles += _unfit(request, recording)
    body = request.body
    path, query = _address(work)
    form, obstacles = form_recipe(request, recording)
    work.obstacles += obstacles
    recipe = Recipe(
        method=request.method,
        path=path,
        kind=body.kind,
        query=query,
        headers=_headers(work, request),
        json=_template(work, body.json) if body.kind == "json" else None,
        fields=_fields(work, form),
        form=form,
        style=body.style,
        text=body.text,
        status=request.status,
        location=landing_pattern(requests, recordings, (*_examples(parameters), *objects_of(recording.start_url))),
        page=page_of(request, recording),
    )
    for number, other in enumerate(requests[1:], 1):
        _compare(work, recipe, other, number)
    recipe = replace(recipe, page_code=_page_code(work, recipe, recordings))
    unused = [each.name for each in parameters if each.name not in work.used and each.place != "start"]
    unused += [each.name for each in values if each.place == "start" and each.code not in work.used]
    if unused:
        work.obstacles.append(f"{', '.join(unused)} is not in it as it was given")
    return recipe, tuple(dict.fromkeys(work.obstacles))


def _fields(work: _Work, form: FormRecipe | None) -> tuple[tuple[str, Template], ...]:
    """Templates of a form's fields. What is read from the page explains what it holds."""
    body = work.requests[0].body
    found: list[tuple[str, Template]] = []
    for index, (key, value) in enumerate(body.fields):
        if index in body.blank_files:
            found.append((key, None))
        elif form is not None and index not in form.entered:
            work.used |= {each.code for each in work.values if each.recorded[0] == value}
            found.append((key, PageField(key)))
        else:
            found.append((key, _bind(work, key, key, value, (index,))))
    if form is not None:
        steps = {step for _, _, _, step in form.checks}
        work.used |= {each.name for each in work.parameters if each.type == "boolean" and set(each.steps) <= steps}
    return tuple(found)


def _address(work: _Work) -> tuple[tuple[Template, ...], tuple[tuple[str, Template], ...]]:
    """Templates of the path's segments and of the query."""
    bound, obstacles = bind_parts(work.requests, work.values)
    work.obstacles += obstacles
    path: list[Template] = []
    query: list[tuple[str, Template]] = []
    address = sent_address(work.requests[0])
    segments = address.partition("?")[0].split("/")[1:]
    for index, part in enumerate(parts_of(address)):
        value = bound.get(index)
        if value is not None:
            leaf: Template = _given_value(work, value)
        elif part.place == "path":
            leaf = _bind(work, "its path", "", segments[index])
        else:
            leaf = _bind(work, f"query.{part.key}", part.key, part.value)
        if part.place == "path":
            path.append(leaf)
        elif part.place == "query":
            query.append((part.key, leaf))
    return tuple(path), tuple(query)


def _given_value(work: _Work, value: Value) -> Given:
    work.used |= {value.code, value.parameter}
    code = value.code if value.place in ("start", "page") else ""
    return Given(value.parameter, code=code)


def _page_code(work: _Work, recipe: Recipe, recordings: Sequence[Recording]) -> str:
    """JavaScript of the page's address, if tokens are read there and it has objects; adds an obstacle if what they are
    is not known."""
    if not recipe.needs_page:
        return ""
    addresses = [page_of(*each) for each in zip(work.requests, recordings, strict=True)]
    if any(each.place == "start" for each in work.parameters) and addresses == [
        start_address(each) for each in recordings
    ]:
        return "params.url"
    try:
        template, used, unknown = address_code(addresses, work.values, ANY_STEP)
    except RecordingsDifferError:
        work.obstacles.append("the page that sent it is another one in the other recording")
        return ""
    if unknown or any(each.place == "page" for each in used):
        work.obstacles.append("the address of the page that sent it is not given")
    return f"`{template}`" if used else ""


def page_of(request: RecordedRequest, recording: Recording) -> str:
    """Address of the page that sent a request: that of the last event before it, with its fragment, which may select
    what the page shows."""
    before = [event.url for event in recording.events if event.at_ms <= request.at_ms]
    return local_address(before[-1] if before else recording.start_url)


def _unfit(request: RecordedRequest, recording: Recording) -> list[str]:
    """Obstacles that do not depend on the request's values."""
    found = []
    if origin_of(request.url) != origin_of(recording.start_url):
        found.append(f"it goes to another origin ({origin_of(request.url)})")
    if request.kind == "document" and request.method == "GET":
        found.append("it opens a page")
    if request.body.kind in ("bytes", "blob", "stream", "other", "text"):
        found.append(f"its body is neither a form nor JSON ({request.body.kind})")
    if request.body.cut:
        found.append("its body is not known: it is empty, or too large to be kept")
    if request.body.inexact:
        found.append("its body is not written as browsers write it, so that other bytes would be sent")
    if request.body.files:
        found.append("it sends files")
    if request.open:
        found.append("it had not ended when the recording was stopped: record the task again and wait for the answer")
    elif request.status == 0 or request.status >= 400:
        found.append(f"it failed when it was recorded (status {request.status or 'none'})")
    return found


def _known(parameters: Sequence[Parameter], events: Sequence[Event]) -> dict[str, tuple[Parameter, Given]]:
    """Parameters by their recorded text in a request."""
    known: dict[str, tuple[Parameter, Given]] = {}
    for parameter in parameters:
        for step in parameter.steps if not parameter.place else ():
            event = events[step]
            if event.kind == "select" and not event.multiple and event.values:
                known[event.values[0]] = (parameter, Given(parameter.name, "choice", parameter.values))
                known.setdefault(str(event.value[0]), (parameter, Given(parameter.name)))
            elif isinstance(event.value, str) and event.value:
                known.setdefault(event.value, (parameter, Given(parameter.name)))
                known.setdefault(with_crlf(event.value), (parameter, Given(parameter.name, "lines")))
    return known


def _examples(parameters: Sequence[Parameter]) -> tuple[str, ...]:
    return tuple(str(each.example) for each in parameters if isinstance(each.example, str | int | float))


def _template(work: _Work, value: Any, path: Path = ()) -> Template:
    if isinstance(value, dict) and value:
        return {key: _template(work, each, (*path, key)) for key, each in value.items()}
    if isinstance(value, list) and value:
        return [_template(work, each, (*path, index)) for index, each in enumerate(value)]
    name = key_of_path(path)
    if isinstance(value, dict | list):
        work.obstacles += filter(None, [_unexplained(work, name, path)])
        return value
    return _bind(work, place_of(path), name, value, path)


def _bind(work: _Work, where: str, name: str, value: Any, path: Path | None = None) -> Template:
    """The template of a leaf; adds an obstacle if its origin is unknown. A leaf of the body has a path in it."""
    text = as_text(value)
    token = token_in(text)
    if token is not None:
        return PageToken(*token)
    switch = next((each for each in work.parameters if each.type == "boolean" and each.field_name == slug(name)), None)
    if switch is not None and isinstance(value, bool):
        work.used.add(switch.name)
        return Given(switch.name, "boolean")
    if text in work.known and value is not None and not isinstance(value, bool):
        parameter, given = work.known[text]
        # A single character occurs in many places: the name has to match, too.
        if len(text) > 1 or slug(name) == parameter.field_name:
            work.used.add(parameter.name)
            listed = path if work.requests[0].body.kind == "json" else None
            work.obstacles += filter(None, [entered_obstacle(where, parameter, work.recording.events, listed)])
            return Given(given.parameter, "number") if isinstance(value, int | float) else given
    found = _object_in_body(work, name, path, value) if path is not None else None
    if found is not None:
        return found
    if path is not None:
        live, obstacle = live_leaf(work.requests[0], work.recording, name, value, entered_names(work.recording.events))
        if live is not None:
            work.used |= {each.code for each in work.values if each.recorded[0] == text}
            return live
        obstacle = obstacle or constant_obstacle(name, value) or _unexplained(work, name, path)
        work.obstacles += [obstacle] if obstacle and name not in entered_names(work.recording.events) else []
    if text == SECRET:
        work.obstacles.append(f"{where} is secret, and nothing on the page says what it is")
    elif is_masked(text):
        work.obstacles.append(f"{where} holds a secret together with something else")
    elif text not in work.addresses or len(text) < 8:
        made = next((what for what, pattern in MADE_UP if pattern.fullmatch(text)), "")
        if made:
            work.obstacles.append(f"{where} is {made}")
        contained = _contained(work, text)
        if contained:
            work.obstacles.append(f"{where} holds {contained} together with something else")
    return value


def _unexplained(work: _Work, name: str, path: Path) -> str:
    """Why a leaf of a body is not known to be a constant of the application; "" if it is."""
    place = place_of(path)
    for request in work.requests:
        if request.kind != "document" and place not in request.constants:
            had = "the page had received" if place in request.received else "only the page's scripts have"
            return f"{name or 'its body'} is a value that {had}"
    return ""


def _contained(work: _Work, text: str) -> str:
    """The parameter of which a line is written within a text, as in the HTML that editors send; "" for none."""
    for parameter in work.parameters:
        is_text = isinstance(parameter.example, str) and not parameter.enum
        lines = str(parameter.example).splitlines() if is_text else ()
        for line in filter(lambda line: len(line) >= MIN_CONTAINED, map(str.strip, lines)):
            before, found, after = text.partition(line)
            if found and text != line and not before[-1:].isalnum() and not after[:1].isalnum():
                return parameter.name
    return ""


def _headers(work: _Work, request: RecordedRequest) -> tuple[tuple[str, Template], ...]:
    """Templates of headers that the page's scripts set. If the page has wrapped `fetch`, unexplained headers are
    dropped: the wrapper adds them again."""
    kept = []
    for name, value in request.headers:
        before = list(work.obstacles)
        template = _bind(work, f"header {name}", name, value)
        if request.wrapped and work.obstacles != before:
            work.obstacles[:] = before
            continue
        kept.append((name, template))
    return tuple(kept)


def _object_in_body(work: _Work, name: str, path: Path, value: Any) -> Given | None:
    """The template of a leaf of the body that is an object, or an address with one; None for another leaf."""
    leaves = [dict(body_leaves(each.body)) for each in work.requests]
    if value is None or isinstance(value, bool) or not all(path in each for each in leaves):
        return None
    recorded = tuple(as_text(each[path]) for each in leaves)
    found = find_in_body(name, recorded, work.values)
    if found is not None:
        if found.place == "page":
            work.obstacles.append(f"{name} holds {recorded[0][:40]}, which the page gives during the task")
        given = _given_value(work, found)
        return replace(given, form="number") if isinstance(value, int | float) else given
    address = address_in_body(recorded, work.values)
    if address is None:
        return None
    template, used = address
    for each in used:
        _given_value(work, each)
    if any(each.place == "page" for each in used):
        work.obstacles.append(f"{name} holds an object that the page gives during the task")
    return Given("", "address", code=f"`{template}`")


def _compare(work: _Work, recipe: Recipe, other: RecordedRequest, number: int) -> None:
    """Adds an obstacle for each difference between two recordings that is neither a parameter nor a token."""
    request = work.requests[0]
    one, two = (dict(body_leaves(each.body)) for each in (request, other))
    if set(one) != set(two) or request.body.kind != other.body.kind:
        work.obstacles.append("its body has another form in the other recording")
        return
    made = dict(json_leaves(recipe.json)) if request.body.kind == "json" else {}
    made |= {(index,): each for index, (_, each) in enumerate(recipe.fields)}
    for path in one:
        if not _explains(work, made.get(path), two[path], number):
            where = request.body.fields[int(path[0])][0] if request.body.fields else ".".join(map(str, path))
            work.obstacles.append(f"{where} is another one each time")
    headers = dict(other.headers)
    for name, value in request.headers:
        if headers.get(name) != value and token_in(value) is None and not request.wrapped:
            work.obstacles.append(f"header {name} is another one each time")


def _explains(work: _Work, template: Template, value: Any, number: int) -> bool:
    """Whether a template gives the value that another recording has there."""
    text = as_text(value)
    if isinstance(template, PageField):
        return True
    if isinstance(template, PageToken):
        return token_in(text) is not None
    if not isinstance(template, Given):
        return bool(template == value) or isinstance(value, bool)
    if template.form in ("address", "boolean") or template.code:
        return True  # bound where it was equal in every recording
    parameter = next((each for each in work.parameters if each.name == template.parameter), None)
    if parameter is None or len(parameter.others) < number:
        return True
    given = parameter.others[number - 1]
    label = str(given[0] if isinstance(given, list | tuple) and given else given)
    if template.form == "choice":
        return dict(template.values).get(label) == text
    return with_crlf(label) == with_crlf(text) or template.form == "number"
