"""`perception snapshot`: open a page and print what is on it."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from perception.cli.command_options import (
    SETTLE_SECONDS,
    Address,
    Annotate,
    Device,
    MaxTokens,
    Profile,
    Settle,
    State,
    Timeout,
    Url,
    service_command,
    token_limit,
)
from perception.cli.printing import print_snapshot, write_image
from perception.cli.service import hosts_of, page_url_of, service_client
from perception.client import Client
from perception.client.requests import create_request, options_of
from perception.errors import BadInputError
from perception.terminal import Output, OutputFormat, check_writable, err
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb


class ModeName(Enum):
    """What a snapshot is made from."""

    TEXT = "text"
    FUSED = "fused"
    VISION = "vision"


class EngineName(Enum):
    """Where roles and names come from."""

    WALKER = "walker"
    AX = "ax"


class ViewName(Enum):
    """How much is printed."""

    FULL = "full"
    INTERACTIVE = "interactive"
    DIGEST = "digest"


class StyleName(Enum):
    """How elements are written."""

    ROLE_REF = "role-ref"
    COMPACT = "compact"


@service_command
def snapshot(
    url: Url,
    mode: Annotated[
        ModeName, typer.Option(help="The page's own facts, these and its pixels, or its pixels alone.")
    ] = ModeName.FUSED,
    engine: Annotated[
        EngineName, typer.Option(help="Our page walker, or Chromium's accessibility tree.")
    ] = EngineName.WALKER,
    scope: Annotated[
        str | None,
        typer.Option(
            help="viewport, page, or a ref or CSS selector: that part alone. Default: viewport, all of a root."
        ),
    ] = None,
    root: Annotated[
        str, typer.Option(help="Only the content of this ref (as this command prints it) or CSS selector.")
    ] = "",
    view: Annotated[
        ViewName, typer.Option(help="Everything, what can be acted on, or a line for each region.")
    ] = ViewName.FULL,
    style: Annotated[
        StyleName, typer.Option(help="A line for each element, or as few tokens as possible.")
    ] = StyleName.ROLE_REF,
    output: Output = OutputFormat.TEXT,
    max_tokens: MaxTokens = None,
    boxes: Annotated[bool, typer.Option("--boxes", help="Each element's box in its line, CSS px.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the texts in view against the pixels; mark those that differ.")
    ] = False,
    device: Device = "",
    profile: Profile = "",
    state: State = None,
    settle: Settle = SETTLE_SECONDS,
    image: Annotated[Path | None, typer.Option(help="Write the screenshot here (PNG).")] = None,
    annotate: Annotate = None,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Open a page and print what is on it."""
    check_writable(image, annotate)
    with page_url_of(url) as page_url, service_client(address, hosts_of(url, page_url), timeout) as client:
        named = {"mode": mode.value, "engine": engine.value, "view": view.value, "style": style.value}
        tokens = token_limit(max_tokens, as_json=output is OutputFormat.JSON)
        limits = {"max_tokens": tokens, "settle_timeout": settle, **_part_of(scope, root)}
        options = options_of({**named, **limits, "include_boxes": boxes, "verify": verify})
        opening = create_request(page_url, "", "", {"device": device, "profile": profile, "state": state})
        reply = _capture(client, opening, options, with_image=image is not None, with_annotated=annotate is not None)
    print_snapshot(reply.snapshot, output)
    write_image(image, reply.screenshot, "screenshot")
    write_image(annotate, reply.annotated, "annotated image")


def _part_of(scope: str | None, root: str) -> dict[str, str]:
    """The options that --scope and --root mean.

    Raises:
        BadInputError: the two name different parts, or one names none.
    """
    if scope in ("viewport", "page"):
        return {"scope": scope, **({"root": root} if root else {})}
    part = scope if scope is not None else root
    if root and root != part:
        raise BadInputError(f"--scope {scope} and --root {root} name two parts: give one of them")
    if scope is not None and not scope.strip():
        raise BadInputError("--scope is empty: give viewport, page, a ref or a CSS selector")
    return {"root": part} if part else {}


def _capture(
    client: Client,
    opening: session_pb.CreateSessionRequest,
    options: perception_pb.SnapshotOptions,
    *,
    with_image: bool,
    with_annotated: bool,
) -> perception_pb.CaptureSnapshotResponse:
    """One snapshot in a session of its own."""
    created = client.call(client.sessions.CreateSession, opening)
    session_id = created.session.session_id
    try:
        if options.root.ref:
            assign_refs(client, session_id, options, options.root.ref)
        request = perception_pb.CaptureSnapshotRequest(
            session_id=session_id, options=options, include_screenshot=with_image, include_annotated=with_annotated
        )
        reply: perception_pb.CaptureSnapshotResponse = client.call(client.perception.CaptureSnapshot, request)
        return reply
    finally:
        end = client.call(client.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=session_id))
        if end.profile_error:
            err.print(end.profile_error, markup=False)


def assign_refs(client: Client, session_id: str, options: perception_pb.SnapshotOptions, ref: str) -> None:
    """Assigns the refs that an earlier command printed.

    A new session has none yet. A snapshot like the one that printed them numbers elements in the same order: those in
    view first, then the others.
    """
    first = perception_pb.SnapshotOptions()
    first.CopyFrom(options)
    first.ClearField("root")
    for scope in (perception_pb.SCOPE_VIEWPORT, perception_pb.SCOPE_PAGE):
        first.scope = scope
        request = perception_pb.CaptureSnapshotRequest(session_id=session_id, options=first)
        reply = client.call(client.perception.CaptureSnapshot, request)
        if any(element.ref == ref for element in reply.snapshot.elements):
            return
