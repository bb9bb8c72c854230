"""Whether the success condition of a changed script is at least as strict as the recorded one.

One sign of `appears`, `gone`, `kept`, `url` and `entered` is enough for a success. So a condition is stricter with
fewer signs, but not with none, and may have others that every recording shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from perception.subroutines.script_check.recorded_facts import RecordedFacts

_PARAMETER = re.compile(r"\{(\w+)\}")
_LISTS = ("appears", "gone", "kept")
_SIGNS = (*_LISTS, "url", "entered")


def confirm_problem(recorded: Mapping[str, Any], given: Any, facts: RecordedFacts) -> str:
    """What is wrong with the condition of a script; "" if it may be kept.

    Args:
        recorded: the condition that was learned, with the script's names of parameters.
        given: that of the changed script.
        facts: the recordings.
    """
    if not isinstance(given, dict):
        return "confirm has no condition"
    if given.get("page") != recorded.get("page"):
        return f"confirm has to look at the page {recorded.get('page')!r}"
    if any(recorded.get(key) for key in _SIGNS) and not any(given.get(key) for key in _SIGNS):
        return "confirm has no sign of success any more: keep those that were recorded"
    for key, value in given.items():
        if key in _LISTS:
            known = recorded.get(key, [])
            signs = value if isinstance(value, list) else [value]
            strange = [each for each in signs if each not in known and (key == "kept" or not facts.has_sign(key, each))]
            if strange:
                return f"confirm has the sign {strange[0]!r} in `{key}`, which not every recording shows: leave it out"
        elif value != recorded.get(key):
            return f"confirm has {key} {value!r}, and it was recorded with {recorded.get(key)!r}"
    return ""


def with_names(value: Any, rename: Mapping[str, str]) -> Any:
    """A condition with other names of parameters in its phrases."""
    if isinstance(value, dict):
        return {key: with_names(each, rename) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [with_names(each, rename) for each in value]
    if isinstance(value, str) and rename:
        # In one pass: two parameters may change places.
        return _PARAMETER.sub(lambda found: "{" + rename.get(found[1], found[1]) + "}", value)
    return value
