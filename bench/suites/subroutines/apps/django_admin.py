"""Django's admin, and a wizard of django-formtools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import PROGRAMS, App, SignIn, SqliteApp, Table
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import Row, TaskStep, word

PASSWORD = "correct-horse"

_PERSON = "django_site_person"


class DjangoApp(SqliteApp):
    name = "django"
    packages = "django"
    ready = "/join/"
    session_cookies = ("sessionid",)
    sign_in = SignIn(
        "/admin/login/?next=/admin/",
        (
            TaskStep("type", selector="#id_username", value="admin"),
            TaskStep("type", selector="#id_password", value=PASSWORD),
            TaskStep("press", selector="#id_password", value="Enter"),
            TaskStep("wait", value="Site administration"),
        ),
    )
    tables: ClassVar[tuple[Table, ...]] = (
        Table(_PERSON, "id", ("name", "city", "country", "email", "notes"), "person"),
        Table("django_admin_log", "id", ("object_id", "action_flag"), "log"),
    )

    @property
    def database(self) -> Path:
        return self.state / "db.sqlite3"

    def _manage(self, *command: str) -> tuple[str, ...]:
        return (self.python, str(PROGRAMS / "django_site.py"), *command)

    def prepare(self) -> None:
        self.run(*self._manage("migrate", "--verbosity", "0"))
        self.run(*self._manage("createsuperuser", "--noinput", "--username", "admin", "--email", "admin@example.org"))

    def environment(self) -> dict[str, str]:
        return {"DJANGO_SUPERUSER_PASSWORD": PASSWORD}

    def command(self) -> Sequence[str]:
        return self._manage("runserver", "--noreload", f"127.0.0.1:{self.port}")

    def add_person(self, name: str, number: int, country: str = "CL") -> str:
        statement = f"INSERT INTO {_PERSON} (name, city, country, email, notes) VALUES (?, ?, ?, ?, ?)"
        return str(self.execute(statement, name, f"Old {word(number, 5)}", country, "", "untouched"))


def _person(app: App, number: int) -> Row:
    assert isinstance(app, DjangoApp)
    name = f"{word(number)} {word(number, 1)}"
    return {"id": app.add_person(name, number), "name": name, "city": word(number, 2)}


def _twin(app: App, row: Row) -> None:
    assert isinstance(app, DjangoApp)
    app.add_person(row["name"], 4000 - int(row["id"]))


def _new_person(app: App, number: int) -> Row:
    return {
        "name": f"{word(number)} {word(number, 1)}",
        "city": word(number, 2),
        "email": f"{word(number)}@example.org",
    }


def _log(row: Row, flag: int) -> Effect:
    return Effect(Change.CREATED, "log/", {"object_id": row["id"], "action_flag": str(flag)})


def _city_changed(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CHANGED, f"person/{row['id']}", {"city": row["city"]}), _log(row, 2))


def _created(row: Row) -> Effect:
    fields = {"name": row["name"], "city": row["city"], "country": "PE"}
    return Effect(Change.CREATED, "person/", fields | ({"email": row["email"]} if "email" in row else {}))


_SAVE = TaskStep("click", "button", "Save")
_EDIT = ("person/{id}", "country", "UY")

TASKS = (
    AppTask(
        "django",
        "change a person's city on their page",
        "/admin/django_site/person/{id}/change/",
        (TaskStep("type", "textbox", "City:", "{city}"), _SAVE),
        _person,
        _city_changed,
        ("id",),
        _EDIT,
        _twin,
        {"city": ""},
    ),
    AppTask(
        "django",
        "open a person from the list and change their city",
        "/admin/django_site/person/?o=-1",
        (
            TaskStep("click", "link", "{name}"),
            TaskStep("type", "textbox", "City:", "{city}"),
            _SAVE,
        ),
        _person,
        _city_changed,
        ("name",),
        _EDIT,
        _twin,
        {"city": ""},
    ),
    AppTask(
        "django",
        "add a person",
        "/admin/django_site/person/add/",
        (
            TaskStep("type", "textbox", "Name:", "{name}"),
            TaskStep("type", "textbox", "City:", "{city}"),
            TaskStep("select", "combobox", "Country:", "Peru"),
            TaskStep("type", "textbox", "Email:", "{email}"),
            _SAVE,
        ),
        _new_person,
        lambda row: (_created(row), Effect(Change.CREATED, "log/", {"action_flag": "1"})),
        rejected={"email": "nobody"},
    ),
    AppTask(
        "django",
        "delete a person",
        "/admin/django_site/person/{id}/delete/",
        (TaskStep("click", "button", "Yes, I\u2019m sure"),),
        _person,
        lambda row: (Effect(Change.DELETED, f"person/{row['id']}"), _log(row, 3)),
        ("id",),
        None,
        _twin,
    ),
    AppTask(
        "django",
        "join by the wizard",
        "/join/",
        (
            TaskStep("type", "textbox", "Name:", "{name}"),
            TaskStep("type", "textbox", "Email:", "{email}"),
            TaskStep("click", "button", "Next"),
            TaskStep("type", "textbox", "City:", "{city}"),
            TaskStep("select", "combobox", "Country:", "Peru"),
            TaskStep("click", "button", "Finish"),
        ),
        _new_person,
        lambda row: (_created(row),),
        rejected={"city": "x" * 41},
    ),
)
