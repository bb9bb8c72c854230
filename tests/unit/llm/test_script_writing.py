"""What a model is told while it writes a script."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from perception.llm.script_writing import AnswerError, ScriptFacts, ScriptWriter

FACTS = ScriptFacts("add", "Adds one.", "async () => 1", {}, "the list shows it", "")


def test_a_model_is_told_its_own_answers_and_why_they_were_refused() -> None:
    answers = ["I cannot.", "```js\nasync () => 2\n```"]
    asked: list[list[dict[str, str]]] = []

    def ask(body: bytes, *_: Any) -> Any:
        asked.append(json.loads(body)["messages"])
        return SimpleNamespace(text=answers[len(asked) - 1])

    writer = ScriptWriter(SimpleNamespace(options={}, model="m", ask=ask), FACTS)  # type: ignore[arg-type]
    with pytest.raises(AnswerError):
        writer.propose()
    writer.tell("no script")
    assert writer.propose().body == "async () => 2\n"
    assert [each["role"] for each in asked[1]] == ["system", "user", "assistant", "user"]
    assert asked[1][2]["content"] == "I cannot."
    assert "no script" in asked[1][3]["content"]
