"""`perception subroutine refine` and `edit`: a changed script, checked against the recordings before it is kept."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import typer

from perception.cli.command_options import Address, Timeout, service_command
from perception.cli.service import find_subroutine, service_client
from perception.client import RemoteError, Subroutines
from perception.client.plain_values import tool_of
from perception.errors import BadInputError
from perception.terminal import err, out, write
from perception.v1 import subroutine_service_pb2 as pb

if TYPE_CHECKING:
    from perception.llm.script_writing import ScriptWriter

MAX_ATTEMPTS = 2
"""Answers that a model is asked for. The second is asked for with what was wrong with the first."""

Name = Annotated[str, typer.Argument(help="As `list` prints it.")]


@service_command
def refine(
    subroutine_id: Name,
    llm: Annotated[str, typer.Option(help="The language model that is asked for a better script.")] = "",
    llm_url: Annotated[str, typer.Option(help="Address of its OpenAI-compatible endpoint, up to /v1.")] = "",
    llm_key_variable: Annotated[str, typer.Option(help="Environment variable with its key, if it needs one.")] = "",
    llm_timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for each of its answers.")] = 120.0,
    instruction: Annotated[str, typer.Option(help="What to improve. Default: readability, names, descriptions.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Keep what passes the check, without asking.")] = False,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Let a language model improve a script; what it writes is checked against the recordings."""
    from perception.llm.endpoint import Endpoint  # with what counts tokens, which takes time to load
    from perception.llm.script_writing import ScriptFacts, ScriptWriter

    if not llm or not llm_url:
        raise BadInputError("refine needs a language model: name it by --llm and its endpoint by --llm-url")
    endpoint = Endpoint(llm_url, llm, llm_key_variable, llm_timeout)
    with service_client(address, (), timeout) as client:
        tools = Subroutines(client)
        made = tools.get(find_subroutine(tools, subroutine_id).subroutine_id)
        schema = tool_of(made)["parameters"]
        facts = ScriptFacts(made.name, made.description, made.body, schema, made.success_condition, made.context)
        writer = ScriptWriter(endpoint, facts, instruction)
        change = _checked_proposal(tools, made, writer)
        checked = _update(tools, made, change, validate_only=True)
        if not _show(made, checked):
            out.print("the model changed nothing", markup=False)
            return
        if not yes and not typer.confirm("Keep this?", err=True):
            raise BadInputError("nothing was kept")
        _update(tools, made, change)
        out.print(f"{made.subroutine_id} is changed", markup=False)


@service_command
def edit(
    subroutine_id: Name,
    source: Annotated[Path | None, typer.Option("--from", help="File with the script. Default: open $EDITOR.")] = None,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Change a script by hand; it is checked against the recordings before it is kept."""
    with service_client(address, (), timeout) as client:
        tools = Subroutines(client)
        made = tools.get(find_subroutine(tools, subroutine_id).subroutine_id)
        body = read_text(source) if source is not None else click.edit(made.body, extension=".js")
        if body is None or body == made.body:
            out.print("nothing was changed", markup=False)
            return
        try:
            changed = _update(tools, made, {"body": body})
        except RemoteError:
            if source is None:
                kept = _saved(made.subroutine_id, body)
                err.print(f"your script is in {kept}: correct it there, and give it by --from", markup=False)
            raise
        _show(made, changed)


def _checked_proposal(tools: Subroutines, made: pb.Subroutine, writer: ScriptWriter) -> dict[str, Any]:
    """What the model proposes, once it passes the check.

    Raises:
        RemoteError: the service refuses the last answer.
        AnswerError: the last answer has no script.
    """
    from perception.llm.script_writing import AnswerError

    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            proposal = writer.propose()
            change = {
                "body": proposal.body,
                "description": proposal.description or None,
                "rename": proposal.rename,
                "parameter_descriptions": proposal.parameter_descriptions,
            }
            _update(tools, made, change, validate_only=True)
        except (AnswerError, RemoteError) as exc:
            if attempt == MAX_ATTEMPTS or (isinstance(exc, RemoteError) and exc.code.name != "INVALID_ARGUMENT"):
                raise
            err.print(f"the model's answer was refused, and it is asked once more: {exc}", markup=False)
            writer.tell(str(exc))
        else:
            return change
    raise AssertionError("unreachable")


def _update(
    tools: Subroutines, made: pb.Subroutine, change: Mapping[str, Any], *, validate_only: bool = False
) -> pb.Subroutine:
    return tools.update(made.subroutine_id, etag=made.etag, validate_only=validate_only, **change)


def _show(before: pb.Subroutine, after: pb.Subroutine) -> bool:
    """Prints what changes, as a unified diff. Returns whether anything does."""
    diff = "".join(
        difflib.unified_diff(
            _text(before).splitlines(keepends=True), _text(after).splitlines(keepends=True), "before", "after"
        )
    )
    write(diff)
    return bool(diff)


def _text(made: pb.Subroutine) -> str:
    """What may change: the description, the parameters, and the script."""
    fields = tool_of(made)["parameters"]["properties"]
    lines = [f"// {name}: {field['description']}" for name, field in fields.items()]
    return "\n".join((f"// {made.description}", *lines, made.body.rstrip("\n"))) + "\n"


def _saved(name: str, body: str) -> Path:
    """The file that a script was written to, so that it is not lost."""
    with tempfile.NamedTemporaryFile("w", prefix=f"{name}-", suffix=".js", delete=False, encoding="utf-8") as file:
        file.write(body)
    return Path(file.name)


def read_text(path: Path) -> str:
    """The text of a file that a user names. Raises BadInputError: it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        raise BadInputError(f"{path} cannot be read: {exc}") from exc
