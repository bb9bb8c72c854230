"""Renders one element as one line, in each style.

    - textbox "Email" [ref=e2]: "a@b.co" [required]     ROLE_REF
    e2 textbox Email: "a@b.co" (required)               COMPACT

Rule 1: an element is one line; several texts may share one. Rule 2: text that no person can see is not rendered.
Rule 3: values and names are the page's words, never invented; an ellipsis marks omitted characters. A name that says
what an icon shows is marked `icon`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perception.invisible import without_invisible
from perception.render.quoting import MAX_MARK, MAX_QUOTED_NAME, bare, clear, cut, quote
from perception.types import Element, NameSource, Reach, Scrollable, TextStyle

MAX_OPTIONS = 8
"""Maximum number of options that are listed. Chosen by hand; guarded by `tests/unit/render`, as the next."""

MAX_OPTION = 40
"""Maximum length of an option, characters: about twice the widest column of a usual form."""

INDENT = {TextStyle.ROLE_REF: "  ", TextStyle.COMPACT: " "}
"""Indentation of each level. A single blank before a word costs no token of its own (o200k_base)."""

LISTS = frozenset({"combobox", "listbox"})

TEXT_FIELDS = frozenset({"textbox", "searchbox", "combobox"})
"""Roles whose hint is what is to be entered."""

AFFORDANCES = frozenset({"draggable", "droppable", "hoverable", "context menu", "resizes"})
"""States that say what a person does with an element besides clicking it."""

MISLABELLED = "mislabelled"
"""State of an element whose painted text differs from its name; its `text` is the painted text."""


PIXELS_SHOW = "pixels show "
"""Beginning of the state of an element whose pixels contradict it; what they show follows."""


@dataclass(frozen=True, slots=True)
class Known:
    """What an element's line need not say, because other lines do.

    Attributes:
        name: the lines below contain all of it.
        level: that of the heading above.
        blocker: that of the covered control above.
    """

    name: bool = False
    level: bool = False
    blocker: bool = False


NOTHING = Known()


def element_line(
    element: Element, style: TextStyle, *, limit: int = MAX_QUOTED_NAME, known: Known = NOTHING, boxed: bool = False
) -> str:
    """The line of an element, without indentation, with its line end.

    Args:
        element: any element.
        style: text style.
        limit: maximum length of name, value and other texts, characters.
        known: what other lines say of it.
        boxed: whether the line has the element's box.
    """
    marks = [*box_marks(element, style, boxed=boxed), *_marks(element, style, limit, known)]
    if style is TextStyle.COMPACT:
        return _compact(element, limit, marks, known)
    parts = [f"- {element.role}"]
    name = called(element)
    if name and not known.name:
        parts.append(quote(name, limit))
    if element.ref:
        parts.append(f"[ref={element.ref}]")
    line = " ".join(parts)
    if element.value and is_seen(element):
        line += f": {quote(element.value, limit)}"
    return line + "".join(f" [{mark}]" for mark in marks) + "\n"


def texts_line(texts: Sequence[Element], *, limit: int = MAX_QUOTED_NAME) -> str:
    """The line of several texts in the role-ref style, without indentation: each in quotes of its own."""
    return f"- text {' '.join(quote(called(text), limit) for text in texts)}\n"


def called(element: Element) -> str:
    """The name in an element's line. That of a table row is its cells, separated by bars; that of an invisible element
    is empty."""
    if not is_seen(element):
        return ""
    return without_invisible(element.text if element.role == "row" and element.text else element.name)


def is_seen(element: Element) -> bool:
    """Whether the element's text may be rendered. An invisible control has a line without text: it may be clicked."""
    return element.visible or not element.interactive


def box_marks(element: Element, style: TextStyle, *, boxed: bool = True) -> list[str]:
    """The mark of an element's box, CSS px of the viewport: `box=8,40,120,24`, or `@8,40,120,24`; none without area."""
    if not boxed or not element.box.area:
        return []
    box = element.box
    sides = f"{box.left:.0f},{box.top:.0f},{box.width:.0f},{box.height:.0f}".replace("-0,", "0,")
    return [f"@{sides}" if style is TextStyle.COMPACT else f"box={sides}"]


def region_line(element: Element, style: TextStyle, *, limit: int = MAX_QUOTED_NAME, boxed: bool = False) -> str:
    """The line of a region in a digest. The counts of its content are our words, so they have no quotes."""
    marks = [*box_marks(element, style, boxed=boxed), *map(clear, element.states)]
    if element.scrollable is not None:
        marks += _scroll_marks(element.scrollable)
    amounts = f": {cut(element.text, limit)}" if element.text else ""
    if style is TextStyle.COMPACT:
        words = [element.ref, element.role, bare(element.name, limit) if element.name else ""]
        return " ".join(filter(None, words)) + amounts + (f" ({', '.join(marks)})\n" if marks else "\n")
    words = [f"- {element.role}", quote(element.name, limit) if element.name else ""]
    words.append(f"[ref={element.ref}]" if element.ref else "")
    return " ".join(filter(None, words)) + amounts + "".join(f" [{mark}]" for mark in marks) + "\n"


def context_line(element: Element, style: TextStyle) -> str:
    """The line of an ancestor that is listed on another page: only role and name, as context for the lines below."""
    name = cut(called(element), MAX_OPTION)
    if style is TextStyle.COMPACT:
        return f"{element.role} {bare(name)} …\n" if name else f"{element.role} …\n"
    return f"- {element.role} {quote(name)} …\n" if name else f"- {element.role} …\n"


