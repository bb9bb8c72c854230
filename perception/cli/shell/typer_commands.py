"""The shell's commands for help and completion: functions as Typer takes them, made of the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from perception.cli.failures import reporting_errors
from perception.cli.shell.commands import Command
from perception.cli.shell.parsing import typed_values
from perception.interaction.written_arguments import Argument, Kind


def typer_function(command: Command) -> Callable[..., None]:
    """The command as a function whose signature says what it takes."""

    def run(**given: Any) -> None:
        from perception.cli.shell.running import run_values

        with reporting_errors():
            code = run_values(command, typed_values(command, given))
        if code:
            raise typer.Exit(code)

    parameters = [_parameter(each) for each in command.all_arguments]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__doc__ = command.help
    return run


def _parameter(argument: Argument) -> inspect.Parameter:
    kind: Any = bool if argument.kind is Kind.FLAG else list[str] if argument.many else str
    is_needed = not argument.is_option and not argument.optional
    default = inspect.Parameter.empty if is_needed else False if argument.kind is Kind.FLAG else None
    annotation: Any = (
        Annotated[kind, _info(argument)] if default is not None else Annotated[kind | None, _info(argument)]
    )
    return inspect.Parameter(argument.key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _info(argument: Argument) -> Any:
    completion = (lambda: list(argument.choices)) if argument.choices else None
    shown = "|".join(argument.choices) if argument.choices else argument.key.upper()
    if not argument.is_option:
        return typer.Argument(help=argument.help, metavar=shown, autocompletion=completion)
    if argument.kind is Kind.FLAG:
        return typer.Option(argument.name, help=argument.help)
    return typer.Option(
        argument.name, help=argument.help, metavar=shown, envvar=argument.env or None, autocompletion=completion
    )
