"""What a field made of typed text: compares what it held, what was typed and what it holds now. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from perception.page_words import quoted_words

MAX_QUOTED = 60
"""Characters of a field's text in a note. Chosen by hand."""

MAX_SOUGHT = 80
"""Characters of a line that an editor has to show. Chosen by hand."""

MAX_LINES_SHOWN = 5
"""Lines that an editor shows at once; of more it may show only those around the caret. Chosen by hand."""

_SPACES = re.compile(r"[\s\u200b\u200c\u200d\u2060\ufeff]+")
_FILLER = re.compile(r"[\W_]+")


class FieldText(msgspec.Struct):
    """What a field holds, from the walker (typing_api.js).

    Attributes:
        text: its text; dots of the same number for a sensitive field.
        version: tells its texts apart while it is watched: the same number is the same text, and -1 none.
        letters: how many letters and digits its text has.
        touched: it has held another text between the keys.
        replaced: it is in place of the field that was typed into, which the page has removed.
        refocused: it got the focus by script, as the page had left it without.
        is_given: it has the letters and digits of the text that it was last compared with, in any case; without such,
            the text.
        secret: it is sensitive.
        editor: it is an editor of rich text, and not a form field.
        type: an input's type, else its tag.
        selected: the selected part of the text, in UTF-16 units; None where the field does not tell.
        most: its `maxlength`; -1 for none.
        shown: a person sees the text in it. Editors may take keys in a field that nobody sees.
        inputs: how many `input` events it had since it is watched.
        moved: how many changes the document had outside of it since then.
        focused: it still has the focus.
        painted: it is out of sight, and `text` is what is painted around it.
    """

    text: str
    secret: bool
    editor: bool
    type: str
    selected: tuple[int, int] | None
    most: int
    shown: bool
    inputs: int
    moved: int
    focused: bool
    painted: bool = False
    version: int = -1
    letters: int = 0
    touched: bool = False
    replaced: bool = False
    refocused: bool = False
    is_given: bool = False

    def is_text_of(self, other: FieldText) -> bool:
        """Whether both hold the same text. Of sensitive texts only the versions tell."""
        if self.secret or other.secret:
            return self.version == other.version or self.text == other.text == ""
        return self.text == other.text


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of typed text.

    Attributes:
        is_unchanged: the field holds what it held before.
        note: what the caller should know; empty where the field holds the text as it was typed.
        in_own_form: the field holds the text, written in its own way.
    """

    is_unchanged: bool = False
    note: str = ""
    in_own_form: bool = False


def compare_typed(before: FieldText, after: FieldText, text: str, held: FieldText | None = None) -> Taken:
    """What a field made of a text.

    Args:
        before: the field before the input, its caret where the text goes; empty where the text replaces what it held.
        after: the field after the input.
        held: the field that the text was to replace the text of; None for none.
    """
    taken = _compare(before, after, text)
    if held is None or not held.text or not after.is_text_of(held) or not (taken.note or after.secret):
        return taken
    is_the_text = after.touched or after.is_given if after.secret else taken.in_own_form
    return taken if is_the_text else Taken(is_unchanged=True)


def _compare(before: FieldText, after: FieldText, text: str) -> Taken:
    if not _squeezed(text) or not after.shown:
        return Taken()
    expected = _expected(before, text)
    if _squeezed(after.text) == _squeezed(expected):
        return Taken()
    if after.is_text_of(before):
        return Taken(is_unchanged=True)
    if after.secret or before.secret:
        return _compare_lengths(before, after, text, expected)
    if after.editor and _appears(before.text, after.text, text):
        return Taken()
    if after.painted and _canonical(before.text) in _canonical(after.text):
        return Taken(is_unchanged=True)  # a message is painted beside it
    if after.editor:
        return Taken(note=_differs(after))
    if _squeezed(after.text).startswith(_squeezed(expected)):
        return Taken()  # completed by the page
    if _canonical(after.text) == _canonical(expected):
        return _own_form(after)
    if after.most >= 0 and _units(after.text) >= after.most and _units(expected) > after.most:
        return Taken(note=f"the field takes at most {after.most} characters: it holds {_quoted(after.text)}")
    if after.type == "number":
        return Taken(note=f"a field of type number takes numbers only: it holds {_quoted(after.text)}")
    if _canonical(text) and _canonical(text) in _canonical(after.text):
        return _own_form(after)
    return Taken(note=_differs(after))


def may_retry(after: FieldText) -> bool:
    """Whether nothing says that the page took what changed nothing: it may be typed again, in another way."""
    if not after.shown or after.painted or not after.focused or after.moved:
        return False
    return not 0 <= after.most <= _units(after.text)


def why_unchanged(after: FieldText, *, is_added: bool) -> str:
    """Why a field may hold what it held before, in words; for an error.

    Args:
        is_added: the text was to be added to what the field held.
    """
    if is_added and 0 <= after.most <= _units(after.text):
        return f"it is full, with {after.most} characters at most: clear it first"
    if after.type == "number":
        return "a field of type number takes numbers only: write the text as one"
    other_way = ", or replace what it holds (clear)" if is_added and after.text and not after.editor else ""
    return f"look at what the page accepts there{other_way}"


def with_refocus(note: str, after: FieldText) -> str:
    """A note, and that a field got the focus back."""
    if not after.refocused:
        return note
    drawn = (
        "the page draws the field again as it is typed into, and leaves it without the focus: it was focused by script"
    )
    return f"{drawn}; {note}" if note else drawn


def note_of_refilled(after: FieldText) -> str:
    """The note about a field that holds a text again as soon as it is empty."""
    held = "" if after.secret else f": it holds {_quoted(after.text)}"
    return f"the page keeps the field from being empty{held}"


def _compare_lengths(before: FieldText, after: FieldText, text: str, expected: str) -> Taken:
    """What a sensitive field took, of which only lengths are known. A mask has places for all of its text, before and
    after."""
    if _units(after.text) == _units(expected):
        return Taken()
    if after.letters in {len(_canonical(text)), before.letters + len(_canonical(text))}:
        return _own_form(after)
    if after.most >= 0 and _units(after.text) >= after.most:
        return Taken(note=f"the field takes at most {after.most} characters: the rest was cut off")
    if _units(after.text) == _units(before.text):
        return Taken(note="the field does not hold the text as it was typed")
    return Taken(note=f"the field holds {_units(after.text)} characters, and not the {_units(expected)} expected")


def _own_form(after: FieldText) -> Taken:
    what = "" if after.secret else f": it holds {_quoted(after.text)}"
    return Taken(note=f"the field writes the text in its own form{what}", in_own_form=True)


def _expected(before: FieldText, text: str) -> str:
    """What a field holds that takes a text as it is. Without a known caret, the text is at the end."""
    if before.selected is None:
        return before.text + text
    units = before.text.encode("utf-16-le", "surrogatepass")
    start, end = before.selected
    return units[: 2 * start].decode("utf-16-le", "replace") + text + units[2 * end :].decode("utf-16-le", "replace")


def _appears(before: str, after: str, text: str) -> bool:
    """Whether an editor shows a text that it did not show before. It may write letters alone as they are; and of a long
    text only the lines in view, and only a part of a long line."""
    lines = [line for line in map(_canonical, text.splitlines()) if line] or [_squeezed(text)]
    was, now = (_canonical(before), _canonical(after)) if _canonical(text) else (_squeezed(before), _squeezed(after))
    sought = [lines[0][:MAX_SOUGHT], lines[-1][-MAX_SOUGHT:]]
    found = [line for line in sought if now.count(line) > was.count(line)]
    return bool(found) if len(lines) > MAX_LINES_SHOWN else len(found) == len(sought)


def _differs(after: FieldText) -> str:
    what = "editor" if after.editor else "field"
    held = after.text[-MAX_QUOTED:] if after.editor else after.text
    return f"the {what} does not hold the text as it was typed: it holds {_quoted(held)}"


def _quoted(text: str) -> str:
    return quoted_words(text, MAX_QUOTED + 1)


def _squeezed(text: str) -> str:
    return _SPACES.sub("", text)


def _canonical(text: str) -> str:
    return _FILLER.sub("", text).casefold()


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
