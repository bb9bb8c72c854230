# Datasette is not a dependency of this project: it is installed for this program alone.
# mypy: ignore-errors
"""Everybody may write."""

from datasette import hookimpl


@hookimpl
def permission_allowed():
    return True
