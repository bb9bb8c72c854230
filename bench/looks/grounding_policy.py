"""A policy without a model: which listed element an instruction means. Pure.

It is a measuring instrument: it simulates an agent that reads only the list, so that two lists can be compared by what
it finds in them. It must stay simple and stable: results before and after a change of it cannot be compared.

Rule 1: it decides by what is listed (names, roles, text, values, boxes, order), never by the truth.
Rule 2: an element's score is a product: text × role × position × whether it can be acted on.
Rule 3: of equal scores, the element listed first is chosen.
Rule 4: an element without a position in the list cannot be clicked, and is not chosen.

It understands: words in quotes (“ ” « » 「 」 too) or after "named"; the common names of roles; `to the left of`,
`right of`, `above`, `below`, `next to`, `in the row`, `in` with words in quotes or after them; `2nd`, `last`; and free
words in any language, which are compared with the text of elements. Words may be misread, numbers not: "Order 17" is
not "Order 16". It does not know what a picture shows, synonyms, or the topic of a page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.geometry import Box

# The numbers below were chosen by hand: a few were checked on the 24 smoke pages, none on other pages.

WORTH_A_CLICK = 0.3
"""Below this score no listed element resembles the requested one."""

LIKE = 85.0
"""rapidfuzz ratio (0 … 100) from which two words count as the same word, misread: one letter in seven."""

ICON_SIDE = 64.0
"""CSS px: a larger picture is not called an icon."""

_FIELD = "textbox searchbox combobox spinbutton"
_ROLE_WORDS: Mapping[str, frozenset[str]] = {
    word: frozenset(roles.split())
    for words, roles in (
        ("button", "button switch"),
        ("link", "link"),
        ("checkbox check-box tickbox", "checkbox menuitemcheckbox switch"),
        ("radio", "radio menuitemradio"),
        ("switch toggle", "switch checkbox button"),
        ("field textbox textfield textarea input box bar", _FIELD),
        ("dropdown drop-down combobox list", "combobox listbox button"),
        ("tab", "tab link button"),
        ("menu tree item", "menuitem menuitemcheckbox menuitemradio option treeitem link"),
        ("option", "option radio menuitem"),
        ("slider", "slider"),
        ("icon image picture logo symbol", "img image icon button link generic"),
    )
    for word in words.split()
}
_PICTURE_ROLES = frozenset({"icon", "image", "picture", "logo", "symbol"})
_MEANT = ((r"type|enter|write|fill-in|fill", "field"), (r"check|uncheck|tick|untick", "checkbox"))
"""Verbs that imply a role if no word names one."""

_STOP = frozenset("a an and at by for from in into it its me my of on or please the this to with you your".split())
_POINTING = frozenset("choose click find go hit navigate open press push see select show tap use view visit".split())
_WEIGHTS = {**dict.fromkeys(_STOP, 0.05), **dict.fromkeys(_POINTING, 0.3), **dict.fromkeys(_ROLE_WORDS, 0.2)}

_ORDINAL_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_QUOTED = re.compile(
    r"\"([^\"]+)\"|[“„]([^”“]+)[”“]|«([^»]+)»|「([^」]+)」|『([^』]+)』|(?<!\w)['\u2018]([^'\u2019]+)['\u2019](?!\w)"
)
_NAMED = re.compile(
    r"\b(?:named|called|labell?ed|titled)\s+(?!\0)(.+?)(?=,|\s+(?:in|to|on|above|below|under|next|beside|near|left|right)\b|$)"
)
_DIGITS = re.compile(r"\d+")
_MARK = re.compile(r"\0(\d+)\0")
_PHRASAL = re.compile(r"\b(fill|log|sign|type|zoom)\s+in\b")
_RELATION = re.compile(
    r"\b(?P<left>left (?:side )?(?:of|from))\b|\b(?P<right>right (?:side )?(?:of|from))\b|\b(?P<above>above|over)\b"
    r"|\b(?P<below>below|beneath|underneath|under)\b|\b(?P<beside>next to|beside|near|adjacent to)\b"
    r"|\b(?P<row>in (?:the )?(?:same )?row(?: (?:of|with))?)\b"
    r"|\b(?P<within>(?:in|inside|within|from)(?: the)?(?: section| group| card| dialog| table| list| menu)?)\b"
)
_ORDINAL_REQUEST = re.compile(
    rf"\b(?:(?P<digits>\d+)(?:st|nd|rd|th)|(?P<word>{'|'.join(_ORDINAL_WORDS)})|(?P<last>last))"
    rf"\s+(?=\0|(?:{'|'.join(sorted(_ROLE_WORDS))}|one|item|result)\b)"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen click. `point`: CSS px of the viewport; `score`: in (0, 1]."""

    element: ListedElement
    point: tuple[float, float]
    score: float


