"""`perception do`: a batch of steps, a command on each line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from perception.cli.shell.acting import conditions_of, step_of, wait_step
from perception.cli.shell.commands import BY_NAME, COMMANDS, COMMON, WAIT_TIMEOUT_MS
from perception.cli.shell.context import NAMES, Context
from perception.cli.shell.parsing import Values, parse_words, text_of
from perception.cli.shell.results import Result, json_value
from perception.errors import BadInputError
from perception.interaction.batch import NamedStep, run_steps
from perception.interaction.session_state import SessionState
from perception.interaction.steps import batch_step, prepare_step, step_words

MAX_STEPS = 200
"""Most steps of one batch: each takes a tenth of a second and more."""

PROGRAM = "perception"


async def do(context: Context) -> Result:
    """Runs the commands of a file until one fails."""
    commands = commands_of(text_of(context.values["file"], "do"))
    session = context.session()
    steps = [_step(session.state, name, values) for name, values in commands]
    outcome = await run_steps(session.state, steps, context.left_s, NAMES)
    context.keep(session)
    error = outcome.error
    if not outcome.is_complete and error is None:
        error = BadInputError(f"do: {outcome.done} of {len(steps)} steps were done: answer the dialog first")
    data = {"steps": len(steps), "done": outcome.done}
    if outcome.result is not None:
        data |= {"result": json_value(outcome.result)} if context.values["format"] == "json" else {}
    return Result(outcome.text, data=data, error=error)


def commands_of(text: str) -> Sequence[tuple[str, Values]]:
    """The commands of a batch, checked: their names and values.

    Args:
        text: a command on each line, with or without `perception` before it; `#` begins a comment.

    Raises:
        BadInputError: the first line that is not a step of a batch.
    """
    found: list[tuple[str, Values]] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as exc:
            raise BadInputError(f"do: line {number}: {str(exc).lower()}: nothing was run") from exc
        if words[:1] == [PROGRAM]:
            del words[0]
        if words:
            found.append(_command(words, number))
    if not found:
        raise BadInputError("do: the batch is empty: write a command on each line, such as `click e5`")
    if len(found) > MAX_STEPS:
        raise BadInputError(f"do: the batch has {len(found)} steps: at most {MAX_STEPS} are taken: nothing was run")
    return found


def _command(words: list[str], number: int) -> tuple[str, Values]:
    command = BY_NAME.get(words[0])
    if command is None or not command.steps:
        there = ", ".join(each.name for each in COMMANDS if each.steps)
        raise BadInputError(f"do: line {number}: {words[0][:60]!r} is not a step of a batch: there are {there}")
    try:
        values = parse_words(command, words[1:])
        given = {word.partition("=")[0] for word in words[1:]}
        taken = [each.name for each in COMMON if each.name in given and not (words[0] == "wait" and each.least)]
        if taken:
            raise BadInputError(f"{words[0]}: {taken[0]} is an option of `do`, not of its lines")
        if words[0] == "wait":
            conditions_of(values)
        else:
            step_of(words[0], values)
    except BadInputError as exc:
        raise BadInputError(f"do: line {number}: {exc}: nothing was run") from exc
    return words[0], values


def _step(state: SessionState, name: str, values: Values) -> NamedStep:
    if name == "wait":
        return wait_step(state, conditions_of(values), (values["timeout_ms"] or WAIT_TIMEOUT_MS) / 1000)
    plain = step_of(name, values)
    return NamedStep(step_words(plain), prepare_step(plain, state), batch_step(plain, state))
