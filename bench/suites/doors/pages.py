"""The task: twelve steps on five pages of the data set, of different packages: a form, a table, a menu, a dialog, an
editor. A step names an element as a person would, by its kind and a part of its name."""

from __future__ import annotations

from dataclasses import dataclass

FIELDS = ("textbox", "searchbox", "combobox")
BUTTONS = ("button", "link", "clickable", "menuitem", "generic", "option")


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One step.

    Attributes:
        do: `click`; `fill`, which replaces; `type`, which adds; `press`, a key where the focus is.
        name: a part of the element's name; empty for `press`.
        text: of `fill` and `type`; the key of `press`.
        roles: what the element may be called, by any of the servers.
    """

    do: str
    name: str = ""
    text: str = ""
    roles: tuple[str, ...] = BUTTONS


@dataclass(frozen=True, slots=True)
class PageTask:
    """The steps on one page, and a script that is true for their effect."""

    page: str
    steps: tuple[TaskStep, ...]
    effect: str


PAGE_TASKS = (
    PageTask(
        "startbootstrap-sb-admin-2--register",
        (
            TaskStep("fill", "First Name", "Ana", FIELDS),
            TaskStep("fill", "Last Name", "Vera", FIELDS),
            TaskStep("fill", "Email", "ana@example.org", FIELDS),
        ),
        "['exampleFirstName', 'exampleLastName', 'exampleInputEmail'].map(id => document.getElementById(id).value)"
        ".join() === 'Ana,Vera,ana@example.org'",
    ),
    PageTask(
        "admin-lte--data-tables",
        (
            TaskStep("fill", "Search:", "Safari", FIELDS),
            TaskStep("click", "Engine version: activate", roles=("columnheader",)),
        ),
        "(() => { const rows = [...document.querySelectorAll('#example1 tbody tr')]; return rows.length > 2 && "
        "rows.every(row => row.textContent.includes('Safari')) && "
        "!!document.querySelector('table th.sorting_asc[aria-label^=\"Engine version\"]') })()",
    ),
    PageTask(
        "jsoneditor--switch",
        (TaskStep("click", "Tree"), TaskStep("click", "Text")),
        "!!document.querySelector('textarea.jsoneditor-text')",
    ),
    PageTask(
        "libjs-jquery-ui-docs--dialog",
        (
            TaskStep("click", "Create new user"),
            TaskStep("fill", "Name", "Ana Vera", FIELDS),
            TaskStep("click", "Create an account"),
        ),
        "document.querySelectorAll('#users tbody tr').length === 2 && "
        "document.querySelector('#users tbody').textContent.includes('Ana Vera')",
    ),
    PageTask(
        "ace-builds--editor",
        (TaskStep("type", "Cursor at row 1", "let total = 0;", FIELDS), TaskStep("press", text="Enter")),
        "ace.edit('editor').getValue().includes('let total = 0;\\n')",
    ),
)