@dataclass(frozen=True, slots=True)
class Instruction:
    """A parsed instruction.

    Attributes:
        name: the element's text; empty if its position or role alone identifies it.
        quoted: `name` is quoted, not free words.
        word: the role word, as in `_ROLE_WORDS`; empty for none.
        relation, anchor: its relative position, and the words of the reference element; empty for none.
        nth: from 0, negative from the end; None if the instruction does not count.
    """

    name: str
    quoted: bool
    word: str
    relation: str
    anchor: str
    nth: int | None


def choose(instruction: str, seen: LookOutput) -> Choice | None:
    """The listed element that fits an instruction best.

    Returns:
        None if no score is high enough, the instruction is empty, or no listed element has a position.
    """
    request = read_instruction(instruction)
    anchors = _anchors(request, seen.elements)
    scored = [
        Choice(each, point, _score(each, request, anchors))
        for each in seen.elements
        if (point := click_point(each)) is not None
    ]
    fitting = [each for each in scored if each.score >= WORTH_A_CLICK]
    if not fitting:
        return None
    best = max(fitting, key=lambda each: each.score)
    if request.nth is None:
        return best
    alike = [each for each in fitting if each.score >= 0.95 * best.score]
    return alike[request.nth] if -len(alike) <= request.nth < len(alike) else None


def read_instruction(instruction: str) -> Instruction:
    """Parses an instruction as far as it is understood; the rest is free words."""
    quotes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quotes.append(next(group for group in match.groups() if group is not None))
        return f" \0{len(quotes) - 1}\0 "

    text = _QUOTED.sub(keep, unicodedata.normalize("NFKC", instruction))
    text = _PHRASAL.sub(r"\1-in", _NAMED.sub(keep, text).lower())
    # `type "hello" into …`: the typed text is not a name.
    text = re.sub(r"\b(type|enter|write|put)(?:-in)?\s+\0\d+\0\s+(?=in)(?:into|in)\b", r"\1", text)
    own, relation, anchor = _split_relation(text, quotes)
    nth = _ORDINAL_REQUEST.search(own)
    own = _ORDINAL_REQUEST.sub("", own)
    marked = [quotes[int(mark)] for mark in _MARK.findall(own)]
    words = re.findall(r"[\w-]+", _MARK.sub(" ", own))
    word = next((each for each in reversed(words) if each in _ROLE_WORDS), "") or _meant_by(words)
    free = " ".join(each for each in words if _WEIGHTS.get(each, 1.0) == 1.0 and not _is_verb_of(each, word))
    name = marked[0] if marked else (" ".join(words) if free else "")
    return Instruction(name, bool(marked), word, relation, anchor, _count(nth))


