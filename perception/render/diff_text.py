"""Renders a diff as text with few tokens, for a reader who has the old list.

    ~ e5 value "" → "a@b.co"
    ~ e7 e8 -disabled
    ~ e4 → e21 name "Save" → "Saving…"
    + - dialog "Saved" [ref=e22]
    +   - button "OK" [ref=e23]
    - e9-e14 e17
    - text "Loading…"
    ~ e1-e8 e15 covered by e22
    ~ e31 placed after e28 in e4
    ~ e1-e8 e15 moved 0,-300

Rule 1: the same change of several elements is one line; consecutive refs are a range, `e9-e14`, which contains only
elements that the line is about. Of many that became covered or moved, which follows from other changes, only the number
is given.
Rule 2: lines are not truncated; `max_tokens` is never exceeded, and omitted lines are counted.
Rule 3: the line of an added element is that of the snapshot's text, indented below added ancestors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from perception.render.diff import ORDER, Diff, ElementChange, identity_of
from perception.render.element_lines import called
from perception.render.quoting import clear, quote
from perception.render.ref_ranges import join_refs
from perception.render.removed_lines import NAME_LENGTH, TEXT_LENGTH, removed_lines
from perception.render.select import keep_indexed
from perception.render.tokens import count_tokens
from perception.types import Element, Reach, Scrollable

MAX_BLOCKER = 40
"""Maximum length of what covers an element, characters."""

MANY_REFS = 12
"""Refs and ranges of a line about reach or position; of more elements the line has the number."""

MANY_MOVES = 4
"""Lines about position. More of them are one line with the number of the elements: coordinates are in the snapshot."""

MOST_PLACED = 2
"""Elements that are listed with their place; of more only the order is given."""

MAX_ORDER = 40
"""How many of the elements in a new order are named."""

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


def diff_lines(
    old: Sequence[Element],
    new: Sequence[Element],
    diff: Diff,
    write: Callable[[Sequence[Element]], str],
    *,
    boxed: bool = False,
    out_of_view: Collection[str] = (),
) -> list[str]:
    """The lines of a diff, most useful first: what follows from other changes is last.

    Args:
        old, new: elements of the two snapshots.
        diff: difference of the two.
        write: renders elements as the snapshot's text does, one line each.
        boxed: the reader has the boxes of the old list, and gets all moves.
        out_of_view: refs that were removed, and are still on the page.
    """
    return [
        *_changed_lines(old, new, diff.changed),
        *_added_lines(new, diff, write),
        *removed_lines(old, diff, out_of_view),
        *_reach_lines(new, diff.changed),
        *_order_lines(old, new, diff.changed),
        *_moved_lines(old, new, diff.changed, boxed=boxed),
    ]


def limit_lines(lines: Sequence[str], max_tokens: int) -> ChangeText:
    """The first lines that fit the budget, and the number of the others; all for 0."""
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
        is_unseen = not (after.ref or before.ref or before.visible or after.visible)
        said = "" if is_unseen else " ".join(_said(before, after, change.fields))
        if not after.ref and said:
            alike[f"{after.role} {said}"] = []
        elif before.ref != after.ref and before.ref:
            alike[f"{before.ref} → {after.ref or 'no ref'} {said}".rstrip()] = []
        elif said:
            alike.setdefault(said, []).append(after.ref)
    return [_line("~", join_refs(refs), said) for said, refs in alike.items()]


def _reach_lines(new: Sequence[Element], changes: Sequence[ElementChange]) -> list[str]:
    alike: dict[str, list[str]] = {}
    for change in changes:
        after = new[change.index]
        if after.ref and not {*change.fields}.isdisjoint(("reach", "reachable", "covered_by")):
            for said in _reach_said(after):
                alike.setdefault(said, []).append(after.ref)
    return [_counted_line(refs, said) for said, refs in alike.items()]


def _order_lines(old: Sequence[Element], new: Sequence[Element], changes: Sequence[ElementChange]) -> list[str]:
    """Where elements stand that are elsewhere among the others: of a few, each with its neighbor, and what it came
    into; of more, one line in their new order. Each by its ref, by the first ref in it, or by its name."""
    moved = {change.index: change.from_index for change in changes if ORDER in change.fields}
    labels: dict[int, str] = {}
    for index in sorted(moved):
        top = index
        while new[top].parent in moved:
            top = new[top].parent
        labels[top] = labels.get(top) or _label(new, top)
    tops = {top: label for top, label in labels.items() if label}
    if len(tops) <= MOST_PLACED:
        return [_line("~", [label], _place(old, new, top, moved[top])) for top, label in tops.items()]
    parts = join_refs(list(tops.values()))
    more = [f"… {len(parts) - MAX_ORDER} more"] if len(parts) > MAX_ORDER else []
    return [_line("~", ["order", *parts[:MAX_ORDER], *more], "")]


def _place(old: Sequence[Element], new: Sequence[Element], index: int, from_index: int) -> str:
    """`placed after e5 in e4`: beside which element it stands, and in which, where that is another one than before."""
    parent, before = new[index].parent, old[from_index].parent
    siblings = [at for at, each in enumerate(new) if each.parent == parent and (at == index or _label(new, at))]
    at = siblings.index(index)
    said = f"placed after {_label(new, siblings[at - 1])}" if at else "placed first"
    if not at and len(siblings) > 1:
        said = f"placed before {_label(new, siblings[1])}"
    is_same = parent < 0 or (before >= 0 and identity_of(old[before]) == identity_of(new[parent]))
    return said if is_same else f"{said} in {_container(new, parent)}"


def _container(elements: Sequence[Element], index: int) -> str:
    """What tells an element that something came into: what is in it does not, as that may be what came."""
    element = elements[index]
    name = called(element)
    return element.ref or (quote(name, NAME_LENGTH) if name else element.role)


def _label(elements: Sequence[Element], index: int) -> str:
    """What tells an element: its ref, the first ref in it, or its name; empty where it has none."""
    end = index + 1
    while end < len(elements) and elements[end].parent >= index:
        end += 1
    ref = next((each.ref for each in elements[index:end] if each.ref), "")
    name = ref or next((named for each in elements[index:end] if (named := called(each))), "")
    return ref or (quote(name, NAME_LENGTH) if name else "")


def _scrolled(left: Scrollable) -> str:
    """How far it can go now, along the ways that it can go at all."""
    upright = f"{left.up:.0f} up and {left.down:.0f} down" if left.up or left.down else ""
    sideways = f"{left.left:.0f} left and {left.right:.0f} right" if left.left or left.right else ""
    return f"scrolled, {', '.join(filter(None, (upright, sideways))) or '0'} are left"


def _moved_lines(
    old: Sequence[Element], new: Sequence[Element], changes: Sequence[ElementChange], *, boxed: bool
) -> list[str]:
    moved: dict[str, list[str]] = {}
    scrolled: dict[str, list[str]] = {}
    for change in changes:
        before, after = old[change.from_index], new[change.index]
        if not after.ref:
            continue
        if said := " ".join(_moves(before, after, change.fields)):
            moved.setdefault(said, []).append(after.ref)
        if "scrollable" in change.fields and after.scrollable:
            scrolled[_scrolled(after.scrollable)] = [after.ref]
    if boxed:
        return [_line("~", join_refs(refs), said) for said, refs in (scrolled | moved).items()]
    if len(moved) > MANY_MOVES:
        moved = {f"{sum(map(len, moved.values()))} elements moved or resized": []}
    return [_counted_line(refs, said) for said, refs in (scrolled | moved).items()]


def _counted_line(refs: Sequence[str], said: str) -> str:
    """A line about these refs, or about their number where that is shorter."""
    parts = join_refs(refs)
    return _line("~", [f"{len(refs)} elements"] if len(parts) > MANY_REFS else parts, said)


def _added_lines(new: Sequence[Element], diff: Diff, write: Callable[[Sequence[Element]], str]) -> list[str]:
    added = set(diff.added)
    text = write(keep_indexed(new, lambda index, _: index in added)) if added else ""
    return [f"+ {line}\n" for line in text.split("\n") if line]


def _line(mark: str, refs: Sequence[str], said: str) -> str:
    return " ".join(part for part in (mark, *refs, said) if part) + "\n"


def _said(before: Element, after: Element, fields: Sequence[str]) -> Iterator[str]:
    """Descriptions of one element's changes, except its reach and its position."""
    if "role" in fields:
        yield f"role {before.role} → {after.role}"
    if "name" in fields:
        label = "name " if after.ref else ""
        was, now = (called(each) if each.visible or each.ref else "" for each in (before, after))
        yield f"{label}{_quote(was)} → {_quote(now)}"
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
    if "visible" in fields:
        yield "shown" if after.visible else "hidden"


def _reach_said(after: Element) -> Iterator[str]:
    if after.blocker and not after.reachable:
        yield f"covered by {clear(after.blocker, MAX_BLOCKER)}"
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


def _quote(text: str) -> str:
    """The text in quotes, on one line, truncated."""
    return quote(text, TEXT_LENGTH)
