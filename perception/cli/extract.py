"""`perception extract`: what can be acted on, with durable selectors, or what a person reads."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from enum import Enum
from typing import Annotated, Any

import typer

from perception.cli.command_options import (
    SETTLE_SECONDS,
    Address,
    MaxTokens,
    Profile,
    Settle,
    State,
    Timeout,
    Url,
    service_command,
    token_limit,
)
from perception.cli.printing import print_json, say_left_out
from perception.cli.service import hosts_of, page_url_of, service_client
from perception.client import Client
from perception.errors import BadInputError
from perception.terminal import err, write
from perception.v1 import extraction_service_pb2 as pb

LIMITED_PAGE = 50
"""Elements that are asked for at a time where the text has a limit: about 1,400 tokens."""


class WhatName(Enum):
    """What is extracted."""

    INTERACTABLES = "interactables"
    CONTENT = "content"


class ExtractFormat(Enum):
    """What is printed."""

    MARKDOWN = "markdown"
    JSON = "json"


@service_command
def extract(
    url: Url,
    what: Annotated[WhatName, typer.Argument(help="What can be acted on, or what a person reads.")],
    output: Annotated[
        ExtractFormat, typer.Option("--format", help="For reading, or the protobuf JSON form.")
    ] = ExtractFormat.MARKDOWN,
    scope: Annotated[str, typer.Option(help="Only the content of the one element that this selector matches.")] = "",
    hidden: Annotated[
        bool, typer.Option("--include-hidden", help="interactables: also those that are not visible now.")
    ] = False,
    role: Annotated[list[str] | None, typer.Option(help="interactables: only this ARIA role; may be repeated.")] = None,
    main: Annotated[bool, typer.Option("--main", help="content: only the main content.")] = False,
    form_values: Annotated[bool, typer.Option("--form-values", help="content: also what fields hold.")] = False,
    max_tokens: MaxTokens = None,
    profile: Profile = "",
    state: State = None,
    settle: Settle = SETTLE_SECONDS,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Print what can be acted on, with selectors that survive a reload, or what a person reads."""
    _check_options(what, hidden=hidden, roles=role, main=main, form_values=form_values)
    tokens = token_limit(max_tokens, as_json=output is ExtractFormat.JSON)
    with (
        page_url_of(url) as page_url,
        service_client(address, hosts_of(url, page_url), timeout) as client,
        closing(client.open(page_url, profile=profile, state=state)) as page,
    ):
        if what is WhatName.CONTENT:
            content = pb.ExtractContentRequest(
                session_id=page.session_id,
                scope_selector=scope,
                main_content=main,
                include_form_values=form_values,
                max_tokens=tokens,
                settle_timeout=timedelta(seconds=settle),
            )
            _print_content(client.call(client.extraction.ExtractContent, content), output)
        else:
            listed = pb.ExtractInteractablesRequest(
                session_id=page.session_id,
                scope_selector=scope,
                include_hidden=hidden,
                roles=role or [],
                page_size=LIMITED_PAGE if tokens else 0,
                settle_timeout=timedelta(seconds=settle),
            )
            _print_list(_join_pages(client, listed, tokens), output)


def _join_pages(
    client: Client, request: pb.ExtractInteractablesRequest, max_tokens: int
) -> pb.ExtractInteractablesResponse:
    """The pages of the list as one answer: as many as the limit holds, at least one; all of them without a limit."""
    whole: pb.ExtractInteractablesResponse = client.call(client.extraction.ExtractInteractables, request)
    while whole.next_page_token:
        request.page_token = whole.next_page_token
        more = client.call(client.extraction.ExtractInteractables, request)
        if max_tokens and whole.token_count + more.token_count > max_tokens:
            break
        whole.interactables.extend(more.interactables)
        whole.text += more.text
        whole.token_count += more.token_count
        whole.byte_count += more.byte_count
        whole.elapsed.FromTimedelta(whole.elapsed.ToTimedelta() + more.elapsed.ToTimedelta())
        whole.next_page_token = more.next_page_token
    return whole


def _print_list(reply: pb.ExtractInteractablesResponse, output: ExtractFormat) -> None:
    if output is ExtractFormat.JSON:
        reply.ClearField("text")  # the same list again
        print_json(reply)
        return
    err.print(f"{reply.title} — {reply.url}", markup=False)
    write(reply.text)
    _print_end(reply, f"{len(reply.interactables)} of {reply.total_count} elements, {reply.token_count} tokens")
    if rest := reply.total_count - len(reply.interactables):
        say_left_out(f"{rest} elements", "--scope takes one part of the page")


def _print_content(reply: pb.ExtractContentResponse, output: ExtractFormat) -> None:
    if output is ExtractFormat.JSON:
        print_json(reply)
        return
    err.print(f"{reply.title} — {reply.url}", markup=False)
    write(reply.markdown if reply.markdown.endswith("\n") else reply.markdown + "\n")
    _print_end(reply, f"{reply.token_count} tokens")
    if reply.next_cursor:
        say_left_out(f"{reply.total_token_count - reply.token_count} tokens", "--main and --scope take a part")


def _print_end(reply: Any, amount: str) -> None:
    for skipped in reply.skipped:
        err.print(f"skipped {skipped.name}: {skipped.reason}", markup=False)
    err.print(f"{amount}; {reply.elapsed.ToMilliseconds():.0f} ms", markup=False)


def _check_options(what: WhatName, *, hidden: bool, roles: Any, main: bool, form_values: bool) -> None:
    """Refuses options of the other kind, which would do nothing. Raises BadInputError."""
    given = {"--include-hidden": hidden, "--role": roles} if what is WhatName.CONTENT else {}
    if what is WhatName.INTERACTABLES:
        given = {"--main": main, "--form-values": form_values}
    for name, value in given.items():
        if value:
            raise BadInputError(f"{name} does nothing for {what.value}: leave it out")
