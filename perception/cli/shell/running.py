"""Runs a command of the shell: from words to an exit code."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from perception.cli.exit_codes import exit_code_of
from perception.cli.shell.commands import BY_NAME, DEFAULT_TIMEOUT_MS, HUMAN_TIMEOUT_MS, WAIT_TIMEOUT_MS, Command
from perception.cli.shell.context import NAMES, Context, explained
from perception.cli.shell.parsing import Values, parse_words
from perception.cli.shell.results import Result, json_of
from perception.errors import BadInputError, PerceptionError
from perception.host_os import is_windows
from perception.interaction.answers import error_answer
from perception.plain_output import FAILED, INTERRUPTED, write, write_error


def run_words(words: list[str]) -> NoReturn:
    """Runs the command line that follows `perception`, and ends this process.

    Args:
        words: the name of a command of the table, and its arguments.
    """
    command = BY_NAME[words[0]]
    try:
        if is_windows():
            raise BadInputError("these commands need Unix sockets: use `perception mcp` or the Python client here")
        code = run_values(command, parse_words(command, words[1:]))
    except BadInputError as exc:
        write_error(exc)
        code = exit_code_of(exc)
    except KeyboardInterrupt:
        code = INTERRUPTED
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)  # 10 ms sooner: what was printed is printed, and gRPC has nothing to put away


def run_values(command: Command, values: Values) -> int:
    """Runs a command and prints its result. Returns the exit code."""
    longest_ms = {"wait": WAIT_TIMEOUT_MS, "request-human": HUMAN_TIMEOUT_MS}.get(command.name, DEFAULT_TIMEOUT_MS)
    context = Context(command.name, values, time.monotonic() + (values["timeout_ms"] or longest_ms) / 1000)
    try:
        result = asyncio.new_event_loop().run_until_complete(_run(command, context))
        _print(result, values)
        error = result.error
    except PerceptionError as exc:
        error = exc
    except BrokenPipeError:  # who reads has seen enough
        return FAILED
    except OSError as exc:
        write_error(f"{exc.filename or command.name}: {exc.strerror or exc}")
        return FAILED
    if error is None:
        return 0
    code = exit_code_of(error)
    told = explained(error, context.name)
    is_ours = isinstance(told, BadInputError) or not told.reason  # says all of it, without a reason for programs
    write_error(told if is_ours else error_answer(told, NAMES).text)
    return code


async def _run(command: Command, context: Context) -> Result:
    module, _, name = command.run.partition(":")
    result: Result = await getattr(import_module(f"perception.cli.shell.{module}"), name)(context)
    return result


def _print(result: Result, values: Values) -> None:
    write(json_of(result) if values["format"] == "json" else f"{result.text.rstrip()}\n")
