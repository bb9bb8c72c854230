"""The profiles of a server: its own tools, or those of Playwright MCP by name."""

from __future__ import annotations

from importlib import import_module

from perception.client.message_fields import suggestion
from perception.errors import BadInputError
from perception.tools.profile import Profile

_TABLES = {"default": "perception.tools.native.table", "playwright": "perception.tools.playwright.table"}
"""The module whose `PROFILE` it is. One that nobody asks for is not loaded: its arguments take a tenth of a second."""

PROFILES = tuple(_TABLES)
"""The names on the command line."""


def find_profile(name: str) -> Profile:
    """The profile of a name. Raises BadInputError where there is none."""
    if name not in _TABLES:
        raise BadInputError(
            f"there is no profile {name!r}{suggestion(name, list(PROFILES))}; there are {', '.join(PROFILES)}"
        )
    profile: Profile = import_module(_TABLES[name]).PROFILE
    return profile
