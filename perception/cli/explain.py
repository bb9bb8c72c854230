"""`perception explain`: what became of a node or pixel at each stage of a look."""

from __future__ import annotations

import re
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from perception.cli.command_options import (
    SETTLE_SECONDS,
    Address,
    MaxTokens,
    Settle,
    Timeout,
    Url,
    service_command,
    token_limit,
)
from perception.cli.printing import print_json
from perception.cli.service import hosts_of, page_url_of, service_client
from perception.cli.snapshot import EngineName, ModeName, StyleName, ViewName, assign_refs
from perception.client import Client
from perception.client.requests import options_of, target_of
from perception.errors import BadInputError
from perception.terminal import Output, OutputFormat, write
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb

_POINT = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*")
_TEXT = "text="


@service_command
def explain(
    url: Url,
    target: Annotated[
        str,
        typer.Argument(
            help="A ref (e5, v3), a CSS selector, a point `x,y` (CSS px), `node=ID` (backend node id) or `text=WORDS`."
        ),
    ],
    mode: Annotated[ModeName, typer.Option(help="As of `perception snapshot`.")] = ModeName.FUSED,
    engine: Annotated[EngineName, typer.Option(help="As of `perception snapshot`.")] = EngineName.WALKER,
    scope: Annotated[str, typer.Option(help="viewport, or page.")] = "viewport",
    view: Annotated[ViewName, typer.Option(help="As of `perception snapshot`.")] = ViewName.FULL,
    style: Annotated[StyleName, typer.Option(help="As of `perception snapshot`.")] = StyleName.ROLE_REF,
    output: Output = OutputFormat.TEXT,
    max_tokens: MaxTokens = None,
    settle: Settle = SETTLE_SECONDS,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Print why an element is listed as it is, or why it is not listed."""
    if scope not in ("viewport", "page"):
        raise BadInputError(f"--scope {scope}: give viewport or page")
    request = _request(target)
    named = {"mode": mode.value, "engine": engine.value, "scope": scope, "view": view.value, "style": style.value}
    # The refs and the text that are explained are those that `perception snapshot` prints.
    tokens = token_limit(max_tokens, as_json=False)
    request.options.CopyFrom(options_of({**named, "max_tokens": tokens, "settle_timeout": settle}))
    with page_url_of(url) as page_url, service_client(address, hosts_of(url, page_url), timeout) as client:
        reply = _explain(client, page_url, request)
    if output is OutputFormat.JSON:
        print_json(reply)
    else:
        _print(reply)


def _request(target: str) -> perception_pb.ExplainElementRequest:
    """What TARGET asks about.

    Raises:
        BadInputError: it is empty.
    """
    if not target.removeprefix(_TEXT).strip():
        raise BadInputError("the target is empty: give a ref, a CSS selector, x,y, node=ID or text=WORDS")
    if target.startswith(_TEXT):
        return perception_pb.ExplainElementRequest(text=target.removeprefix(_TEXT))
    if point := _POINT.fullmatch(target):
        return perception_pb.ExplainElementRequest(target=target_of((float(point[1]), float(point[2]))))
    return perception_pb.ExplainElementRequest(target=target_of(target))


def _explain(
    client: Client, url: str, request: perception_pb.ExplainElementRequest
) -> perception_pb.ExplainElementResponse:
    """Asks in a session of its own."""
    created = client.call(client.sessions.CreateSession, session_pb.CreateSessionRequest(url=url))
    request.session_id = created.session.session_id
    try:
        if ref := request.target.ref:
            assign_refs(client, request.session_id, request.options, ref)
        reply: perception_pb.ExplainElementResponse = client.call(client.perception.ExplainElement, request)
        return reply
    finally:
        client.call(client.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=request.session_id))


def _print(reply: perception_pb.ExplainElementResponse) -> None:
    """The summary, and a line for each stage."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for report in reply.stages:
        facts = ", ".join(f"{fact.name} {fact.value}" for fact in report.facts if fact.value)
        stage = perception_pb.Stage.Name(report.stage).removeprefix("STAGE_").lower().replace("_", " ")
        outcome = perception_pb.StageOutcome.Name(report.outcome).removeprefix("STAGE_OUTCOME_").lower()
        reason = Text(report.reason)
        if facts:
            reason.append(f"  ({facts})", style="dim")
        table.add_row(Text(stage), Text(outcome), reason)
    console = Console(width=200, color_system=None)
    with console.capture() as captured:
        console.print(table)
    lines = "\n".join(line.rstrip() for line in captured.get().splitlines())
    write(f"{reply.summary}\n\n{lines}\n")