def _split_relation(text: str, quotes: Sequence[str]) -> tuple[str, str, str]:
    """The text before a relation, the relation, and the words that it refers to.

    Without quotes, only words that denote a place count: "in" occurs in too many instructions.
    """
    for match in _RELATION.finditer(text):
        kind, rest = str(match.lastgroup), text[match.end() :]
        mark = _MARK.search(rest)
        if mark is not None and not _RELATION.search(rest[: mark.start()]):
            tail = rest[mark.end() :]
            return f"{text[: match.start()]} {tail}", kind, quotes[int(mark[1])]
        words = re.sub(r"^\s*(?:the|a|an)\s+", "", rest).strip(" .!?")
        if words and mark is None and kind != "within":
            return text[: match.start()], kind, words
    return text, "", ""


def _meant_by(words: Sequence[str]) -> str:
    return next((role for verbs, role in _MEANT if words and re.fullmatch(verbs, words[0])), "")


def _is_verb_of(word: str, role: str) -> bool:
    return any(role == meant and re.fullmatch(verbs, word) for verbs, meant in _MEANT)


def _count(match: re.Match[str] | None) -> int | None:
    if match is None:
        return None
    if match["last"]:
        return -1
    return int(match["digits"]) - 1 if match["digits"] else _ORDINAL_WORDS.index(match["word"])


def _anchors(request: Instruction, elements: Sequence[ListedElement]) -> list[tuple[Box, float]]:
    """Boxes of the elements that match a place's words, each with its score; only the best."""
    if not request.anchor:
        return []
    said = [(each.box, _says(each, request.anchor, quoted=True)) for each in elements if each.box and each.in_viewport]
    best = max((score for _, score in said), default=0.0)
    return [(box, score) for box, score in said if box and score >= max(0.5, best - 0.02)]


def _score(element: ListedElement, request: Instruction, anchors: Sequence[tuple[Box, float]]) -> float:
    if not (request.name or request.word or request.anchor):
        return 0.0
    says = _says(element, request.name, quoted=request.quoted) if request.name else 1.0
    score = says * _plays(element, request) * _can(element)
    if request.anchor and score:
        # If no element has these words, the place is unknown; a nameless element then cannot be identified.
        score *= _stands(element, request.relation, anchors) if anchors else (0.8 if request.name else 0.0)
    return score


def _can(element: ListedElement) -> float:
    """Elements that cannot be acted on now are requested less often than others."""
    return (
        (1.0 if element.interactive else 0.85)
        * (1.0 if element.reachable or not element.interactive else 0.8)
        * (1.0 if element.in_viewport else 0.7)
    )


def _plays(element: ListedElement, request: Instruction) -> float:
    """How well its role fits the role word. A wrong role matters most if there is no name."""
    if not request.word:
        return 1.0
    fits = 1.0 if element.role in _ROLE_WORDS[request.word] else 0.75 if request.name else 0.4
    if request.word in _PICTURE_ROLES and not request.name:
        small = element.box is not None and max(element.box.width, element.box.height) <= ICON_SIDE
        wordless = not any(char.isalnum() for char in element.text or element.name)
        fits *= (1.0 if small else 0.6) * (1.0 if wordless else 0.85)
    return fits


def _stands(element: ListedElement, relation: str, anchors: Sequence[tuple[Box, float]]) -> float:
    box = element.box
    if box is None:
        return 0.0
    return max((_PLACES[relation](box, there) * sure for there, sure in anchors if there != box), default=0.0)


def _toward(gap: float, aside: float) -> float:
    """1 for the next element in line, less with distance; elements out of line, or on the other side, get almost
    nothing."""
    if gap < -5.0:  # boxes of text may overlap a little
        return 0.0
    return 1 / (1 + max(0.0, gap) / 200) * (1.0 if aside <= 0 else 0.5 / (1 + aside / 20))


def _across(a: Box, b: Box) -> float:
    return max(a.left - b.right, b.left - a.right)


def _upright(a: Box, b: Box) -> float:
    return max(a.top - b.bottom, b.top - a.bottom)


