"""Commands that go to a page: open, back, forward, reload. Each prints the page that it comes to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from perception.cli.shell import store
from perception.cli.shell.context import Context, Session, is_lost
from perception.cli.shell.looking import whole_report
from perception.cli.shell.parsing import Values
from perception.cli.shell.results import Result
from perception.client.errors import RemoteError
from perception.client.user_folder import locked
from perception.errors import BadInputError, DialogOpenError, PerceptionError, ShuttingDownError
from perception.interaction.answers import lines
from perception.interaction.looks import look_at
from perception.interaction.report import navigation_report
from perception.v1 import session_service_pb2 as session_pb

OF_NEW = (
    *("viewport", "device", "profile", "read_only", "state", "locale", "timezone", "color_scheme"),
    *("upstream_proxy", "page_tools_of", "call_pictures", "video", "record", "no_evaluate"),
)
"""Options that only a new session takes."""

_OPTIONS = {"read_only": "profile_read_only", "call_pictures": "keep_call_pictures"}
"""Options by another name than their field of SessionOptions."""

ACCESS = {
    "token_file": "token_file",
    "tls_ca": "root_certificates",
    "tls_client_cert": "client_certificate",
    "tls_client_key": "client_key",
}
"""How `prepare_access` calls the options of how to authenticate."""


async def open_page(context: Context) -> Result:
    """Opens a URL in the session; in a new one where there is none, or the last one is lost."""
    known = _known(context)
    was = ""
    if known is not None and not _wants_another(context, known):
        try:
            return await _go_on(context, known)
        except PerceptionError as exc:
            if not is_lost(exc):
                raise
        was = "the last session of this name was lost; "
    with locked(store.file_of(context.folder, context.name).with_suffix(".lock"), context.end_s):
        beside = _known(context)
        is_new = beside is not None and (known is None or beside.session_id != known.session_id)
        if beside is not None and is_new and not context.values["new"]:  # another shell has opened it just now
            return await _go_on(context, beside)
        session, left_out = await _new_session(context, known)
    opened = lines(f"{was}session: {session.known.name}", *(f"left out: {each}" for each in left_out))
    try:
        moved = await session.page.navigate(context.values["url"], timeout_s=context.left_s)
    except PerceptionError as exc:
        if exc.reason != DialogOpenError.reason:  # the page is there, behind its dialog
            with suppress(PerceptionError):
                await session.page.close(timeout_s=context.left_s)
            store.forget(context.folder, context.name)
        raise
    return await shown_page(context, session, opened, navigation_report(session.state, moved))


async def _go_on(context: Context, known: store.Known) -> Result:
    """Opens the URL in an open session. Raises BadInputError for options that only a new one takes."""
    _refuse_options_of_new(context)
    session = context.session_of(known)
    moved = await session.page.navigate(context.values["url"], timeout_s=context.left_s)
    return await shown_page(context, session, navigation_report(session.state, moved))


def _known(context: Context) -> store.Known | None:
    """What is kept of the session. A file that cannot be read is as none: it will be replaced."""
    try:
        return context.known()
    except BadInputError:
        return None


def _wants_another(context: Context, known: store.Known) -> bool:
    address = context.values["address"]
    return bool(context.values["new"] or (address and address != known.address))


def _refuse_options_of_new(context: Context) -> None:
    """Raises BadInputError for options that an open session cannot take."""
    given = [f"--{name.replace('_', '-')}" for name in OF_NEW if context.values[name]]
    if given:
        raise BadInputError(
            f"open: session {context.name!r} is open, and {', '.join(given)} is for a new one: give --new as well, "
            "which closes it"
        )


async def _new_session(context: Context, last: store.Known | None) -> tuple[Session, Sequence[str]]:
    """Opens a session with an empty tab, in place of the last one. Returns also what of `--state` was not taken."""
    if last is not None:
        with suppress(PerceptionError):  # it is gone, or ends when nobody uses it
            await context.session_of(last).page.close(timeout_s=min(context.left_s, 5.0))
    values = context.values
    address, access, is_own = values["address"], _access(values), False
    if not address and last is not None and not last.is_own and not values["new"]:
        address, access = last.address, dict(last.access)
    options: dict[str, Any] = {_OPTIONS.get(name, name): values[name] for name in OF_NEW[:-3] if values[name]}
    if values["state"]:
        options["state"] = Path(values["state"])
    if values["video"]:
        options["video"] = {}
    if values["record"]:
        options |= {"record_network": True, "record_console": True}
    options["allow_evaluate"] = not values["no_evaluate"]
    if origins := options.pop("page_tools_of", None):
        options["page_tool_origins"] = origins
    if values["upstream_proxy"]:
        options["upstream_proxy"] = {"url": values["upstream_proxy"], "secret": values["upstream_proxy_secret"]}
    if address:
        created = await _create(context, address, access, options)
    else:
        access, is_own = {}, True
        address, created = await _create_here(context, options)
    known = store.Known(context.name, address, created.session.session_id, access, is_own)
    store.write(context.folder, known)
    return context.session_of(known), created.state_omitted


def _access(values: Values) -> dict[str, str]:
    """How to authenticate; files by their full paths, as later commands run elsewhere."""
    return {access: os.path.abspath(values[name]) for name, access in ACCESS.items() if values[name]}


async def _create_here(
    context: Context, options: dict[str, Any], *tab: str
) -> tuple[str, session_pb.CreateSessionResponse]:
    """A session of the user's own service, which is started where none runs."""
    from perception.client.shared_service import is_listening, wait_until_gone

    service = context.own_service()
    while True:
        address = service.find_or_start(context.end_s)
        try:
            return address, await _create(context, address, {}, options, *tab)
        except RemoteError as exc:
            # One that was about to end when it was found.
            if exc.reason != ShuttingDownError.reason and not (is_lost(exc) and not is_listening(address)):
                raise
            wait_until_gone(address, context.end_s)


