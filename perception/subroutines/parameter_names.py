"""Names of parameters: what a person calls a field, else what its author does.

Rule 1: the label comes first, then the header of the column or the row, then the field's HTML name without what
frameworks add to it. Indices of forms and rows (`form-0-title`), generated ids (`j_idt12`), and words that any
field has are not a name.
Rule 2: a label in other than Latin letters comes after a name in Latin ones, which all tool interfaces take, and before
a role.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from perception.subroutines.parameter import MAX_PARAMETER_NAME, slug
from perception.subroutines.recording import Event, Target

MAX_LABEL_WORDS = 5
"""A longer label is a sentence, such as a consent: the field's own name is better. Chosen by hand."""

_GENERIC = frozenset(
    "field fields form forms input inputs data item items value values row rows col cols column columns cell"
    " control element textbox text txt textarea edit editor obj object model entity record entry frm fld inp"
    " ctl ddl chk cbo lbl tb mat ember react ng ui id idt j ctl00 main content body default new".split()
)
"""Words of frameworks and generators, which any field may have."""

_TAKEN = frozenset("constructor prototype caller callee".split())
"""Names that every object of JavaScript has."""

_GENERATED = re.compile(r"[a-z]*\d{2,}[a-z\d]*|[0-9a-f]{8,}|r\d+")
"""`idt12`, `ctl00`, `3f9a2c41`: made by a program."""

_HINT = re.compile(r"\((?:required|optional|pflichtfeld|optionnel)\)|\[(?:required|optional)\]|[*:]+\s*$", re.I)
_FILLER = re.compile(r"^(?:please|enter|type|choose|select|insert|add|write|your|the|an?|e\.?g\.?|here)\s+", re.I)


def names_of_field(event: Event, *, is_in_row: bool = False) -> Iterator[str]:
    """Names for the value of a field, best first; at last one that always fits.

    Args:
        event: what was entered.
        is_in_row: whether the row says which thing it is, and not which field.
    """
    target, field = event.target, event.field
    seen = target.name
    is_placeholder = bool(target.placeholder) and " ".join(seen.split()) == " ".join(target.placeholder.split())
    shown = [] if is_placeholder else [seen]
    headers = list(_headers(target, is_in_row=is_in_row))
    yield from (name for each in (*shown, *headers) if (name := _label_name(each)))
    yield from author_names(field.name)
    yield from (name for each in (target.placeholder, seen) if (name := _label_name(_without_filler(each))))
    yield from author_names(field.id)
    yield from (name for each in (seen, *headers, target.placeholder) if (name := word_name(each)))
    yield from (name for name in (slug(field.name),) if name.isalpha())
    yield from (name for name in (slug(target.role),) if name)
    yield "value"


def author_names(name: str) -> Iterator[str]:
    """Names in an HTML name or id, the shortest first; none where it is generated.

    >>> list(author_names("form-0-title")), list(author_names("data[User][name]")), list(author_names("j_idt12"))
    (['title'], ['name', 'user_name'], [])
    """
    parts = [words for each in re.split(r"[\[\].:$/]+", name) if (words := _words(each))]
    told = [each for each in parts if not all(_is_generic(word) for word in each)]
    if not told or told[-1] is not parts[-1]:
        return
    for start in range(len(told) - 1, -1, -1):
        joined = "_".join(word for part in told[start:] for word in part)
        if len(re.findall("[a-z]", joined)) >= 2 and len(joined) <= MAX_PARAMETER_NAME:
            yield joined


def word_name(text: str) -> str:
    r"""A name in any letters, of `\w` alone; "" for a text without one.

    >>> word_name("名前 *"), word_name("Имя пользователя"), word_name("12")
    ('名前', 'имя_пользователя', '')
    """
    plain = "".join(
        each for each in unicodedata.normalize("NFKC", text).lower() if unicodedata.category(each)[0] != "M"
    )
    joined = re.sub(r"[\W_]+", "_", plain).strip("_")[:MAX_PARAMETER_NAME].strip("_")
    return joined if joined.isidentifier() else ""


def unused_name(names: Iterator[str] | Collection[str], taken: Collection[str]) -> str:
    """The best name, if no parameter has it; else a longer form of it, as `shipping_street`; else it with a number."""
    best = ""
    for name in names:
        usable = f"{name}_value" if name in _TAKEN else name
        if usable not in taken and (not best or usable.endswith(f"_{best}")):
            return usable
        best = best or usable
    number = 2
    while f"{best}_{number}" in taken:
        number += 1
    return f"{best}_{number}"


def _label_name(text: str) -> str:
    """The name that a label gives; "" for a sentence, other than Latin letters, and a word that any field has."""
    plain = _HINT.sub(" ", text)
    letters = [each for each in plain if each.isalpha()]
    latin = sum(unicodedata.name(each, "").startswith("LATIN") for each in letters)
    name = slug(plain)
    if not name or latin < len(letters) or len(name.split("_")) > MAX_LABEL_WORDS or name in _GENERIC:
        return ""
    return name


def _headers(target: Target, *, is_in_row: bool) -> Iterator[str]:
    """The header of the column of a field, or the text that begins its row."""
    own = next((each.column for each in target.cells if each.own), "")
    if own:
        yield own
    first = next((each for each in target.cells if each.text and not each.own), None)
    if (
        first is not None
        and not is_in_row
        and slug(own) in {"", *_GENERIC}
        and first.unique
        and not re.search(r"\d", first.text)
    ):
        yield first.text


def _words(part: str) -> list[str]:
    """The words of a part of an HTML name, after its last index, without those that any field has before them."""
    words = [each for each in slug_words(part) if each]
    indices = [number for number, each in enumerate(words[:-1]) if each.isdecimal() or _GENERATED.fullmatch(each)]
    words = words[indices[-1] + 1 :] if indices else words
    while len(words) > 1 and _is_generic(words[0]):
        words = words[1:]
    return [] if not words or all(each.isdecimal() for each in words) else words


def slug_words(text: str) -> list[str]:
    """The words of an identifier: `userName`, `user-name` and `user_name` have two."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    plain = unicodedata.normalize("NFKD", apart).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_").split("_")


def _is_generic(word: str) -> bool:
    is_short = len(word) <= 2 and not re.search("[aeiouy]", word)  # `qp`, `tb`: of a form or a kind of control
    return word in _GENERIC or is_short or word.isdecimal() or _GENERATED.fullmatch(word) is not None


def _without_filler(text: str) -> str:
    """A placeholder without `Enter your`."""
    while True:
        shorter = _FILLER.sub("", text.strip(), count=1)
        if shorter == text:
            return text
        text = shorter
