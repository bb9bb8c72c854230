"""Generates the script of a plan, readable for a person.

The script is one async function of helpers and parameters. It depends on the plan only: the same recording always has
the same script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from perception.subroutines.answer_shape import AnswerShape, expected_shape
from perception.subroutines.javascript import in_template, js_text, write_js
from perception.subroutines.masking import is_masked, local_address
from perception.subroutines.neighbors import NEAR, is_structural
from perception.subroutines.objects import MIN_IN_NAME
from perception.subroutines.parameter import Parameter
from perception.subroutines.path_patterns import objects_of, path_pattern
from perception.subroutines.plan import Plan, PlanKind
from perception.subroutines.ranking import LATER_MS, Ranked, operation_of
from perception.subroutines.recording import Event, Recording, Target
from perception.subroutines.request_script import request_lines
from perception.subroutines.result_rows import ResultPlace, expected_place
from perception.subroutines.routes import has_objects
from perception.subroutines.step_groups import group_steps
from perception.subroutines.success import SuccessCondition, is_read_only
from perception.subroutines.targets import rows_of
from perception.subroutines.values import address_code, find_value, values_of
from perception.subroutines.volatile import without_volatile


def generate_body(
    recordings: Sequence[Recording],
    parameters: Sequence[Parameter],
    plan: Plan,
    condition: SuccessCondition | None = None,
) -> str:
    """Generates the script of a plan; `replay.js` defines the helpers that it gets."""
    success = condition or SuccessCondition()
    script = DomScript(recordings, parameters, success)
    by_hand = script.lines(plan.answer, plan.further) if plan.kind is not PlanKind.NETWORK else []
    by_request = request_lines(plan.recipe, parameters, success) if plan.recipe is not None else []
    start = _start_lines(recordings, parameters, [*by_hand, *by_request])
    if plan.kind is PlanKind.HYBRID:
        inner = [
            "return networkOrDom(async () => {",
            *_indented(by_request),
            "}, async () => {",
            *_indented(by_hand),
            "});",
        ]
    else:
        inner = by_hand or by_request
    helpers = ", ".join(each for each in HELPERS if any(f"{each}(" in line for line in [*start, *inner]))
    return "\n".join([f"async ({{ {helpers} }}, params) => {{", *_indented([*start, *inner]), "}"]) + "\n"


def _start_lines(recordings: Sequence[Recording], parameters: Sequence[Parameter], lines: Sequence[str]) -> list[str]:
    """What reads the objects of the address that the task starts at, if a line needs them."""
    route = next((each.reads for each in values_of(recordings, parameters) if each.place == "start"), "")
    is_read = route and any(re.search(r"\bat\.", line) for line in lines)
    return [f"const at = route(params.url, {js_text(route)});"] if is_read else []


HELPERS = (
    "route find goto click doubleClick hover drag type write select check press upload answerDialog switchTab closeTab "
    "waitFor waitForUrl waitForRequest request requestJson readForm readField getCsrfToken getCookie confirm results "
    "networkOrDom"
).split()
"""Calls of scripts, in the order in which they are named."""


NO_SHAPE = AnswerShape()


class DomScript:
    """Generates the statements that repeat the events of a recording."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        parameters: Sequence[Parameter],
        success: SuccessCondition | None = None,
    ) -> None:
        self._recordings = recordings
        self._recording = recordings[0]
        self._success = success or SuccessCondition()
        self._by_step = {step: each for each in parameters for step in each.steps if each.place in ("", "name")}
        self._rows = {step: each for each in parameters for step in each.steps if each.place == "row"}
        self._parameters = [each for each in parameters if each.place != "start"]
        self._has_url = any(each.place == "start" for each in parameters)
        self._values = values_of(recordings, parameters)
        self._cells = rows_of(recordings, parameters)
        self._read: dict[int, str] = {}

    def lines(self, answer: Ranked | None, further: Sequence[Ranked] = ()) -> list[str]:
        """The statements from the start page to the outcome.

        Args:
            answer: the request whose response is the result; None for none.
            further: other requests that are waited for.
        """
        recording = self._recording
        begins = recording.events[0].kind != "goto" if recording.events else True
        start = "params.url" if self._has_url else js_text(local_address(recording.start_url))
        lines: list[str] = []
        after = _step_before(answer, recording.events)
        last = len(recording.events) - 1
        calls = [self._call(index, event) for index, event in enumerate(recording.events)]
        tab = 0
        for group in group_steps(recording.events):
            lines += [f"await {calls[index]};" for index in group.answers]
            if group.step is None:
                lines += [f"await goto({start});"] if begins else []
            else:
                event = recording.events[group.step]
                lines += self._switched(tab, event)
                lines += [self._read[group.step]] if group.step in self._read else []
                lines.append(f"await {calls[group.step]};")
                tab = 0 if event.kind == "close" else event.tab
            if answer is not None and after in group.indices:
                lines += [f"await switchTab({answer.request.tab});"] if answer.request.tab != tab else []
                tab = answer.request.tab
                lines.append(f"const answer = {self._awaited(answer, self._success.answer)}")
        lines += [self._awaited(each) for each in further if each.request.tab == tab]
        lines += ["await switchTab(0);"] if tab else []
        for each in self._outcome(last):
            lines.append(f"const url = await {each};" if each.startswith("waitForUrl") else f"await {each};")
        results = self._recording.results if is_read_only(self._recording) and answer is None else ResultPlace()
        # What a search finds differs: its rows confirm nothing, and their absence refutes nothing.
        signs = {**self._success.script, **({"appears": [], "gone": []} if results.kind else {})}
        lines.append(f"await confirm({write_js({key: each for key, each in signs.items() if each}, None, 0)});")
        if results.kind:
            return [*lines, f"return await results({write_js(expected_place(results))});"]
        has_url = any(line.startswith("const url") for line in lines)
        if has_url and (answer is None or answer.request.location):
            lines.append("return { url };")
        else:
            lines.append("return answer;" if answer is not None else "return null;")
        return lines

    def _switched(self, tab: int, event: Event) -> list[str]:
        """The call that goes on in the tab of an event, if it is another one."""
        if event.tab == tab or event.kind == "close":
            return []
        path = path_pattern(event.url, self._examples()) if event.url.startswith("http") and event.tab else ""
        return [f"await switchTab({event.tab}{f', {js_text(path)}' if path else ''});"]

    def _examples(self) -> list[str]:
        """What differs between runs: entered values, and the objects of the start address."""
        entered = [str(each.example) for each in self._parameters if each.example is not None]
        return [*entered, *objects_of(self._recording.start_url)]

    def _awaited(self, awaited: Ranked, shape: AnswerShape = NO_SHAPE) -> str:
        request = awaited.request
        examples = self._examples()
        expected: dict[str, Any] = {
            "method": request.method,
            "path": path_pattern(without_volatile(request).url, examples),
        }
        if request.status:
            expected["status"] = request.status
        operation = operation_of(request.method, request.body.json)
        if operation and not is_masked(operation):
            expected["operation"] = operation
        if shape:
            expected["answer"] = expected_shape(shape)
        at = _step_before(awaited, self._recording.events)
        delay = request.at_ms - self._recording.events[at].at_ms if at >= 0 else 0
        if delay > LATER_MS:
            expected["delay"] = round(delay / 1000, 1)
        return f"await waitForRequest({write_js(expected, None, 0)});"

    def _outcome(self, last: int) -> list[str]:
        """Calls that wait for the outcome: a new element with the name of an argument, and the final URL."""
        recording = self._recording
        shown = [event.url for event in recording.events if event.tab == 0 and event.kind != "close"]
        here = shown[-1] if shown else recording.start_url
        found = [
            f"waitFor({self._find(Target(each.role, each.name), last + 1)})"
            for each in recording.shown[:1]
            if not self._success.appears
            and not self._success.lacks
            and any(str(parameter.example) == each.name for parameter in self._parameters)
        ]
        if recording.end_url and path_pattern(recording.end_url) != path_pattern(here):
            found.append(f"waitForUrl({js_text(path_pattern(recording.end_url, self._examples()))})")
        return found

    def _call(self, index: int, event: Event) -> str:
        target = self._find(event.target, index)
        parameter = self._by_step.get(index)
        value = f"params.{parameter.name}" if parameter else write_js(event.value)
        match event.kind:
            case "goto":
                return f"goto({self._address(index)})"
            case "click":
                return f"click({target})"
            case "dblclick":
                return f"doubleClick({target})"
            case "hover":
                return f"hover({self._hovered(index, event)})"
            case "drag":
                at = f", {write_js(event.value)}" if isinstance(event.value, list | tuple) else ""
                return f"drag({target}, {self._find_alone(event.to, index)}{at})"
            case "dialog" | "prompt":
                said = f"type: {js_text(event.target.role)}, message: {self._name(event.target.name, index)}"
                given = f"text: {value}" if event.kind == "prompt" else f"accept: {write_js(event.value)}"
                return f"answerDialog({{ {said}, {given} }})"
            case "close":
                return f"closeTab({event.tab})"
            case "write":
                return f"write({target}, {value}, {{ clear: {write_js(event.clear)} }})"
            case "type":
                return f"type({target}, {value}, {{ clear: true }})"
            case "press":
                return f"press({write_js(event.value)}, {target})"
            case "select":
                return f"select({target}, {value})"
            case "check" | "toggle":
                is_switch = parameter is not None and parameter.type == "boolean"
                return f"check({target}, {value if is_switch else write_js(event.value)})"
            case "upload":
                return f"upload({target}, {value})"
        raise ValueError(f"no such kind of event: {event.kind}")

    def _address(self, index: int) -> str:
        """The address of a goto; its objects are expressions."""
        if index == 0 and self._has_url:
            return "params.url"
        addresses = [str(recording.events[index].value) for recording in self._recordings]
        template, used, _ = address_code(addresses, self._values, index)
        for value in used:
            if value.place == "page":
                name = value.code.partition(".")[0]
                path = re.sub(r":\w+", "*", urlsplit(value.reads).path)
                self._read[value.step] = (
                    f"const {name} = route(await waitForUrl({js_text(path)}), {js_text(value.reads)});"
                )
        return f"`{template}`" if used else js_text(addresses[0])

    def _row(self, index: int) -> str:
        """The cell that the row of a target is found by; "" where the row does not decide."""
        cell = self._cells.get(index)
        if cell is None:
            return ""
        column = self._recording.events[index].target.cells[cell].column
        text = f"text: {self._cell_text(index, cell)}"
        return f"{{ column: {js_text(column)}, {text} }}" if column else f"{{ {text} }}"

    def _cell_text(self, index: int, cell: int) -> str:
        recorded = tuple(recording.events[index].target.cells[cell].text for recording in self._recordings)
        given = self._rows.get(index)
        value = find_value(self._values, recorded, index)
        code = (
            f"params.{given.name}" if given is not None else value.code if value is not None else js_text(recorded[0])
        )
        return f"String({code})"

    def _hovered(self, index: int, event: Event) -> str:
        """What the pointer rests on. In place of a row, its cell: which row it is, the next step says."""
        cell = self._cells.get(index + 1)
        if cell is not None and not event.target.name:
            recorded = self._recording.events[index + 1].target.cells[cell].text
            if recorded in event.target.text:
                return f"find({{ text: {self._cell_text(index + 1, cell)} }})"
        return self._find(event.target, index)

    def _find(self, target: Target, index: int) -> str:
        row = self._row(index)
        if row:
            name = f", name: {self._name(target.name, index)}" if target.name else ""
            place = f", nth: {target.row_nth}, of: {target.row_of}" if target.row_of > 1 else ""
            frame = f", frame: {js_text(target.frame)}" if target.frame else ""
            return f"find({{ role: {js_text(target.role)}{name}{place}{frame}, row: {row} }})"
        if target.of > 1 and has_objects(target.href):
            hrefs = [recording.events[index].target.href for recording in self._recordings]
            template, used, _ = address_code(hrefs, self._values, index)
            href = f"`{template}`" if used else js_text(hrefs[0])
            return f"find({{ role: {js_text(target.role)}, name: {self._name(target.name, index)}, href: {href} }})"
        return self._find_alone(target, index)

    def _find_alone(self, target: Target, index: int) -> str:
        """A target by what it is, and not by its row or address."""
        known: dict[str, Any] = {
            "role": target.role,
            "name": target.name,
            "text": target.text if not target.name else "",
            "placeholder": target.placeholder if not target.name else "",
            "nth": target.nth if target.of > 1 else 0,
            "of": target.of if target.of > 1 else 0,
            # A positional selector adds nothing if the name is unique.
            "selector": "" if target.name and target.of == 1 and ":nth-child(" in target.selector else target.selector,
            "frame": target.frame,
            "owner": target.owner,
        }
        said = {key: value for key, value in known.items() if value or (key == "nth" and target.of > 1)}
        pairs = [
            f"{key}: {self._name(value, index) if key in ('name', 'text') else write_js(value)}"
            for key, value in said.items()
        ]
        if known["selector"] and is_structural(target.selector):
            facts = ((key, getattr(target.near, key)) for key in NEAR)
            near = [f"{key}: {self._name(text, index)}" for key, text in facts if text]
            pairs += [f"near: {{ {', '.join(near)} }}"] if near else []
        return f"find({{ {', '.join(pairs)} }})"

    def _name(self, name: str, index: int) -> str:
        """A name as JavaScript; values of parameters in it become expressions."""
        chosen = self._by_step.get(index)
        if (
            chosen is not None
            and chosen.example == name
            and self._recording.events[index].kind in ("click", "dblclick", "check", "toggle")
        ):
            return f"params.{chosen.name}"
        for parameter in self._parameters:
            example = str(parameter.example)
            is_row = parameter.place == "row" and index in parameter.steps
            asks = self._asks_about(parameter, index)
            if parameter.example is None or not (is_row or parameter.steps[0] < index):
                continue
            if len(example) < MIN_IN_NAME and not is_row and not asks:
                continue
            if name == example:
                return f"String(params.{parameter.name})"
            before, found, after = name.partition(example)
            if asks and len(example) == 1 and re.match(r" \w", after):
                continue  # a count, as in "Delete 1 item?"
            if found and not before[-1:].isalnum() and not after[:1].isalnum():
                return f"`{in_template(before)}${{params.{parameter.name}}}{in_template(after)}`"
        return js_text(name)

    def _asks_about(self, parameter: Parameter, index: int) -> bool:
        """Whether a step is a dialog that comes of a click in the row of a parameter: its message names the row."""
        before = index
        while 0 < before < len(self._recording.events) and self._recording.events[before].kind in ("dialog", "prompt"):
            before -= 1
        return parameter.place == "row" and before < index and before in parameter.steps


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {part}" for line in lines for part in line.split("\n")]


def _step_before(answer: Ranked | None, events: Sequence[Event]) -> int:
    """Index of the last event before a request; -1 for none."""
    if answer is None:
        return -1
    return max((index for index, event in enumerate(events) if event.at_ms <= answer.request.at_ms), default=-1)
