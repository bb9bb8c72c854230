"""The table of verbs, beside what it stands for."""

from __future__ import annotations

from dataclasses import fields

import pytest

from perception.client import AsyncPage, steps
from perception.interaction.step import Step
from perception.interaction.verbs import VERBS, Verb

WRITTEN_OTHERWISE = {"scroll": {"where", "px"}, "type": {"clear"}}
"""Arguments that the shell makes fields of."""


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_what_people_write_for_a_verb_is_what_its_step_takes(verb: Verb) -> None:
    written = {each.field for each in verb.arguments} - WRITTEN_OTHERWISE.get(verb.name, set())
    assert written <= set(verb.uses) <= {each.name for each in fields(Step)}
    assert set(verb.needs) <= set(verb.uses)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_verb_is_a_call_of_a_page_and_a_step_of_a_batch(verb: Verb) -> None:
    name, given, options = verb.request(Step(verb.name, "e1", "e2", text="x", options=["x"]), "e1", "e2")
    assert callable(getattr(AsyncPage, name))
    assert getattr(steps, name)(*given, **options, may_navigate=True).WhichOneof("step")