def _in_row(box: Box, there: Box) -> float:
    """Distance only separates similar elements: a row is as wide as it is."""
    return 1 / (1 + max(0.0, _across(box, there)) / 20_000) if _upright(box, there) < -1 else 0.0


def _within(box: Box, there: Box) -> float:
    """Inside; else what follows, as a section follows its heading."""
    if there.contains(box.center):
        return 1.0
    return max(0.9 * _in_row(box, there), 0.9 * _toward(box.top - there.bottom, _across(box, there)))


_PLACES: Mapping[str, Callable[[Box, Box], float]] = {
    "left": lambda box, there: _toward(there.left - box.right, _upright(box, there)),
    "right": lambda box, there: _toward(box.left - there.right, _upright(box, there)),
    "above": lambda box, there: _toward(there.top - box.bottom, _across(box, there)),
    "below": lambda box, there: _toward(box.top - there.bottom, _across(box, there)),
    "beside": lambda box, there: 1 / (1 + (max(0.0, _across(box, there)) + max(0.0, _upright(box, there))) / 500),
    "row": _in_row,
    "within": _within,
}


def _says(element: ListedElement, wanted: str, *, quoted: bool) -> float:
    """How well its text matches the wanted words, in [0, 1]; a value counts slightly less than a name."""
    compare = _is_quoted if quoted else _is_spoken_of
    said = ((element.name, 1.0), (element.text, 1.0), (element.value, 0.9))
    return max(compare(_fold(text), _fold(wanted)) * weight if text else 0.0 for text, weight in said)


@lru_cache(maxsize=8192)  # a list gets a dozen questions in a row: the names, texts and values of 2,700 elements
def _fold(text: str) -> str:
    """Words of letters and digits in lower case; isolated symbols are kept."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", text)) or " ".join(text.split())


WANTED_SHARE = 0.6
"""Weight of the share of wanted words found; the rest is the weight of the share of its words that are wanted. Chosen
by hand."""


def _is_quoted(said: str, wanted: str) -> float:
    """1 for the exact words, less for misread ones or for longer texts that contain them; weights chosen by hand."""
    if said == wanted:
        return 1.0
    alike = _likeness(said, wanted)
    held = f" {wanted} " in f" {said} " or (not wanted.isascii() and wanted in said)
    return max(0.95 * alike / 100, 0.5 + 0.4 * len(wanted) / len(said) if held else 0.0)


def _likeness(said: str, wanted: str) -> float:
    """0 … 100: how similar two texts are, if one may be a misreading of the other; 0 below `LIKE`, or if their numbers
    differ."""
    alike = fuzz.ratio(said, wanted, score_cutoff=LIKE)
    return alike if alike and _DIGITS.findall(said) == _DIGITS.findall(wanted) else 0.0


def _is_spoken_of(said: str, wanted: str) -> float:
    """The share of the wanted words found, and the share of its words that are wanted."""
    if not (said.isascii() and wanted.isascii()) and " " not in f"{said}{wanted}":
        short, long = sorted((said, wanted), key=len)  # a script without spaces
        part = fuzz.partial_ratio(short, long)
        return part / 100 * (0.5 + 0.5 * len(short) / len(long)) if part >= LIKE else 0.0
    asked, words = wanted.split(), said.split()
    hits = [any(_likeness(each, word) for each in words) for word in asked]
    weights = [_WEIGHTS.get(word, 1.0) for word in asked]
    said_share = sum(weight for weight, hit in zip(weights, hits, strict=True) if hit) / sum(weights)
    meant = sum(any(_likeness(word, each) for each in asked) for word in words) / max(1, len(words))
    return WANTED_SHARE * said_share + (1 - WANTED_SHARE) * meant * (said_share > 0)


def click_point(element: ListedElement) -> tuple[float, float] | None:
    """Where a click on it goes, CSS px of the viewport; None if its list does not specify it."""
    if element.point is not None:
        return element.point
    return (element.box.center.x, element.box.center.y) if element.box is not None else None
