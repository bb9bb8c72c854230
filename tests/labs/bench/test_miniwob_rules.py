"""The rule policy, by instructions of MiniWoB++ and small lists."""

from __future__ import annotations

import pytest

from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.suites.miniwob.rules import FIELDS, Act, TaskPlan, Verb, decide, read_instruction
from perception.geometry import Box


def listed(*elements: tuple[str, str]) -> LookOutput:
    """Roles and names, from top to bottom; text cannot be acted on."""
    return LookOutput(
        "page",
        "id",
        "text",
        tuple(
            ListedElement(f"e{at}", role, name, Box(0, 20 * at, 100, 20 * at + 18), role != "text", role != "text")
            for at, (role, name) in enumerate(elements, 1)
        ),
    )


def done(words: str, seen: LookOutput) -> list[tuple[Verb, str, str]]:
    """What is done on a page that does not change: verb, ref, text."""
    plan, acts = read_instruction(words), []
    for _ in range(20):
        act, plan = decide(plan, seen)
        if act is None:
            break
        acts.append((act.verb, act.element.ref, act.text))
    return acts


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ("Click the button.", [("click", "")]),
        ('Click on the "No" button.', [("click", "No")]),
        ("Click on Tab #1.", [("click", "Tab #1")]),
        ("Click button ONE, then click button TWO.", [("click", "ONE"), ("click", "TWO")]),
        ("Select a1, B2 and click Submit.", [("click", "a1"), ("click", "B2"), ("click", "Submit")]),
        ("Select nothing and click Submit.", [("click", "Submit")]),
        ("Select Xaviera>Laurie", [("click", "Xaviera"), ("click", "Laurie")]),
        ("Select Somalia from the list and click Submit.", [("pick", ""), ("click", "Submit")]),
        ("Select Ann, Bob from the scroll list and click Submit.", [("pick", ""), ("click", "Submit")]),
        ('Enter "Bob" into the text field and press Submit.', [("type", ""), ("click", "Submit")]),
        (
            'Enter the username "a" and the password "b" into the text fields and press login.',
            [("type", "username"), ("type", "password"), ("click", "login")],
        ),
        ('Enter the password "b" into both text fields and press submit.', [("type", ""), ("type", "")]),
        ('Switch between the tabs to find and click on the link "In".', [("click", "In")]),
        ('Click the "Menu" button, and then find and click on the item labeled "Prev".', [("click", "Menu")]),
        ("Focus into the 3rd input textbox.", [("click", "")]),
        ("Expand the section below and click submit.", [("click", ""), ("click", "Submit")]),
    ],
)
def test_an_instruction_becomes_steps(words: str, steps: list[tuple[str, str]]) -> None:
    found = [(step.verb.value, step.name) for step in read_instruction(words).steps]
    assert found[: len(steps)] == steps


@pytest.mark.parametrize(
    "words",
    [
        "Drag the circle down then press Submit.",
        "Select 12/24/2016 as the date and hit submit.",
        "Solve for x and type your answer into the textbox. Press Submit when done.",
        "Click button ONE, wait 3 seconds, then click button TWO.",
        'Enter an item that starts with "Sa".',
        "",
    ],
)
def test_what_is_not_understood_is_left_undone(words: str) -> None:
    assert read_instruction(words) == TaskPlan(())
    assert done(words, listed(("button", "Submit"))) == []


def test_the_last_step_sends_what_was_filled_in() -> None:
    plan = read_instruction('Check the 3rd radio button and enter the number "-7" into the 2nd textbox.')
    assert [step.name for step in plan.steps] == ["", "", "Submit"]


def test_things_are_found_by_name_before_anything_else() -> None:
    seen = listed(("checkbox", "hv"), ("checkbox", "HV"), ("button", "Submit"))
    assert done("Select HV and click Submit.", seen) == [(Verb.CLICK, "e2", ""), (Verb.CLICK, "e3", "")]


def test_the_control_is_clicked_not_the_words_beside_it() -> None:
    seen = listed(("text", "Mb"), ("checkbox", "Mb"))
    assert done("Select Mb and click Submit.", seen) == [(Verb.CLICK, "e2", "")]


def test_the_button_submits_where_another_element_has_its_name_too() -> None:
    seen = listed(("tab", "Section"), ("tab", "Submit"), ("button", "Submit"))
    done_with = done("Expand the section below and click submit.", seen)
    assert done_with == [(Verb.CLICK, "e1", ""), (Verb.CLICK, "e3", "")]


def test_entries_of_a_list_are_picked_together() -> None:
    seen = listed(("listbox", ""), ("button", "Submit"))
    assert done("Select Ann, Bob from the scroll list and click Submit.", seen) == [
        (Verb.PICK, "e1", "Ann, Bob"),
        (Verb.CLICK, "e2", ""),
    ]


def test_things_without_names_are_counted() -> None:
    seen = listed(("textbox", ""), ("button", "a"), ("textbox", ""), ("textbox", ""))
    assert done("Focus into the 3rd input textbox.", seen)[0] == (Verb.CLICK, "e4", "")


def test_fields_with_names_are_found_by_them_and_others_by_their_order() -> None:
    words = 'Enter the username "a" and the password "b" into the text fields and press login.'
    swapped = listed(("textbox", "Password"), ("textbox", "Username"), ("button", "Login"))
    assert done(words, swapped)[:3] == [(Verb.TYPE, "e2", "a"), (Verb.TYPE, "e1", "b"), (Verb.CLICK, "e3", "")]
    nameless = listed(("textbox", ""), ("textbox", ""), ("button", "Login"))
    assert done(words, nameless)[:3] == [(Verb.TYPE, "e1", "a"), (Verb.TYPE, "e2", "b"), (Verb.CLICK, "e3", "")]


def test_a_cross_may_be_called_close() -> None:
    assert done('Close the dialog box by clicking the "x".', listed(("button", "Close")))[0][1] == "e1"


def test_tabs_are_opened_one_after_another_while_a_name_is_not_listed() -> None:
    plan = read_instruction('Switch between the tabs to find and click on the link "In".')
    closed = listed(("tab", "One"), ("tab", "Two"))
    first, plan = decide(plan, closed)
    second, plan = decide(plan, closed)
    third, plan = decide(plan, listed(("tab", "One"), ("tab", "Two"), ("link", "In")))
    assert [(act.element.ref, act.opens) for act in (first, second, third) if isinstance(act, Act)] == [
        ("e1", True),
        ("e2", True),
        ("e3", False),
    ]


def test_what_is_only_alike_waits_until_everything_is_open() -> None:
    plan = read_instruction('Click on the link "vitae".')
    act, _ = decide(plan, listed(("link", "vitae,"), ("tab", "One")))
    assert act is not None
    assert act.opens
    act, _ = decide(plan, listed(("link", "vitae,")))
    assert act is not None
    assert act.element.ref == "e1"


def test_nothing_like_it_leaves_the_plan_as_it_is() -> None:
    plan = read_instruction('Click on the link "vitae".')
    assert decide(plan, listed(("link", "amet"))) == (None, plan)
    assert decide(plan, listed()) == (None, plan)


def test_text_is_typed_into_fields_only() -> None:
    seen = listed(("button", ""), ("text", "Name"))
    assert done('Enter "Bob" into the text field and press Submit.', seen) == []
    assert "button" not in FIELDS
