"""Parses a query in words into name, role and position. Pure.

    the second "Save" button next to Title in the Users table

The grammar is English; names are the page's, in any language. Words that may be a part of a name ("Next to me") are
ambiguous: a query has several readings, among them the literal one, and an element's score is that of its best reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum


class RelationSide(Enum):
    """Spatial relation of an element to an anchor."""

    NEAR = "near"
    LEFT = "left of"
    RIGHT = "right of"
    ABOVE = "above"
    BELOW = "below"
    IN = "in"
    ROW = "in the row of"


@dataclass(frozen=True, slots=True)
class Called:
    """A noun phrase.

    Attributes:
        words: the name; "" for any.
        roles: possible roles, most likely first; empty for any.
        quoted: whether the name was in quotes.
    """

    words: str
    roles: tuple[str, ...] = ()
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation to an anchor.

    Attributes:
        side: the relation.
        anchor: readings of the phrase that names the anchor.
    """

    side: RelationSide
    anchor: tuple[Called, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """One reading of a query.

    Attributes:
        called: name and role.
        relations: relations to anchors.
        places: sides of the viewport: top, bottom, left, right, middle.
        ordinal: index among matching elements, from 0, or -1 for the last; None for any.
        literal: whether words that could be a relation are read as a part of the name.
    """

    called: Called
    relations: tuple[Relation, ...] = ()
    places: frozenset[str] = frozenset()
    ordinal: int | None = None
    literal: bool = False


_TYPED = ("textbox", "searchbox", "combobox", "spinbutton", "DateTime", "Date", "InputTime")
_CONTAINERS = (
    *("region", "group", "form", "table", "grid", "treegrid", "list", "toolbar", "navigation", "main", "banner"),
    *("complementary", "contentinfo", "dialog", "alertdialog", "tabpanel", "article", "menu", "tree", "listbox"),
    *("search", "radiogroup", "tablist", "menubar", "figure", "row", "iframe"),
)

ROLE_WORDS: Mapping[str, tuple[str, ...]] = {
    "button": ("button", "switch", "menuitem", "link", "tab"),
    "link": ("link", "button", "menuitem", "tab"),
    "hyperlink": ("link",),
    "field": _TYPED,
    "input": _TYPED,
    "input field": _TYPED,
    "text field": _TYPED,
    "text box": _TYPED,
    "textbox": _TYPED,
    "textfield": _TYPED,
    "text area": _TYPED,
    "textarea": _TYPED,
    "text input": _TYPED,
    "search box": ("searchbox", "combobox", "textbox"),
    "search field": ("searchbox", "combobox", "textbox"),
    "search bar": ("searchbox", "combobox", "textbox"),
    "box": (*_TYPED, "checkbox"),
    "checkbox": ("checkbox", "switch", "menuitemcheckbox"),
    "check box": ("checkbox", "switch", "menuitemcheckbox"),
    "radio": ("radio", "menuitemradio"),
    "radio button": ("radio", "menuitemradio"),
    "switch": ("switch", "checkbox", "button"),
    "toggle": ("switch", "checkbox", "button"),
    "dropdown": ("combobox", "listbox", "button"),
    "drop-down": ("combobox", "listbox", "button"),
    "dropdown list": ("combobox", "listbox"),
    "drop-down list": ("combobox", "listbox"),
    "dropdown menu": ("combobox", "listbox", "button", "menu"),
    "select": ("combobox", "listbox"),
    "combobox": ("combobox",),
    "combo box": ("combobox",),
    "listbox": ("listbox", "combobox"),
    "list box": ("listbox", "combobox"),
    "tab": ("tab", "link", "button"),
    "menu": ("menu", "menubar", "button", "menuitem", "combobox", "navigation"),
    "menu item": ("menuitem", "menuitemcheckbox", "menuitemradio", "option", "link"),
    "menu entry": ("menuitem", "menuitemcheckbox", "menuitemradio", "option", "link"),
    "option": ("option", "radio", "menuitem", "menuitemradio"),
    "item": ("listitem", "option", "menuitem", "treeitem", "row", "link"),
    "list item": ("listitem", "option", "link"),
    "tree item": ("treeitem",),
    "icon": ("img", "button", "link", "menuitem", "tab"),
    "image": ("img", "figure", "canvas"),
    "picture": ("img", "figure", "canvas"),
    "logo": ("img", "link"),
    "heading": ("heading",),
    "title": ("heading",),
    "header": ("heading", "banner", "columnheader"),
    "row": ("row",),
    "cell": ("cell", "gridcell", "columnheader", "rowheader"),
    "column": ("columnheader",),
    "slider": ("slider", "spinbutton"),
    "spinner": ("spinbutton",),
    "text": ("text", "heading", "status", "alert"),
    "label": ("text", "heading"),
    "message": ("alert", "status", "text"),
    "dialog": ("dialog", "alertdialog"),
    "popup": ("dialog", "alertdialog", "menu"),
    "modal": ("dialog", "alertdialog"),
    "window": ("dialog", "alertdialog"),
    "table": ("table", "grid", "treegrid"),
    "grid": ("grid", "table", "treegrid"),
    "list": ("list", "listbox", "tree"),
    "form": ("form", "search"),
    "toolbar": ("toolbar",),
    "navigation": ("navigation",),
    "nav": ("navigation",),
    "sidebar": ("complementary", "navigation"),
    "footer": ("contentinfo",),
    "frame": ("iframe",),
    "iframe": ("iframe",),
    "canvas": ("canvas",),
    "chart": ("canvas", "img", "figure"),
    "section": _CONTAINERS,
    "area": _CONTAINERS,
    "panel": _CONTAINERS,
    "region": _CONTAINERS,
    "group": _CONTAINERS,
    "card": _CONTAINERS,
}
"""Roles for common words; the most likely role comes first."""

_ORDINALS = {
    word: count for count, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split())
} | {"last": -1}
_QUOTES = re.compile(
    "\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|„([^“”]+)[“”]|「([^」]+)」|『([^』]+)』|(?<!\\w)'([^']+)'(?!\\w)"
)
_QUOTE_MASK = re.compile("\x00(\\d+)\x00")
_VERB = re.compile(
    r"^(?:please\s+)?(?:(?:double[- ]?|right[- ]?)?click|tap|press|push|hit|select|choose|pick|tick|toggle|find|locate"
    r"|focus|open|hover(?:\s+over)?|fill(?:\s+in)?|type(?:\s+in(?:to)?)?|go\s+to|show\s+me)(?:\s+on)?\s+(?=\S)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|an?|this|that)\s+(?=\S)", re.IGNORECASE)
