"""What is written on a command line, as values, or as one line that says what would be right."""

from __future__ import annotations

import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from perception.cli.main import make_app
from perception.cli.shell.acting import step_of
from perception.cli.shell.commands import BY_NAME, COMMANDS, Command
from perception.cli.shell.parsing import Values, parse_words, text_of, typed_values
from perception.errors import BadInputError
from perception.interaction.step import Step


def read(line: str) -> Values:
    words = shlex.split(line)
    return parse_words(BY_NAME[words[0]], words[1:])


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("click e5", Step("click", "e5")),
        ("click @e5 --count 2 --modifier shift", Step("click", "e5", count=2, modifiers=["shift"])),
        ("click 120,34.5 --button RIGHT", Step("click", (120.0, 34.5), button="right")),
        ("type e4 'two words' --submit", Step("type", "e4", text="two words", submit=True)),
        ("type e4 x --clear", Step("fill", "e4", text="x")),
        ("type - hello", Step("type", None, text="hello")),
        ("fill e4 ''", Step("fill", "e4", text="")),
        ("fill e4 -- --dashes", Step("fill", "e4", text="--dashes")),
        ("fill e4 -5", Step("fill", "e4", text="-5")),
        ("fill e4 --secret bank", Step("fill", "e4", secret="bank")),
        ("press Control+A", Step("press", None, text="Control+A")),
        ("select '#size' Large 'Very large'", Step("select", "#size", options=["Large", "Very large"])),
        ("drag e1 300,200", Step("drag", "e1", (300.0, 200.0))),
        ("scroll down", Step("scroll", None, dy=600.0)),
        ("scroll left 50 --target e3", Step("scroll", "e3", dx=-50.0)),
        ("scroll e7", Step("scroll", "e7")),
        ("uncheck e2", Step("uncheck", "e2")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_command_line_is_a_step(line: str, step: Step) -> None:
    assert step_of(line.split()[0], read(line)) == step


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("click 'e 5'", "click: TARGET is 'e 5': write the ref as e5"),
        ("click e 5", "click: write the ref as e5, without a space"),
        ("click 5", "click: TARGET is '5': a ref has a letter, such as e5"),
        ("click ''", "click: TARGET is empty: it takes a ref such as e5, a CSS selector, or x,y in CSS px"),
        ("click", "click: the following arguments are required: TARGET; usage: perception click TARGET [OPTIONS]"),
        ("click e5 --button upper", "click: --button is 'upper': it takes one of left, right, middle"),
        ("click e5 --count two", "click: --count is 'two': it takes a whole number"),
        ("click e5 --color red", "click: unrecognized arguments: --color red; a text that begins with a dash"),
        ("look --max-tokens -1", "look: --max-tokens is -1: it takes a whole number from 0 on"),
        ("look --timeout-ms 0", "look: --timeout-ms is 0: it takes a whole number from 1 on"),
        ("look --timeout-ms inf", "look: --timeout-ms is 'inf': it takes a whole number"),
        ("open https://a.example --viewport large", "open: --viewport is 'large': it takes WIDTHxHEIGHT in CSS px"),
        ("fill e4", "fill: needs text or secret, one of them"),
        ("type e4 x --secret y", "type: needs text or secret, one of them"),
        ("fill - x", "fill: needs target"),
        ("drag e1 -", "drag: TO is '-', where the focus is: name an element"),
        ("scroll e7 50", "scroll: PX and --target go with up, down, left or right"),
        ("scroll 5", "scroll: WHERE is '5': a ref has a letter, such as e5; or up, down, left, right"),
        ("upload e5 /none/a.txt", "upload: /none/a.txt cannot be read: there is no such file"),
    ],
    ids=lambda value: value[:40],
)
def test_a_wrong_line_is_told_what_is_right(line: str, message: str) -> None:
    with pytest.raises(BadInputError) as error:
        step_of(line.split()[0], read(line))
    assert str(error.value).startswith(message)


def test_an_argument_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadInputError, match="fill: an argument has 10000000 characters: at most 1000000 are taken"):
        parse_words(BY_NAME["fill"], ["e1", "x" * 10_000_000])


_WORDS = st.text(max_size=12) | st.sampled_from(
    ["e1", "e 5", "-", "--", "", "1,2", "img:1,2", "down", "#a", "--count", "2", "--text", "--since", "--session", "x"]
)


@given(st.sampled_from(COMMANDS), st.lists(_WORDS, max_size=6))
def test_any_line_is_values_or_one_line_of_error(command: Command, words: list[str]) -> None:
    with suppress(BadInputError):
        values = parse_words(command, words)
        if command.run == "acting:act":
            step_of(command.name, values)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"fill: the argument 'a\\udcff' is not UTF-8 text"):
        parse_words(BY_NAME["fill"], ["e1", "a\udcff"])
    (tmp_path / "batch").write_bytes(b"\xff")
    with pytest.raises(BadInputError, match=r"do: .*batch is not UTF-8 text"):
        text_of(str(tmp_path / "batch"), "do")


def test_a_variable_of_the_environment_stands_for_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCEPTION_SESSION", "mine")
    assert read("look")["session"] == "mine"
    assert read("look --session yours")["session"] == "yours"


@pytest.mark.parametrize("name", [each.name for each in COMMANDS])
def test_help_lists_what_a_command_takes(name: str) -> None:
    shown = CliRunner().invoke(make_app(name), [name, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert shown.exit_code == 0
    for each in BY_NAME[name].all_arguments:
        assert (each.name if each.is_option else "|".join(each.choices) or each.key.upper()) in shown.stdout


def test_the_table_and_the_functions_of_help_read_the_same_values() -> None:
    command = typer.main.get_command(make_app("click")).commands["click"]  # type: ignore[attr-defined]
    context = command.make_context("click", ["e5", "--modifier", "shift", "--timeout-ms", "9"])
    assert typed_values(BY_NAME["click"], context.params) == read("click e5 --modifier shift --timeout-ms 9")


def test_a_shell_completes_commands_and_choices() -> None:
    script = "import sys; sys.argv[0] = 'perception'; from perception.__main__ import main; main()"

    def complete(line: str) -> list[str]:
        env = {"_PERCEPTION_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
        return done.stdout.split()

    assert {"screenshot", "scroll", "select", "serve", "sessions"} <= set(complete("perception s"))
    assert complete("perception look --view di") == ["digest"]
