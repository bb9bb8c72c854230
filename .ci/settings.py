"""Makes server/serve_options.py, the options that set settings, and docs/settings.md from the fields of `Settings`.

Usage: .venv/bin/python .ci/settings.py ROOT
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic.fields import FieldInfo

from perception.server.serve_option import Commands, Flag
from perception.server.settings import Settings

DEFAULT, PREFIX = "Default: ", Settings.model_config["env_prefix"]

HEAD = '''"""The options of `perception serve` and `perception worker` that set a setting.

Made from settings.py by .ci/settings.py. Not to be edited.
"""
# ruff: noqa: E501  (help texts have no line ends)

from pathlib import Path

from perception.server.serve_option import Commands, ServeOption

OPTIONS = (
'''

PAGE = """# Settings

Made from `server/settings.py` by `make stubs`; do not edit. An option of `perception serve` overrides the environment
variable. A list is `ONE,OTHER` in a variable; as an option it is repeated. See also [limits](operating.md#limits).

| option | variable | default | |
|---|---|---|---|
"""


def flag_of(field: FieldInfo) -> Flag | None:
    return next((each for each in field.metadata if isinstance(each, Flag)), None)


def kind_of(field: FieldInfo) -> str:
    """What an option takes, as source text."""
    annotation: Any = field.annotation
    if annotation in (str, int, float, bool):
        return str(annotation.__name__)
    if tuple(get_args(annotation)) == (str, ...):
        return "list[str]"
    return "Path"


def default_of(field: FieldInfo) -> str:
    """The default in words; empty where there is nothing to say."""
    _, _, said = (field.description or "").rpartition(DEFAULT)
    if DEFAULT in (field.description or ""):
        return said.rstrip(".")
    if isinstance(field.default, bool) or field.default in (None, "", ()):
        return ""
    return f"{field.default:g}" if isinstance(field.default, float) else str(field.default)


def help_of(field: FieldInfo) -> str:
    about, default = field.description or "", default_of(field)
    return about if DEFAULT in about or not default else f"{about} {DEFAULT}{default}."


def option_of(name: str, field: FieldInfo, flag: Flag) -> str:
    kind = kind_of(field)
    least = next((each.ge for each in field.metadata if hasattr(each, "ge")), None)
    parts = [repr(name), repr(flag.name), kind, repr(help_of(field))]
    if flag.of is not Commands.BOTH:
        parts.append(f"of={flag.of}")
    if (lowest := flag.least if flag.least is not None else least) is not None:
        parts.append(f"least={lowest}")
    if kind == "bool" and field.default:
        parts.append("sets=False")
    return f"    ServeOption({', '.join(parts)}),\n"


def options() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        if flag := flag_of(field):
            yield option_of(name, field, flag)


def rows() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        flag = flag_of(field)
        if flag and flag.of is Commands.NEITHER:
            continue
        shown = f"`{flag.name}`" if flag else ""
        if flag and flag.of is Commands.WORKER:
            shown += " (worker)"
        variable = f"{PREFIX}{name.upper()}"
        if isinstance(field.default, bool):
            variable += f"={'false' if field.default else 'true'}"
        about = (field.description or "").partition(f" {DEFAULT}")[0]
        yield f"| {shown} | `{variable}` | {default_of(field)} | {about} |\n"


def main(root: Path) -> None:
    made = root / "server/serve_options.py"
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(HEAD + "".join(options()) + ")\n", "utf-8")
    config = str(Path(__file__).parents[1] / "pyproject.toml")
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", "--config", config, str(made)], check=True)
    (root / "docs/settings.md").write_text(PAGE + "".join(rows()), "utf-8")


main(Path(sys.argv[1]))
