"""Command lines as values, by the table of commands.

Rule 1: what is not right is refused in one line that says what would be right.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from perception.cli.shell.commands import Command, values_of_nothing
from perception.errors import BadInputError
from perception.interaction.target import FORMS, parse_target
from perception.interaction.written_arguments import Argument, Kind

MAX_TEXT = 1_000_000
"""Characters of one argument: the service types a million of them in seconds."""

TARGETS = "a ref such as e5, a CSS selector, or x,y in CSS px"

FOCUS = "-"
"""As a target: where the focus is."""

Values = dict[str, Any]
"""The arguments of a command by `Argument.key`; None, False or an empty list for what is not given."""

_SIZE = re.compile(r"(\d{1,5})[x×](\d{1,5})")


def parse_words(command: Command, words: Sequence[str]) -> Values:
    """The values of a command line.

    Args:
        command: of the table.
        words: what stands after its name.

    Raises:
        BadInputError: they do not fit.
    """
    for word in words:
        if len(word) > MAX_TEXT:
            raise BadInputError(
                f"{command.name}: an argument has {len(word)} characters: at most {MAX_TEXT} are taken; type in parts"
            )
        if not _is_text(word):
            raise BadInputError(f"{command.name}: the argument {word[:60]!a} is not UTF-8 text")
    takes_target = bool(command.arguments) and command.arguments[0].kind is Kind.TARGET
    if takes_target and len(words) > 1 and words[0] in ("e", "v") and words[1].isdecimal():
        raise BadInputError(f"{command.name}: write the ref as {words[0]}{words[1]}, without a space")
    given = _parser(command).parse_args([_EMPTY if word == "" else word for word in words])
    return typed_values(command, {name: _with_empty(value) for name, value in vars(given).items()})


def typed_values(command: Command, given: Mapping[str, Any]) -> Values:
    """The values of texts that were given.

    Args:
        command: of the table.
        given: texts by key, a list of them where an argument may be repeated, True for flags.

    Raises:
        BadInputError: a text is none that its argument takes.
    """
    values = values_of_nothing(command)
    for argument in command.all_arguments:
        text = given.get(argument.key)
        if text is None and argument.env:
            text = os.environ.get(argument.env) or None
        if text is None or text is False or text == ():
            continue
        shown = f"{command.name}: {argument.name}"
        if argument.many:
            values[argument.key] = [_typed(argument, each, shown) for each in text]
        else:
            values[argument.key] = _typed(argument, text, shown)
    return values


def text_of(source: str, command: str) -> str:
    """The text of a file, or of standard input for `-`.

    Args:
        source: as it was written.
        command: that asks for it, for the error.

    Raises:
        BadInputError: it cannot be read, is not text, or has more than `MAX_TEXT` characters.
    """
    try:
        opened = 0 if source == "-" else source
        with open(opened, encoding="utf-8", errors="surrogateescape", closefd=source != "-") as file:
            text = file.read(MAX_TEXT + 1)
    except OSError as exc:
        raise BadInputError(f"{command}: {source} cannot be read: {exc.strerror}") from exc
    if not _is_text(text):
        raise BadInputError(f"{command}: {source} is not UTF-8 text: save it as such")
    if len(text) > MAX_TEXT:
        raise BadInputError(f"{command}: {source} has more than {MAX_TEXT} characters: give it in parts")
    return text


def _is_text(text: str) -> bool:
    """Whether it was UTF-8 without NUL: Python puts surrogates in place of other bytes."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _typed(argument: Argument, text: Any, shown: str) -> Any:
    """One value. Raises BadInputError."""
    if argument.kind is Kind.FLAG:
        return bool(text)
    if argument.choices:
        if (choice := str(text).lower()) not in argument.choices:
            raise BadInputError(f"{shown} is {str(text)[:60]!r}: it takes one of {', '.join(argument.choices)}")
        return choice
    if argument.kind is Kind.TARGET and text != FOCUS:
        try:
            return parse_target(text)
        except ValueError as exc:
            raise BadInputError(f"{shown} {str(exc).replace(FORMS, TARGETS)}") from exc
    if argument.kind in (Kind.WHOLE, Kind.NUMBER):
        return _number(argument, str(text), shown)
    if argument.kind is Kind.SIZE:
        if not (size := _SIZE.fullmatch(str(text).strip())):
            raise BadInputError(f"{shown} is {str(text)[:60]!r}: it takes WIDTHxHEIGHT in CSS px, such as 1280x800")
        return int(size[1]), int(size[2])
    return text


def _number(argument: Argument, text: str, shown: str) -> float:
    kind = "a whole number" if argument.kind is Kind.WHOLE else "a number"
    try:
        number = int(text) if argument.kind is Kind.WHOLE else float(text)
        if abs(number) > 1e9:  # infinity too
            raise ValueError
    except ValueError as exc:
        raise BadInputError(f"{shown} is {text[:60]!r}: it takes {kind}") from exc
    if argument.least is not None and not number >= argument.least:
        raise BadInputError(f"{shown} is {text[:60]}: it takes {kind} from {argument.least:g} on")
    return number


_EMPTY = "\x00empty"
"""Stands for an empty word, which argparse takes for no value of an option with `nargs="?"`."""


def _with_empty(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_empty(each) for each in value]
    return "" if value == _EMPTY else value


class _Parser(argparse.ArgumentParser):
    """Reports errors as ours."""

    def error(self, message: str) -> NoReturn:
        message = message.replace(_EMPTY, "''")
        takes_dash = re.search(r"arguments: -|expected", message)
        dashes = "; a text that begins with a dash comes after --" if takes_dash else ""
        raise BadInputError(f"{self.prog.split()[-1]}: {message[:200]}{dashes}; usage: {self.usage}")


def _usage(command: Command) -> str:
    """`perception press KEY [TARGET] [OPTIONS]`."""
    names = [f"{each.name}{' ...' if each.many else ''}" for each in command.arguments if not each.is_option]
    optional = {each.name for each in command.arguments if each.optional}
    shown = " ".join(f"[{name}]" if name in optional else name for name in names)
    return f"perception {command.name} {shown}{' ' if shown else ''}[OPTIONS], which --help lists"


def _parser(command: Command) -> _Parser:
    formatter: Any = partial(argparse.HelpFormatter, width=120)  # without a width it loads `shutil` to ask for one
    parser = _Parser(
        f"perception {command.name}",
        usage=_usage(command),
        formatter_class=formatter,
        add_help=False,
        allow_abbrev=False,
    )
    for each in command.all_arguments:
        shown = each.name.lstrip("-").replace("-", "_").upper()
        if each.kind is Kind.FLAG:
            parser.add_argument(each.name, action="store_true")
        elif each.is_option:
            bare: dict[str, Any] = {} if each.bare is None else {"nargs": "?", "const": each.bare}
            parser.add_argument(each.name, metavar=shown, action="append" if each.many else "store", **bare)
        else:
            nargs = "+" if each.many else "?" if each.optional else None
            parser.add_argument(each.key, metavar=shown, nargs=nargs)
    return parser
