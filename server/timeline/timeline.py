"""The gate that notes each call of a session in its log: the innermost one, which knows session and answer.

Rule 1: nothing here makes a call fail or wait.
Rule 2: calls of people who watch, and calls that only ask what there is, are not noted.
Rule 3: of what a person does who has control, nothing is kept but the names of their calls.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import grpc
import structlog
from google.protobuf.message import Message

from perception.errors import PerceptionError
from perception.page_words import plain_words
from perception.server.live.call_log import LoggedCall
from perception.server.rpc_call import SERVICE_PREFIX, RpcCall
from perception.server.sessions.session import Session
from perception.server.timeline.answer_view import answer_view
from perception.server.timeline.call_words import typed_by, words_of
from perception.server.timeline.request_view import asks_to_reveal, view_of
from perception.v1.options_pb2 import MethodRules

log = structlog.get_logger(__name__)

Done = TypeVar("Done")


class Timeline:
    """The gate.

    Args:
        find: a session by its id and principal; None where there is none.
    """

    def __init__(self, find: Callable[[str, str], Session | None]) -> None:
        self._find = find

    @asynccontextmanager
    async def gate(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        """Notes the call, if it is of a session and is listed."""
        if not is_listed(call):
            yield
            return
        start_s = time.time()
        session = self._find(call.session_id, call.principal)
        logged = _quietly(begin, session, call.name, request, start_s, call.by_person) if session is not None else None
        error: BaseException | None = None
        try:
            yield
        except BaseException as exc:
            error = exc
            raise
        finally:
            if logged is None and (session := self._find(call.session_id, call.principal)) is not None:
                logged = _quietly(
                    begin, session, call.name, request, start_s, call.by_person
                )  # the call named its session later
            if session is not None and logged is not None:
                _quietly(end, session, logged, request, call, error)


def _quietly(do: Callable[..., Done], *arguments: Any) -> Done | None:
    """Does it; a failure is for the service's log, not for the caller of the rpc."""
    try:
        return do(*arguments)
    except Exception as exc:
        log.error("a call could not be noted", exc_info=exc)
        return None


def is_listed(call: RpcCall) -> bool:
    """Whether a call is one of the session's client, and more than a question what there is."""
    listing = call.rules.listing
    if listing == MethodRules.LISTING_NONE or call.by_watcher or not call.method.startswith(SERVICE_PREFIX):
        return False
    return not (call.by_person and listing == MethodRules.LISTING_AGENT)


def begin(session: Session, rpc: str, request: Any, start_s: float, by_person: bool) -> LoggedCall:
    """Notes that a call begins."""
    if not isinstance(request, Message):
        request = None
    tab_id, url = _tab_of(session, request)
    if by_person:
        request = None
    logged = LoggedCall(
        number=session.calls.next_number(),
        rpc=rpc,
        what=words_of(request, session.shown.refs) if request is not None else rpc,
        start_s=start_s,
        tab_id=tab_id,
        url=url,
        request=view_of(request) if request is not None else None,
        by_person=by_person,
    )
    session.calls.add(logged)
    session.call_pictures.begin(logged)
    return logged


def end(session: Session, logged: LoggedCall, request: Any, call: RpcCall, error: BaseException | None) -> None:
    """Notes how a call ended."""
    logged.duration_s = max(0.0, time.time() - logged.start_s)
    logged.code = _code_of(error)
    if isinstance(error, PerceptionError):
        logged.reason, logged.message = error.reason, plain_words(error.marked)
    if logged.tab_id:
        _, logged.url = _tab_of(session, request)
    if isinstance(request, Message) and not logged.by_person:
        if not asks_to_reveal(request):
            _keep_answer(logged, call)
        if (typed := typed_by(request)) and _may_show(session, request):
            logged.what = words_of(request, session.shown.refs, typed)
    session.calls.note_change(logged)
    session.call_pictures.end(logged)


def _keep_answer(logged: LoggedCall, call: RpcCall) -> None:
    view = answer_view(call.answer)
    logged.snapshot_id, logged.snapshot, logged.text = view.snapshot_id, view.snapshot, view.text
    logged.size_bytes = len(view.snapshot) + len(view.text)


def _may_show(session: Session, request: Any) -> bool:
    """Whether what is typed may be shown: the last look at the tab has its element, and it is not sensitive."""
    if not request.HasField("target") or request.target.WhichOneof("target") != "ref":
        return False
    looked = session.shown.snapshots.base_of(session.browser.tab_list.id_of(request.tab_id) or session.browser.selected)
    if looked is None:
        return False
    found = [each for each in looked.listed if each.ref == request.target.ref]
    return bool(found) and not any(each.sensitive for each in found)


def _tab_of(session: Session, request: Any) -> tuple[str, str]:
    """The tab that a request is about and its address; empty for none."""
    if request is None or "tab_id" not in request.DESCRIPTOR.fields_by_name:
        return "", ""
    try:
        tab = session.browser.tab(request.tab_id)
    except PerceptionError:
        return "", ""
    return tab.tab_id, tab.link.url


def _code_of(error: BaseException | None) -> str:
    if error is None:
        return "OK"
    if isinstance(error, PerceptionError):
        return error.grpc_code
    if isinstance(error, asyncio.CancelledError | GeneratorExit):
        return grpc.StatusCode.CANCELLED.name
    return grpc.StatusCode.INTERNAL.name