async def create_attached(context: Context, endpoint: str, target_id: str) -> Session:
    """A session of the user's own service in a tab of a running browser, in place of the last one."""
    last = _known(context)
    if last is not None:
        with suppress(PerceptionError):  # it is gone, or ends when nobody uses it
            await context.session_of(last).page.close(timeout_s=min(context.left_s, 5.0))
    options: dict[str, Any] = {"allow_evaluate": not context.values["no_evaluate"]}
    address, created = await _create_here(context, options, endpoint, target_id)
    known = store.Known(context.name, address, created.session.session_id, {}, True)
    store.write(context.folder, known)
    return context.session_of(known)


async def _create(
    context: Context, address: str, access: dict[str, str], options: dict[str, Any], *tab: str
) -> session_pb.CreateSessionResponse:
    from perception.client.requests import create_request

    calls = context.calls(address, access)
    endpoint, target_id = tab or ("", "")
    request = create_request("", endpoint, "", options, target_id)
    reply: session_pb.CreateSessionResponse = await calls.call(calls.sessions.CreateSession, request, context.left_s)
    return reply


async def back(context: Context) -> Result:
    return await _go(context, "back")


async def forward(context: Context) -> Result:
    return await _go(context, "forward")


async def reload(context: Context) -> Result:
    return await _go(context, "reload")


async def _go(context: Context, where: str) -> Result:
    session = context.session()
    moved: session_pb.NavigationResult = await getattr(session.page, where)(timeout_s=context.left_s)
    return await shown_page(context, session, navigation_report(session.state, moved))


async def shown_page(context: Context, session: Session, *before: str) -> Result:
    """The page that a command has come to."""
    snapshot = await look_at(session.state, {}, context.left_s)
    context.keep(session)
    return Result(lines(*before, whole_report(session.state, snapshot)), snapshot)