_SIDE_WORDS = r"(?:top|bottom|upper|lower|left|right|middle|cent(?:er|re))"
_PLACE = re.compile(
    rf"\b(?:at|in|on|near)\s+(?:the\s+)?(?:very\s+)?({_SIDE_WORDS}(?:[\s-]+{_SIDE_WORDS})?)"
    r"(?:[\s-]+hand)?(?:\s+(?:corner|side|edge|half|part))?(?:\s+of\s+(?:the\s+)?(?:page|screen|window|viewport))?"
    r"(?!\s+of\b)(?=\s|$|,)",
    re.IGNORECASE,
)
_PLACE_FIRST = re.compile(
    rf"^({_SIDE_WORDS}(?:[\s-]+{_SIDE_WORDS})?)(?:[\s-]+(?:most|corner))?\s+(?=\S)", re.IGNORECASE
)
_ORDINAL = re.compile(rf"^(?:(\d+)(?:st|nd|rd|th)|({'|'.join(_ORDINALS)}))\s+(?=\S)", re.IGNORECASE)
_CALLED = re.compile(
    r"^(?:(?:that\s+)?(?:says|reads)|(?:which\s+is\s+)?(?:named|called|label(?:l)?ed|titled)"
    r"|with\s+(?:the\s+)?(?:text|name|label|title)|to|for|of|:)\s+(?=\S)",
    re.IGNORECASE,
)
_RELATIONS: tuple[tuple[RelationSide, re.Pattern[str]], ...] = tuple(
    (side, re.compile(rf"(?:^|[\s,])(?:{words})\s+(?=\S)", re.IGNORECASE))
    for side, words in (
        (
            RelationSide.ROW,
            r"(?:in|on|of|from)\s+(?:the\s+)?(?:same\s+)?(?:row|line)\s+(?:of|for|as|with|that\s+(?:says|has))",
        ),
        (RelationSide.LEFT, r"(?:(?:to|on|at)\s+)?(?:the\s+)?left(?:[\s-]+hand)?(?:\s+side)?\s+(?:of|from)"),
        (RelationSide.RIGHT, r"(?:(?:to|on|at)\s+)?(?:the\s+)?right(?:[\s-]+hand)?(?:\s+side)?\s+(?:of|from)"),
        (
            RelationSide.NEAR,
            r"(?:right\s+|directly\s+)?(?:next\s+to|beside|besides|near(?:\s+to)?|close\s+to|by|alongside"
            r"|adjacent\s+to)",
        ),
        (RelationSide.BELOW, r"(?:right\s+|directly\s+|just\s+)?(?:below|under(?:neath)?|beneath)"),
        (RelationSide.ABOVE, r"(?:right\s+|directly\s+|just\s+)?(?:above|over)"),
        (RelationSide.IN, r"inside(?:\s+of)?|within|in|on|of|from|under"),
        (RelationSide.ROW, r"for"),
    )
)


