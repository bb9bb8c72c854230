"""Knows an element again that a selector finds by its position only.

Rule: a position alone never decides. At least two facts that do not say the same have to agree, one of them of those
that tell things of one kind apart, and no such fact may differ.
"""

from __future__ import annotations

import re

from perception.subroutines.recording import Near

_TELLING = ("data", "row", "before", "after")
"""Facts that tell things of one kind apart."""

_WORDS = {
    "data": "identity",
    "row": "row",
    "before": "text before it",
    "after": "text after it",
    "heading": "heading",
    "looks": "look",
}

NEAR = tuple(_WORDS)
"""All facts."""

_ONLY_ONE = (":root > body", "body", ":root")
"""A document has one of each: the frame says which."""

_POSITION = re.compile(r":(?:nth|first|last|only)-|:root|:not\(\* \*\)")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_GROUP = re.compile(r"\([^()]*\)")


def is_structural(selector: str) -> bool:
    """Whether a selector finds an element by its position: by a number, or by its tag alone within something else.

    >>> is_structural("#list > li:nth-child(2) > button"), is_structural("#list button"), is_structural("#save")
    (True, True, False)
    """
    if selector in _ONLY_ONE:
        return False
    if _POSITION.search(selector):
        return True
    text = _QUOTED.sub("", selector)
    while _GROUP.search(text):
        text = _GROUP.sub(lambda group: "[x]" if re.search(r"[#.\[]", group[0]) else "", text)
    steps = re.split(r"[\s>+~]+", re.sub(r"\[[^\]]*\]", "[x]", text).strip())
    return len(steps) > 1 and not re.search(r"[#.\[]", steps[-1])


def doubt_about(recorded: Near, now: Near) -> str:
    """Why an element at a recorded position is not certainly the recorded one; "" if it is."""
    known = [key for key in _WORDS if getattr(recorded, key)]
    if not known:
        return "nothing is recorded of what was around it: record the task again"
    agree = [key for key in known if folded(getattr(recorded, key)) == folded(getattr(now, key))]
    differ = [key for key in known if key not in agree]
    wrong = [key for key in differ if key in ("data", "row", "looks")]
    beside = {"before", "after"}
    if not recorded.data and not recorded.row and beside & set(differ) and not beside & set(agree):
        wrong += [key for key in differ if key in beside]
    if wrong:
        return f"another {' and another '.join(_WORDS[key] for key in wrong)} there"
    if not now.alone:
        return "others beside it look the same"
    row = folded(now.row)
    facts = [key for key in agree if not (key in beside and "row" in agree and folded(getattr(now, key)) in row)]
    if len(facts) < 2 or not set(facts) & set(_TELLING):
        return "too little around it is as it was recorded"
    return ""


def describe_near(near: Near) -> str:
    """The facts in words, such as `row "Ana", heading "Users"`."""
    return ", ".join(f'{_WORDS[key]} "{getattr(near, key)[:60]}"' for key in _WORDS if getattr(near, key)) or "nothing"


def folded(text: str) -> str:
    """A text whatever its spaces; case is a difference."""
    return " ".join(text.split())
