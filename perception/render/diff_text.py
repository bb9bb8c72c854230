"""Renders a diff as text with few tokens, for a reader who has the old list.

    ~ e5 value "" → "a@b.co"
    ~ e7 e8 -disabled
    ~ e4 → e21 name "Save" → "Saving…"
    + - dialog "Saved" [ref=e22]
    +   - button "OK" [ref=e23]
    - e9-e14 e17
    - text "Loading…"
    ~ e1-e8 e15 moved 0,-300

Rule 1: the same change of several elements is one line; consecutive refs are a range, `e9-e14`, which contains only
elements that the line is about.
Rule 2: lines are not truncated; `max_tokens` is never exceeded, and omitted lines are counted.
Rule 3: the line of an added element is that of the snapshot's text, indented below added ancestors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from perception.render.diff import ORDER, Diff, ElementChange
from perception.render.element_lines import called
from perception.render.quoting import clear, quote
from perception.render.select import keep_indexed
from perception.render.tokens import count_tokens
from perception.types import Element, Reach

MAX_QUOTED = 80
"""Maximum length of a quoted text, characters: it only identifies the text; the snapshot has the full form."""

_NUMBERED_REF = re.compile(r"([a-z]+)(\d+)")

_REACH_WORDS = {
    Reach.UNSAID: "",
    Reach.NOW: "reachable",
    Reach.COVERED: "covered",
    Reach.SCROLL: "out of view",
    Reach.NEVER: "never reachable",
}


@dataclass(frozen=True, slots=True)
class ChangeText:
    """Text of a diff.

    Attributes:
        text: the lines; "" if nothing changed that a reader could see.
        token_count: tokens by o200k_base.
    """

    text: str
    token_count: int


def render_changes(
    old: Sequence[Element],
    new: Sequence[Element],
    diff: Diff,
    write: Callable[[Sequence[Element]], str],
    max_tokens: int = 0,
) -> ChangeText:
    """Renders the diff from `old` to `new`.

    Args:
        old: elements of the old snapshot.
        new: elements of the new snapshot.
        diff: difference of the two.
        write: renders elements as the snapshot's text does, one line each.
        max_tokens: limit for the text; 0 for none.
    """
    lines = [
        *_changed_lines(old, new, diff.changed),
        *_added_lines(new, diff, write),
        *_removed_lines(old, diff),
        *_moved_lines(old, new, diff.changed),
    ]
    return _within(lines, max_tokens)


def _within(lines: list[str], max_tokens: int) -> ChangeText:
    text = "".join(lines)
    cost = count_tokens(text)
    if not max_tokens or cost <= max_tokens:
        return ChangeText(text, cost)
    costs = [count_tokens(line) for line in lines]
    kept, spent = 0, count_tokens(_more(len(lines)))
    while kept < len(lines) and spent + costs[kept] <= max_tokens:
        spent += costs[kept]
        kept += 1
    while kept >= 0:  # tokens may join across lines, so only the count of the whole text is exact
        text = "".join(lines[:kept]) + _more(len(lines) - kept)
        cost = count_tokens(text)
        if cost <= max_tokens:
            return ChangeText(text, cost)
        kept -= 1
    return ChangeText("", 0)


def _more(count: int) -> str:
    return f"… {count} more lines\n"


def _changed_lines(old: Sequence[Element], new: Sequence[Element], changes: Sequence[ElementChange]) -> list[str]:
    """Lines of changed elements; equal changes are grouped, in the order of the first of each group."""
    alike: dict[str, list[str]] = {}
    for change in changes:
        before, after = old[change.from_index], new[change.index]
        said = " ".join(_said(before, after, change.fields))
        if not after.ref and said:
            alike[f"{after.role} {said}"] = []
        elif before.ref != after.ref and before.ref:
            alike[f"{before.ref} → {after.ref or 'no ref'} {said}".rstrip()] = []
        elif said:
            alike.setdefault(said, []).append(after.ref)
    return [_line("~", refs, said) for said, refs in alike.items()]


def _moved_lines(old: Sequence[Element], new: Sequence[Element], changes: Sequence[ElementChange]) -> list[str]:
    alike: dict[str, list[str]] = {}
    for change in changes:
        before, after = old[change.from_index], new[change.index]
        if not after.ref:
            continue
        if said := " ".join(_moves(before, after, change.fields)):
            alike.setdefault(said, []).append(after.ref)
    return [_line("~", refs, said) for said, refs in alike.items()]


def _added_lines(new: Sequence[Element], diff: Diff, write: Callable[[Sequence[Element]], str]) -> list[str]:
    added = set(diff.added)
    text = write(keep_indexed(new, lambda index, _: index in added)) if added else ""
    return [f"+ {line}\n" for line in text.split("\n") if line]


def _removed_lines(old: Sequence[Element], diff: Diff) -> list[str]:
    gone = [old[index] for index in diff.removed]
    refs = [element.ref for element in gone if element.ref]
    said = dict.fromkeys(
        f"{element.role} {_quote(called(element))}".rstrip()
        for element in gone
        if not element.ref and element.visible and element.name
    )
    return [*([_line("-", refs, "")] if refs else []), *(f"- {each}\n" for each in said)]


def _line(mark: str, refs: Sequence[str], said: str) -> str:
    return " ".join(part for part in (mark, *join_refs(refs), said) if part) + "\n"


def join_refs(refs: Sequence[str]) -> list[str]:
    """Refs with three or more consecutive ones joined as a range."""
    return [f"{first}-{last}" if first != last else first for first, last in _runs(refs)]


def _runs(refs: Sequence[str]) -> Iterator[tuple[str, str]]:
    run: list[str] = []
    for ref in refs:
        if run and not _follows(run[-1], ref):
            yield from _cut(run)
            run = []
        run.append(ref)
    yield from _cut(run)


def _cut(run: list[str]) -> Iterator[tuple[str, str]]:
    if len(run) > 2:
        yield run[0], run[-1]
    else:
        yield from ((ref, ref) for ref in run)


def _follows(first: str, second: str) -> bool:
    one, two = _NUMBERED_REF.fullmatch(first), _NUMBERED_REF.fullmatch(second)
    return bool(one and two and one[1] == two[1] and int(two[2]) == int(one[2]) + 1)


def _said(before: Element, after: Element, fields: Sequence[str]) -> Iterator[str]:
    """Descriptions of one element's changes, except its position."""
    if "role" in fields:
        yield f"role {before.role} → {after.role}"
    if "name" in fields:
        label = "name " if after.ref else ""
        yield f"{label}{_quote(called(before))} → {_quote(called(after))}"
    elif not after.ref and len(fields) and not {*fields}.isdisjoint(("value", "text", "visible", "states")):
        yield _quote(called(after))
    if "value" in fields:
        yield f"value {_quote(before.value)} → {_quote(after.value)}"
    if "states" in fields:
        yield from (f"+{clear(state)}" for state in after.states if state not in before.states)
        yield from (f"-{clear(state)}" for state in before.states if state not in after.states)
    if "text" in fields and after.role != "row":
        yield f"reads {_quote(after.text)}"
    if "options" in fields:
        yield f"options {_quote(' | '.join(after.options))}"
    if not {*fields}.isdisjoint(("reach", "reachable", "covered_by")) and after.ref:
        yield from _reach_said(after)
    if "visible" in fields:
        yield "shown" if after.visible else "hidden"


def _reach_said(after: Element) -> Iterator[str]:
    if after.blocker and not after.reachable:
        yield f"covered by {clear(after.blocker)}"
    elif after.reachable:
        yield "reachable"
    elif said := _REACH_WORDS[after.reach]:
        yield said
    elif not after.in_viewport:
        yield "out of view"


def _moves(before: Element, after: Element, fields: Sequence[str]) -> Iterator[str]:
    if "box" in fields:
        dx, dy = round(after.box.left - before.box.left), round(after.box.top - before.box.top)
        dw, dh = round(after.box.width - before.box.width), round(after.box.height - before.box.height)
        if dx or dy:
            yield f"moved {dx},{dy}"
        if dw or dh:
            yield f"size {after.box.width:.0f}x{after.box.height:.0f}"
    if "scrollable" in fields and after.scrollable:
        left = after.scrollable
        yield f"scrolled, {left.up:.0f} up and {left.down:.0f} down are left"
    if ORDER in fields:
        yield "reordered"


def _quote(text: str) -> str:
    """The text in quotes, on one line, truncated."""
    return quote(text, MAX_QUOTED)
