"""The `perception` program: its commands, and those that other rooms add by the entry-point group.

Commands that need the service's own code (`serve`, `doctor`, `token`), data sets or benchmarks come in by the group
`perception.commands`. They import what they run with when they run: `perception --help` loads no service.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated

import typer

from perception.cli.help_lines import HELP_LINES
from perception.cli.shell.commands import BY_NAME as SHELL_COMMANDS
from perception.cli.shell.commands import COMPLETION, PANEL, Command
from perception.client.installation import INSTALL_SERVICE, has_service, installed_version
from perception.loading import loading
from perception.terminal import FAILED, fail, out

COMMANDS = "perception.commands"
"""Entry-point group: names are commands, values are functions or Typer applications."""

_OWN = tuple(
    EntryPoint(name, f"perception.cli.{where}", COMMANDS)
    for name, where in (
        ("snapshot", "snapshot:snapshot"),
        ("pdf", "pdf:pdf"),
        ("explain", "explain:explain"),
        ("extract", "extract:extract"),
        ("parse", "vision:parse"),
        ("devices", "devices:devices"),
        ("profile", "profiles:app"),
        ("har", "har:har"),
        ("trace", "trace:trace"),
        ("health", "health:health"),
    )
)
"""The commands that only call a service, which come in by the same way."""

_OF_SERVICE = ("ab bench cluster dataset detectors doctor mcp record serve subroutine token view worker").split()
"""The service's entry points, for an installation of the client alone, which has none."""


def command_points() -> tuple[EntryPoint, ...]:
    """Where the commands are, but those of the shell."""
    return (*_OWN, *entry_points(group=COMMANDS))


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(installed_version())
        raise typer.Exit


def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The eyes and hands of web agents: fused snapshots of pages, and actions on them, over gRPC."""


def make_app(only: str = "") -> typer.Typer:
    """The program with all commands that are installed.

    Args:
        only: leave out all but the command of this name, which then starts without what the others load. Any other name
            leaves out none.
    """
    app = _empty_app()
    if only in SHELL_COMMANDS:
        _add_shell(app, SHELL_COMMANDS[only])
        return app
    points = command_points()
    wanted = [point for point in points if point.name == only]
    _add_missing(app)
    for point in wanted or points:
        _add(app, point)
    if not wanted:
        for command in SHELL_COMMANDS.values():
            _add_shell(app, command)
    return app


def make_listing() -> typer.Typer:
    """The program as its help lists it: its own commands are not loaded, and cannot be run."""
    app = _empty_app()
    points = {point.name: point for point in command_points()}
    for name, said in HELP_LINES.items():
        if name in points and points[name].value.startswith("perception."):
            app.command(name, help=said)(_not_loaded)
            del points[name]
    for point in points.values():
        _add(app, point)
    _add_missing(app)
    for command in SHELL_COMMANDS.values():
        app.command(command.name, help=command.help, rich_help_panel=PANEL)(_not_loaded)
    return app


def _not_loaded() -> None:
    """Stands for a command in the list."""


def _empty_app() -> typer.Typer:
    return typer.Typer(name="perception", callback=_options, no_args_is_help=True, pretty_exceptions_enable=False)


def _add_missing(app: typer.Typer) -> None:
    """Adds the service's commands where the client is installed alone; they say what to install."""
    if not has_service():
        for name in _OF_SERVICE:
            _add_unavailable(app, name, INSTALL_SERVICE, "Needs the service: pip install perception-service")


def _add_shell(app: typer.Typer, command: Command) -> None:
    from perception.cli.shell.typer_commands import typer_function

    app.command(command.name, rich_help_panel=PANEL)(typer_function(command))


def _add(app: typer.Typer, point: EntryPoint) -> None:
    """Adds a room's command. One that cannot be imported reports that when it is run; the others still work."""
    try:
        added = point.load()
    except Exception as exc:  # what a room or plug-in does at its import can fail in any way
        why = f"`perception {point.name}` cannot be loaded: {exc}"
        _add_unavailable(app, point.name, why, f"Not available here: {exc}")
        return
    if isinstance(added, typer.Typer):
        app.add_typer(added, name=point.name)
    else:
        app.command(point.name)(added)


def _add_unavailable(app: typer.Typer, name: str, why: str, help_line: str) -> None:
    def unavailable() -> None:
        fail(why, FAILED)

    app.command(
        name,
        help=help_line,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )(unavailable)


def main() -> None:
    """Runs the program. OpenCV without a screen's libraries is reported in one line: it is a matter of packages."""
    try:
        with loading():
            listed = sys.argv[1:] in ([], ["--help"]) and COMPLETION not in os.environ
            app = make_listing() if listed else make_app("".join(sys.argv[1:2]))
        app()
    except ImportError as exc:
        if "libGL" not in str(exc) and "libgthread" not in str(exc):
            raise
        sys.exit(
            f"perception: OpenCV does not load ({exc}): opencv-contrib-python, which PaddleOCR installs, needs a "
            "screen's libraries. pip install --force-reinstall --no-deps opencv-python-headless"
        )
