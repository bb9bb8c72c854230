"""Parameters and arguments: what a caller may choose, what it must, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.errors import BadInputError, RecordingsDifferError
from perception.subroutines.arguments import check_arguments
from perception.subroutines.choices import kept_choices
from perception.subroutines.infer import infer_parameters, schema_of
from perception.subroutines.parameter import slug
from perception.subroutines.recording import Cell, Event, Recording
from tests.unit.subroutines.made import event, recording, typed


def chosen(label: str, at_ms: float = 700.0) -> Event:
    return event(
        "select", "Role", at_ms, role="combobox", value=(label,), values=(label[0].lower(),), options=("Admin", "User"),
        option_values=("a", "u"), field={"name": "role", "type": "select"},
    )  # fmt: skip


def secret(name: str, mask: str = "password") -> Event:
    return event(
        "type", name, value=f"«given:{mask}»", secret="password", field={"name": name.lower(), "type": "password"}
    )


def test_what_was_typed_must_be_given_and_what_was_selected_may_be() -> None:
    schema = schema_of(infer_parameters([recording(typed("Name", "Jane"), chosen("User"), event())]))
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"] == {"type": "string", "description": "Name", "examples": ["Jane"]}
    assert schema["properties"]["role"]["enum"] == ["Admin", "User"]
    assert schema["properties"]["role"]["default"] == "User"
    assert schema["additionalProperties"] is False


def test_values_of_all_recordings_are_examples() -> None:
    one, two = (recording(typed("Name", name), event(), recording_id=name) for name in ("Jane", "a, b"))
    assert schema_of(infer_parameters([one, two]))["properties"]["name"]["examples"] == ["Jane", "a, b"]


def test_password_must_be_given_and_has_no_example() -> None:
    schema = schema_of(infer_parameters([recording(secret("Password"))]))
    assert schema["required"] == ["password"]
    assert schema["properties"]["password"] == {
        "type": "string",
        "description": "Password",
        "format": "password",
        "writeOnly": True,
    }


def test_password_that_is_typed_twice_is_one_parameter() -> None:
    (parameter,) = infer_parameters([recording(secret("Password1"), secret("Password2"))])
    assert parameter.steps == (0, 1)


def test_what_is_the_same_in_two_recordings_is_a_part_of_the_task() -> None:
    one = recording(typed("Name", "Jane"), typed("Team", "Red", 600.0), chosen("User"))
    two = recording(typed("Name", "Joe"), typed("Team", "Red", 600.0), chosen("Admin"), recording_id="r2")
    parameters = infer_parameters([one, two])
    assert [(each.name, each.required) for each in parameters] == [("name", True), ("role", True)]


def test_element_that_differs_between_two_recordings_is_a_parameter() -> None:
    one, two = (recording(event("click", name, role="link")) for name in ("Jane", "Joe"))
    (parameter,) = infer_parameters([one, two])
    assert (parameter.name, parameter.example) == ("link", "Jane")


def test_radio_button_that_differs_between_two_recordings_is_a_parameter() -> None:
    one, two = (recording(event("check", name, role="radio", value=True, field={"name": "size"})) for name in "SM")
    (parameter,) = infer_parameters([one, two])
    assert (parameter.name, parameter.type, parameter.example) == ("size", "string", "S")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(recording(typed("Name", "Joe")), id="fewer-steps"),
        pytest.param(recording(event(), typed("Name", "Joe")), id="another-order"),
    ],
)
def test_recordings_of_different_tasks_are_refused(other: Any) -> None:
    with pytest.raises(RecordingsDifferError, match="record the same task"):
        infer_parameters([recording(typed("Name", "Jane"), event()), other])


TYPES = [
    pytest.param({"type": "number"}, "7", {"type": "number", "examples": [7]}, id="number"),
    pytest.param({"type": "number"}, "7.5", {"type": "number", "examples": [7.5]}, id="fraction"),
    pytest.param({"type": "email"}, "a@b.org", {"type": "string", "format": "email"}, id="email"),
    pytest.param({"type": "date"}, "2026-01-31", {"type": "string", "format": "date"}, id="date"),
    pytest.param({"maxlength": "20"}, "x", {"type": "string", "maxLength": 20}, id="maxlength"),
    pytest.param({"type": "tel"}, "0123", {"type": "string", "examples": ["0123"]}, id="tel-keeps-its-zero"),
]


@pytest.mark.parametrize(("field", "value", "expected"), TYPES)
def test_type_is_that_of_the_field(field: dict[str, str], value: str, expected: dict[str, Any]) -> None:
    (schema,) = schema_of(infer_parameters([recording(typed("Name", value, **field))]))["properties"].values()
    assert expected.items() <= schema.items()


def test_two_fields_of_one_name_are_two_parameters() -> None:
    found = infer_parameters([recording(typed("Name", "a"), event(), typed("Name", "b", 1500.0))])
    assert [each.name for each in found] == ["name", "name_2"]


@pytest.mark.parametrize(
    ("field", "label", "name"),
    [
        pytest.param("user[first_name]", "First name", "first_name", id="label"),
        pytest.param("form-0-title", "Title:", "title", id="Django formset with a label"),
        pytest.param("form-0-title", "", "title", id="Django formset"),
        pytest.param("data[User][name]", "", "name", id="PHP"),
        pytest.param("tags[]", "", "tags", id="PHP list"),
        pytest.param("row_0_field_2_value", "Body *", "body", id="phpLiteAdmin with a label"),
        pytest.param("j_idt12:name", "", "name", id="JSF"),
        pytest.param("j_idt12:j_idt14", "", "textbox", id="JSF without a name"),
        pytest.param("field_summary", "", "summary", id="Trac"),
        pytest.param("qp_title", "", "title", id="short prefix"),
        pytest.param("ctl00$MainContent$txtUserName", "", "user_name", id="ASP.NET"),
        pytest.param("mat-input-3", "", "textbox", id="Angular"),
        pytest.param("address_2", "", "address_2", id="number that means something"),
        pytest.param("field_1234", "First name", "first_name", id="generated"),
        pytest.param("agree", "I have read and agree to the terms of use", "agree", id="sentence"),
        pytest.param("", "E-mail *", "e_mail", id="no name"),
        pytest.param("mail", "E-Mail (required)", "e_mail", id="hint"),
        pytest.param("name", "名前", "name", id="name beside letters that are not Latin"),
        pytest.param("", "名前", "名前", id="letters that are not Latin"),
        pytest.param("", "Имя пользователя:", "имя_пользователя", id="Cyrillic"),
        pytest.param("", "Constructor", "constructor_value", id="taken by JavaScript"),
        pytest.param("q", "", "q", id="one letter"),
    ],
)
def test_name_is_what_a_person_reads_or_the_authors(field: str, label: str, name: str) -> None:
    (parameter,) = infer_parameters([recording(event("type", label, value="x", field={"name": field}))])
    assert parameter.name == name


@pytest.mark.parametrize(
    ("target", "field", "name"),
    [
        pytest.param({"placeholder": "Enter your e-mail"}, "", "e_mail", id="placeholder alone"),
        pytest.param({"placeholder": "Jane Doe"}, "full_name", "full_name", id="placeholder that is an example"),
        pytest.param({"cells": (Cell("Price", "", own=True),)}, "row_0_field_2_value", "price", id="column"),
        pytest.param(
            {"cells": (Cell("", "body", unique=True), Cell("", "", own=True))},
            "row_0_field_2_value",
            "body",
            id="row of a form",
        ),
    ],
)
def test_name_is_that_of_what_is_around_the_field(target: dict[str, Any], field: str, name: str) -> None:
    typed_in = event("type", target.get("placeholder", ""), value="x", field={"name": field}, target=target)
    assert [each.name for each in infer_parameters([recording(typed_in)])] == [name]


def test_names_are_each_another_one_and_in_the_order_of_the_task() -> None:
    fields = ("billing[street]", "shipping[street]", "form-0-title", "form-1-title")
    events = [event("type", "", 500.0 * at, value=each, field={"name": each}) for at, each in enumerate(fields, 1)]
    found = infer_parameters([recording(*events)])
    assert [each.name for each in found] == ["street", "shipping_street", "title", "title_2"]


@given(st.text())
def test_slug_is_a_name_for_programs_or_nothing(text: str) -> None:
    made = slug(text)
    assert made == "" or (made.isidentifier() and made.isascii() and made == made.lower())


SCHEMA = schema_of(
    infer_parameters([recording(typed("Name", "Jane"), typed("Age", "4", type="number"), chosen("User"))])
)

BAD = [
    pytest.param({"name": "x", "age": 1, "color": "red"}, "no parameter 'color'", id="unknown"),
    pytest.param({"age": 1}, "'name' is missing", id="missing"),
    pytest.param({"name": None, "age": 1}, "'name' is missing", id="null"),
    pytest.param({"name": 5, "age": 1}, "'name' is a number", id="number-for-text"),
    pytest.param({"name": "x", "age": "1"}, "'age' is a string", id="text-for-number"),
    pytest.param({"name": "x", "age": True}, "'age' is a boolean", id="boolean-for-number"),
    pytest.param({"name": "x", "age": 1, "role": "King"}, "give one of 'Admin', 'User'", id="no-such-choice"),
]


@pytest.mark.parametrize(("given_arguments", "message"), BAD)
def test_bad_argument_is_named(given_arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInputError, match=message) as caught:
        check_arguments(SCHEMA, given_arguments)
    assert caught.value.field.startswith("parameters.")


def test_arguments_get_their_defaults() -> None:
    assert check_arguments(SCHEMA, {"name": "Jane", "age": 4.0}) == {"name": "Jane", "age": 4, "role": "User"}


def test_choices_that_are_no_parameters_are_named() -> None:
    gift = event("check", "Gift", role="checkbox", value=True, field={"type": "checkbox"})
    weekly = event("click", "Weekly", role="menuitem")
    steps = (typed("Name", "Jane"), gift, weekly, event())
    said = kept_choices(steps, infer_parameters([recording(*steps)]))
    assert said.startswith('kept as recorded: checkbox "Gift" on, menuitem "Weekly" (a second recording with other')
    plain = (typed("Name", "Jane"), event())
    assert kept_choices(plain, infer_parameters([recording(*plain)])) == ""


def test_a_choice_that_two_recordings_make_differently_is_a_parameter() -> None:
    def with_gift(value: bool, number: str) -> Recording:
        gift = event("check", "Gift", role="checkbox", value=value, field={"type": "checkbox"})
        return recording(typed("Name", f"Jane {number}"), gift, recording_id=number)

    parameters = infer_parameters([with_gift(True, "r1"), with_gift(False, "r2")])
    assert [each.name for each in parameters] == ["name", "gift"]