def read_query(text: str) -> tuple[ParsedQuery, ...]:
    """All readings of a query, the literal one first; empty for a query without words."""
    asked = " ".join(text.split())
    if not asked:
        return ()
    quotes: list[str] = []

    def mask(match: re.Match[str]) -> str:
        quotes.append(next(group for group in match.groups() if group))
        return f"\x00{len(quotes) - 1}\x00"

    masked = _QUOTES.sub(mask, asked.replace("\x00", ""))
    readings = [ParsedQuery(Called(asked), literal=True)]
    for stripped in dict.fromkeys((_VERB.sub("", masked), masked)):
        readings += _readings(stripped, quotes)
    return tuple(dict.fromkeys(readings))


def roles_meant(word: str) -> frozenset[str]:
    """The roles, in lower case, for a word that stands alone: an ARIA role itself, or the roles of a common word such
    as `dropdown`. An unknown word is returned unchanged."""
    asked = " ".join(word.lower().split())
    meant = ROLE_WORDS.get(asked, (asked,))
    return frozenset((asked,) if meant[0] == asked else (role.lower() for role in meant))


def _readings(text: str, quotes: list[str]) -> Iterator[ParsedQuery]:
    places: frozenset[str] = frozenset()
    if found := _PLACE.search(text):
        places = _sides(found[1])
        text = (text[: found.start()] + " " + text[found.end() :]).strip(" ,")
    head, relations = _split(text, quotes)
    head, ordinal, first = _head(head)
    for called in _calls(head, quotes):
        yield ParsedQuery(called, relations, places | first, ordinal)
    if relations:  # the words of the relation may also belong to the name
        whole, count, first = _head(text)
        for called in _calls(whole, quotes):
            yield ParsedQuery(called, (), places | first, count, literal=True)


def _head(text: str) -> tuple[str, int | None, frozenset[str]]:
    """A phrase without article, ordinal and place; the ordinal; the place."""
    text = _ARTICLE.sub("", text.strip(" ,."))
    ordinal: int | None = None
    places: frozenset[str] = frozenset()
    if found := _ORDINAL.match(text):
        ordinal = int(found[1]) - 1 if found[1] else _ORDINALS[found[2].lower()]
        text = text[found.end() :]
    elif found := _PLACE_FIRST.match(text):
        places = _sides(found[1])
        text = text[found.end() :]
    return text, ordinal, places


def _split(text: str, quotes: list[str]) -> tuple[str, tuple[Relation, ...]]:
    """Splits a phrase into its head and its relations."""
    marks: list[tuple[int, int, RelationSide]] = []
    for side, pattern in _RELATIONS:
        for match in pattern.finditer(text):
            # Parts of a phrase that has matched as a whole are not matched again.
            if all(match.end() <= start or match.start() >= end for start, end, _ in marks):
                marks.append((match.start(), match.end(), side))
    marks.sort()
    if not marks:
        return text.strip(" ,"), ()
    ends = [*(start for start, _, _ in marks[1:]), len(text)]
    relations = []
    for (_, end, side), until in zip(marks, ends, strict=True):
        anchor = tuple(_calls(_head(text[end:until])[0], quotes))
        if anchor:
            relations.append(Relation(side, anchor))
    return text[: marks[0][0]].strip(" ,"), tuple(relations)


def _calls(text: str, quotes: list[str]) -> Iterator[Called]:
    """Readings of a noun phrase as name and role: `Save button`, `button Save`, `button labelled Save`, `Save`."""
    text = _ARTICLE.sub("", text.strip(" ,."))
    if not text:
        return
    whole, quoted = _unmask(text, quotes)
    yield Called(whole, (), quoted)
    words = text.split()
    for size in (2, 1):
        if len(words) < size:
            continue
        if roles := _roles(words[-size:]):
            rest = " ".join(words[:-size])
            yield Called(*_role_first(rest, roles, quotes))
            break
        if roles := _roles(words[:size]):
            rest = _CALLED.sub("", " ".join(words[size:]))
            yield Called(*_role_first(rest, roles, quotes))
            break


def _role_first(text: str, roles: tuple[str, ...], quotes: list[str]) -> tuple[str, tuple[str, ...], bool]:
    words, quoted = _unmask(_ARTICLE.sub("", text), quotes)
    return words, roles, quoted


def _roles(words: list[str]) -> tuple[str, ...]:
    asked = " ".join(words).lower().strip(":,.")
    return ROLE_WORDS.get(asked) or ROLE_WORDS.get(asked.removesuffix("s"), ())


def _unmask(text: str, quotes: list[str]) -> tuple[str, bool]:
    """The words with quotations restored, and whether the phrase is a quotation."""
    found = [quotes[int(number)] for number in _QUOTE_MASK.findall(text)]
    if found and not re.search(r"\w", _QUOTE_MASK.sub("", text)):
        return " ".join(found), True
    return _QUOTE_MASK.sub(lambda match: quotes[int(match[1])], text), False


def _sides(text: str) -> frozenset[str]:
    named = {"upper": "top", "lower": "bottom", "center": "middle", "centre": "middle"}
    return frozenset(named.get(word, word) for word in re.split(r"[\s-]+", text.lower()))