def shortest_line(element: Element, style: TextStyle) -> str:
    """Only role and ref, with an ellipsis."""
    if style is TextStyle.COMPACT:
        return f"{element.ref} {_role(element)} …\n" if element.ref else f"{_role(element)} …\n"
    return f"- {element.role} [ref={element.ref}] …\n" if element.ref else f"- {element.role} …\n"


def level_of(element: Element) -> int:
    """A heading's level; 2 if it has none."""
    found = next((state for state in element.states if state.startswith("level=")), "level=2")
    number = found.removeprefix("level=")
    return int(number) if number.isdecimal() else 2


def _compact(element: Element, limit: int, marks: Sequence[str], known: Known) -> str:
    end = f" ({', '.join(marks)})\n" if marks else "\n"
    if not element.ref and element.name and is_seen(element):
        if element.role == "text":
            return quote(element.name, limit) + end
        if element.role == "heading":
            # Levels as in Markdown, which has six.
            name = "" if known.name else f" {bare(element.name, limit)}"
            return f"{'#' * min(max(level_of(element), 1), 6)}{name}{end}"
    line = f"{element.ref} {_role(element)}" if element.ref else element.role
    name = called(element)
    if name and not known.name:
        line += f" {bare(name, limit)}"
    if element.value and is_seen(element):
        line += f": {quote(element.value, limit)}"
    return line + end


def _role(element: Element) -> str:
    """The role in the compact style, which is `clickable` for a generic element with a click listener."""
    return "clickable" if element.role == "generic" and "clickable" in element.states else element.role


def _marks(element: Element, style: TextStyle, limit: int, known: Known) -> Iterator[str]:
    compact = style is TextStyle.COMPACT
    for state in element.states:
        if state.startswith(PIXELS_SHOW):
            yield PIXELS_SHOW + quote(state.removeprefix(PIXELS_SHOW), min(limit, MAX_MARK))
        elif not (state == MISLABELLED or _is_implied(element, state, known, compact=compact)):
            yield clear(state)
    if not is_seen(element):
        yield from ("unseen", *_reach_marks(element, known))
        return
    if element.ref.startswith("v") and element.click_point is not None:
        yield f"at={element.click_point.x:.0f},{element.click_point.y:.0f}"
    if element.ref.startswith("v") and element.role == "grid" and element.text:
        yield element.text  # where its cells are
    if element.interactive:
        yield from _reach_marks(element, known)
    if element.scrollable is not None:
        yield from _scroll_marks(element.scrollable)
    if element.options:
        yield _options_mark(element.options, element.option_count, compact=compact)
    if element.name_source is NameSource.ICON:
        yield "icon"
    if element.hint and (not element.name or _is_to_be_entered(element)):
        yield f"hint={quote(element.hint, min(limit, MAX_MARK))}"
    if _reads(element):
        yield f"{'painted' if MISLABELLED in element.states else 'reads'} {quote(element.text, limit)}"


def _is_to_be_entered(element: Element) -> bool:
    """Whether the hint says what an empty field takes, and no state does."""
    has_range = any(state.startswith("range=") for state in element.states)
    return element.role in TEXT_FIELDS and not element.value and not has_range


def _is_implied(element: Element, state: str, known: Known, *, compact: bool) -> bool:
    """Whether the rest of the line says a state, or a line above."""
    if state == "clickable":
        if not AFFORDANCES.isdisjoint(element.states):
            return False  # it is not only there for these
        # In the compact style it is the role; in the other, a ref without a role is there to be clicked or scrolled.
        return element.role == "generic" and (compact or (bool(element.ref) and element.scrollable is None))
    if state == "haspopup":
        return element.role == "combobox"
    return element.role == "heading" and state.startswith("level=") and (compact or known.level)


def is_covered(element: Element) -> bool:
    """Whether another element is on top of a control."""
    return element.reach is Reach.COVERED or (element.in_viewport and not element.reachable and bool(element.blocker))


def _reach_marks(element: Element, known: Known) -> Iterator[str]:
    if element.locked:
        return  # the line of the popup says it for all of them
    if element.reach is Reach.NEVER:
        yield "unreachable"
    elif is_covered(element):
        yield f"covered by {clear(element.blocker)}" if element.blocker and not known.blocker else "covered"


def _scroll_marks(left: Scrollable) -> Iterator[str]:
    """How far a container can be scrolled; less than a pixel is rounding."""
    ways = (("up", left.up), ("down", left.down), ("left", left.left), ("right", left.right))
    found = " ".join(f"{way}={rest:.0f}" for way, rest in ways if rest >= 1)
    if found:
        yield f"scroll {found}"


def _options_mark(options: Sequence[str], count: int, *, compact: bool) -> str:
    shown = [cut(option, MAX_OPTION) for option in options[:MAX_OPTIONS]]
    rest = max(count, len(options)) - len(shown)
    words = [_option(option) if compact else quote(option) for option in shown]
    if rest:
        words.append(f"… {rest} more")
    return (" | " if compact else ", ").join(words) if compact else f"options: {', '.join(words)}"


def _option(text: str) -> str:
    return bare(text) if "|" not in text else quote(text)


def _reads(element: Element) -> bool:
    """Whether an element's pixels contain text that its line does not. The text of lists is in their options."""
    if MISLABELLED in element.states:
        return bool(element.text)
    if not element.text or element.ref.startswith("v") or element.role in LISTS:
        return False
    return element.text != called(element)
