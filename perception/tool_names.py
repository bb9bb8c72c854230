"""Names of tools that are made of what people call things."""

from __future__ import annotations

import re


def tool_name(name: str) -> str:
    """The name of a subroutine as that of a tool.

    >>> tool_name("Add customer"), tool_name("add_user")
    ('add_customer', 'add_user')
    """
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "subroutine"
