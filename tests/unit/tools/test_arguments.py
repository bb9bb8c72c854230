"""What a model writes, as values: lenient where the meaning is clear, else one line that says what is right."""

from __future__ import annotations

from typing import Any

import pytest

from perception.errors import BadInputError
from perception.interaction.target import ImagePoint, parse_target
from perception.tools.arguments import arguments_of
from perception.tools.native import acting, looking, managing
from perception.tools.profiles import PROFILES, find_profile
from perception.tools.schema import schema_of
from perception.tools.tool import choose_tools


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("e5", "e5"),
        (" v12 ", "v12"),
        ("[ref=e5]", "e5"),
        ("@e5", "e5"),
        ("12,34", (12.0, 34.0)),
        ("(12.5, -3)", (12.5, -3.0)),
        ([12, 34], (12.0, 34.0)),
        ({"x": 1, "y": 2}, (1.0, 2.0)),
        ("img:12,34", ImagePoint(12.0, 34.0)),
        ("#save", "#save"),
        ("[data-id=e5]", "[data-id=e5]"),
        ("button:nth-of-type(2)", "button:nth-of-type(2)"),
    ],
    ids=repr,
)
def test_a_target_is_a_ref_a_point_or_a_selector(given: Any, meant: Any) -> None:
    assert parse_target(given) == meant
    assert parse_target(parse_target(given)) == meant


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("e 5", "'e 5': write the ref as e5"),
        ("E5", "'E5': write the ref as e5"),
        ("ref", None),
        ("5", "'5': a ref has a letter, such as e5"),
        ("", "empty"),
        ("a" * 5000, "too long"),
        (5, "is 5: it takes a ref such as e5"),
        ([1], r"is \[1\]"),
        ([None, {}], "is"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_target_is_refused_with_the_right_form(given: Any, told: str | None) -> None:
    if told is None:
        assert parse_target(given) == given
        return
    if given == [None, {}]:
        assert parse_target(given) == "None,{}"  # a selector that matches nothing
        return
    with pytest.raises(ValueError, match=told):
        parse_target(given)


def test_numbers_lists_choices_and_nulls_are_taken_as_models_write_them() -> None:
    step = '[{"do": "Click", "target": "e5", "count": "2", "modifiers": "Shift", "text": null}]'
    act = arguments_of(acting.ActArguments, {"steps": step, "session": None}, "act")
    assert (act.steps[0].do, act.steps[0].count, act.steps[0].modifiers) == ("click", 2, ["shift"])
    alone = arguments_of(acting.ActArguments, {"do": "press", "text": 5, "session": "s"}, "act")
    assert (alone.steps[0].text, alone.session) == ("5", "s")
    look = arguments_of(looking.LookArguments, {"max_tokens": "300", "view": "DIGEST"}, "look")
    assert (look.max_tokens, look.view) == (300, "digest")
    assert arguments_of(managing.DialogArguments, {"accept": "true"}, "dialog").accept is True
    assert arguments_of(managing.SubroutineArguments, {"parameters": '{"a": 1}'}, "subroutine").parameters == {"a": 1}
    assert arguments_of(managing.CloseArguments, None, "close").session is None


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        (acting.ActArguments, {}, "act: steps is missing"),
        (acting.ActArguments, {"steps": []}, "at least 1 item"),
        (acting.ActArguments, {"steps": [{"do": "hover", "target": "e1"}] * 21}, "at most 20 items"),
        (acting.ActArguments, {"do": "jump", "target": "e1"}, "steps[0].do is 'jump': it takes one of click, hover"),
        (acting.ActArguments, {"do": "click"}, "steps[0] (click) needs target"),
        (acting.ActArguments, {"do": "click", "target": "e1", "text": "x"}, "(click) takes target, button"),
        (acting.ActArguments, {"do": "fill", "target": "e1"}, "needs text or secret"),
        (acting.ActArguments, {"do": "upload", "target": "e1"}, "needs files, or paths"),
        (acting.ActArguments, {"do": "scroll"}, "needs dy in CSS px"),
        (acting.ActArguments, {"steps": "click e5"}, "steps[0] is 'click e5': it takes an object with do"),
        (
            acting.ActArguments,
            {"steps": {"do": "upload", "files": ["a.txt"]}},
            "files[0] is 'a.txt': it takes an object with name and base64",
        ),
        (looking.LookArguments, {"views": "full"}, "no argument views (did you mean view?); there are session, view"),
        (looking.LookArguments, {"max_tokens": "many"}, "max_tokens is 'many': it takes a whole number"),
        (looking.LookArguments, {"max_tokens": -1}, "max_tokens is -1: "),
        (looking.LookArguments, {"since": "x" * 1_000_001}, "since has 1000001 characters: at most 1000000 are taken"),
        (managing.DialogArguments, {"accept": "perhaps"}, "accept is 'perhaps': it takes true or false"),
        (acting.WaitArguments, {"seconds": "nan"}, "seconds is 'nan': "),
        (looking.FindArguments, {"query": ["a"]}, "query is ['a']: it takes a text"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_wrong_arguments_are_one_line(kind: Any, given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError) as caught:
        arguments_of(kind, given, "act" if kind is acting.ActArguments else "tool")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("profile", PROFILES)
def test_schemas_are_plain_and_name_what_is_needed(profile: str) -> None:
    for tool in find_profile(profile).tools:
        schema = schema_of(tool.arguments)
        text = str(schema)
        assert schema["type"] == "object"
        assert not any(word in text for word in ("$ref", "anyOf", "'title'", "'default'", "maxLength")), tool.name
        assert set(schema.get("required", [])) <= set(schema["properties"])


def test_tools_are_chosen_by_name() -> None:
    tools = find_profile("default").tools
    assert [each.name for each in choose_tools(tools, ["look", "open"])] == ["open", "look"]
    assert len(choose_tools(tools, ["default", "evaluate"])) == 12
    assert choose_tools(tools, ["all"]) == tools
    with pytest.raises(BadInputError, match=r"no tool 'lok' \(did you mean 'look'\?\)"):
        choose_tools(tools, ["lok"])
