"""What the requests of actions ask for: each is checked as far as it can be without its page, and becomes a function
that does it.

Rule 1: a plan raises for what is wrong in any state of the page; the function raises for what the page says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from perception.browser.input.keys import key_chord
from perception.browser.input.text_entry import check_text
from perception.browser.page.navigation import Settled
from perception.browser.traffic.request_facts import RequestFacts
from perception.engine.request import Target
from perception.errors import BadInputError, EvaluateDisabledError
from perception.secrets import NamedSecret, mask_of
from perception.server.actions.action_context import ActionContext
from perception.server.actions.keyboard import TypeOptions, press_key, type_text
from perception.server.actions.pointer import Scrolled, click, drag, hover, scroll_by, scroll_into_view, tap
from perception.server.actions.resolve import resolve_node
from perception.server.actions.scripts import ScriptOutcome, run_script
from perception.server.actions.select_option import select_options
from perception.server.actions.upload import check_names, upload
from perception.server.actions.waiting import wait_for
from perception.server.auth.secret_origins import require_origin
from perception.server.convert.actions import (
    check_condition,
    check_scroll,
    click_options,
    decode_condition,
    file_contents,
    hold_seconds,
    script_of,
    text_position,
)
from perception.server.convert.targets import decode_target
from perception.server.rpc_call import principal
from perception.server.services.service_context import OfService
from perception.server.sessions.session import Session
from perception.v1 import action_service_pb2 as pb

Act: TypeAlias = Callable[[ActionContext], Awaitable[Any]]
"""Does what a request asks for, in the tab that the context names."""


class ActionPlans(OfService):
    """The plans of all actions. Each raises BadInputError for what cannot be done on any page."""

    def click(self, request: pb.ClickRequest) -> Act:
        options = click_options(request)

        async def act(action: ActionContext) -> None:
            await click(action, decode_target(request.target, action.session.shown.snapshots), options)

        return act

    def tap(self, request: pb.TapRequest) -> Act:
        hold_s = hold_seconds(request)

        async def act(action: ActionContext) -> None:
            await tap(action, decode_target(request.target, action.session.shown.snapshots), hold_s)

        return act

    def hover(self, request: pb.HoverRequest) -> Act:
        async def act(action: ActionContext) -> None:
            await hover(action, decode_target(request.target, action.session.shown.snapshots))

        return act

    def drag(self, request: pb.DragRequest) -> Act:
        async def act(action: ActionContext) -> None:
            end = decode_target(request.to, action.session.shown.snapshots)
            start = decode_target(getattr(request, "from"), action.session.shown.snapshots)
            await drag(action, start, end)

        return act

    def type_text(self, request: pb.TypeTextRequest) -> Act:
        """Raises UnknownSecretError, too."""
        secret = self._secret(request)
        text = request.text if secret is None else secret.value
        check_text(text)
        options = TypeOptions(
            clear=request.clear,
            submit=request.submit,
            keystrokes=request.keystrokes,
            position=text_position(request),
            shown_as="" if secret is None else mask_of(secret.name),
        )

        async def act(action: ActionContext) -> None:
            async def permit(frame: str) -> None:
                if secret is not None:
                    await require_origin(secret, action.tab.link, frame, action.deadline)
                    action.session.typed_secret = True

            await type_text(action, optional_target(request, action.session), text, options, permit)

        return act

    def press_key(self, request: pb.PressKeyRequest) -> Act:
        if not request.key:
            raise BadInputError("no key: give one, such as Enter or Control+A", field="key")
        key_chord(request.key)  # raises for what is not a key

        async def act(action: ActionContext) -> None:
            await press_key(action, optional_target(request, action.session), request.key)

        return act

    def select_option(self, request: pb.SelectOptionRequest) -> Act:
        if not request.options:
            raise BadInputError("no option: give one by label or value", field="options")

        async def act(action: ActionContext) -> None:
            target = decode_target(request.target, action.session.shown.snapshots)
            node = await resolve_node(action, target, "selecting")
            with action.stages.stage("act"):
                await select_options(action, node, list(dict.fromkeys(request.options)))

        return act

    async def upload_files(self, request: pb.UploadFilesRequest) -> Act:
        """Raises NoSuchFileError, too."""
        files = file_contents(request.files)
        folder = self._service.settings.upload_dir
        dropped = dict(request.data) if request.drop else None
        if request.data and dropped is None:
            raise BadInputError("data is dropped: set drop, too", field="data")
        paths = await asyncio.to_thread(check_names, request.paths, files, request.upload_ids, folder, dropped)

        async def act(action: ActionContext) -> None:
            target = optional_target(request, action.session)
            node = await resolve_node(action, target, "uploading") if target is not None else None
            streamed = [action.session.uploads.find(each) for each in request.upload_ids]
            with action.stages.stage("act"):
                await upload(action, node, paths, files, streamed, dropped)

        return act

    def wait_for(self, request: pb.WaitForRequest) -> Act:
        check_condition(request)

        async def act(action: ActionContext) -> Settled | RequestFacts | None:
            condition = decode_condition(request, action.session)
            with action.stages.stage("wait"):
                return await wait_for(action, condition)

        return act

    def scroll(self, request: pb.ScrollRequest) -> Act:
        check_scroll(request)

        async def act(action: ActionContext) -> Scrolled:
            if request.delta_x or request.delta_y:
                target = optional_target(request, action.session)
                return await scroll_by(action, target, request.delta_x, request.delta_y)
            return await scroll_into_view(action, decode_target(request.target, action.session.shown.snapshots))

        return act

    def evaluate(self, request: pb.EvaluateRequest, session: Session) -> Act:
        """Raises EvaluateDisabledError, too."""
        if not session.options.allow_evaluate:
            raise EvaluateDisabledError(
                "this session runs no scripts: create one with options.allow_evaluate to have them run in its pages"
            )
        script = script_of(request)

        async def act(action: ActionContext) -> ScriptOutcome:
            target = optional_target(request, action.session)
            return await run_script(action.session, action.tab, script, target, action.deadline)

        return act

    def _secret(self, request: pb.TypeTextRequest) -> NamedSecret | None:
        """The secret that a request names; None for none. Raises UnknownSecretError, BadInputError."""
        if not request.secret:
            return None
        if request.text:
            raise BadInputError("both text and secret were given: give one of them", field="secret")
        return self._service.secret_store.take(request.secret, principal())


def optional_target(request: Any, session: Session) -> Target | None:
    """The target of a request that may have none. Raises as `decode_target`."""
    return decode_target(request.target, session.shown.snapshots) if request.HasField("target") else None
