"""Makes perception/cli/help_lines.py, what `perception --help` says of each command, from the commands themselves.

Usage: .venv/bin/python .ci/help_lines.py TARGET
"""

import json
import sys
from pathlib import Path

import typer

from perception.cli.main import command_points

HEAD = '''"""What `perception --help` says of each command, so that it need not load them.

Made from the commands by .ci/help_lines.py. Not to be edited.
"""

HELP_LINES = {
'''


def help_of(command: object) -> str:
    """The first paragraph of the help of a command, or of an application of several."""
    app = command if isinstance(command, typer.Typer) else typer.Typer(add_completion=False)
    if app is not command:
        app.command()(command)
    return typer.main.get_command(app).help.partition("\n\n")[0]


if __name__ == "__main__":
    points = [(point.name, point.load()) for point in command_points() if point.value.startswith("perception.")]
    points.sort(key=lambda each: isinstance(each[1], typer.Typer))  # as Typer lists them: commands, then groups
    lines = (f'    "{name}": {json.dumps(help_of(command))},\n' for name, command in points)
    Path(sys.argv[1]).write_text(HEAD + "".join(lines) + "}\n", "utf-8")
