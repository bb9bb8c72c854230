"""The applications that are measured, each a module with an `App` and its `TASKS`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perception.bench.suites.subroutines.apps.app import App
    from perception.bench.suites.subroutines.apps.app_task import AppTask

MODULES = {
    "datasette": ("datasette", "DatasetteApp"),
    "django": ("django_admin", "DjangoApp"),
    "dokuwiki": ("dokuwiki", "DokuWikiApp"),
    "flaskadmin": ("flaskadmin", "FlaskAdminApp"),
    "phpliteadmin": ("phpliteadmin", "PhpLiteAdminApp"),
    "roundup": ("roundup", "RoundupApp"),
    "sqliteweb": ("sqliteweb", "SqliteWebApp"),
    "streamlit": ("streamlit", "StreamlitApp"),
    "tiddlywiki": ("tiddlywiki", "TiddlyWikiApp"),
    "trac": ("trac", "TracApp"),
}
"""Module and class of each application, by its name."""


def load_app(name: str) -> type[App]:
    """The class of an application."""
    module, kind = MODULES[name]
    found: type[App] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
    return found


def load_tasks(name: str) -> tuple[AppTask, ...]:
    """The tasks of an application, in their order."""
    found: tuple[AppTask, ...] = importlib.import_module(f"{__name__}.{MODULES[name][0]}").TASKS
    return found
