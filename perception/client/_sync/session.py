"""A session apart from what its pages show: navigation, tabs, dialogs, downloads, its end."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, Unpack

from perception.client._sync.calls import Calls
from perception.client._sync.session_rpcs import SessionRpcs
from perception.client.errors import RemoteError
from perception.client.fields import ActionFields, ConditionsFields
from perception.client.message_fields import message_of, wrong
from perception.client.requests import StateLike, action_request, state_bytes
from perception.errors import SessionExpiredError, SessionLostError, UnknownSessionError
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

_ENDED = (UnknownSessionError.reason, SessionExpiredError.reason, SessionLostError.reason)
"""Why a session cannot be closed that has ended."""


class Session(SessionRpcs):
    """A session. A context manager that closes it.

    Attributes:
        session_id: the session's id in requests; `client.attach` takes it.
        state_omitted: what of the `state` that `client.open` was given was not taken, one sentence each.
    """

    def __init__(self, client: Calls, session_id: str, state_omitted: Sequence[str] = ()) -> None:
        self._client = client
        self.session_id = session_id
        self.state_omitted = tuple(state_omitted)

    def navigate(
        self, url: str, *, wait_until: str | None = None, tab_id: str = "", timeout_s: float | None = None
    ) -> session_pb.NavigationResult:
        """Opens a URL in a tab, the selected one by default.

        Args:
            url: http, https, data or about:blank.
            wait_until: `commit`, `dom_content_loaded`, `settled` (default) or `load`. A load that never completes is
                no error of `settled`.
            tab_id: the selected tab when empty.
            timeout_s: seconds for all of it; the client's when None.
        """
        if not isinstance(url, str):
            raise wrong("url", url, "a str")
        fields = {"session_id": self.session_id, "tab_id": tab_id, "url": url, "wait_until": wait_until}
        request = message_of(session_pb.NavigateRequest, fields)
        reply: session_pb.NavigateResponse = self._client.call(self._client.sessions.Navigate, request, timeout_s)
        return reply.result

    def state(self, *, timeout_s: float | None = None) -> session_pb.Session:
        """The session as the service sees it: `tabs`, `dialogs`, `downloads`, `options`, `expire_time`."""
        request = session_pb.GetSessionRequest(session_id=self.session_id)
        reply = self._client.call(self._client.sessions.GetSession, request, timeout_s)
        session: session_pb.Session = reply.session
        return session

    def downloads(self, *, timeout_s: float | None = None) -> list[pb.Download]:
        """The session's downloads, oldest first: `state`, `name`, and once complete `path` on the service's machine."""
        return list((self.state(timeout_s=timeout_s)).downloads)

    def dialogs(self, *, timeout_s: float | None = None) -> list[pb.Dialog]:
        """The dialogs that are open; `handle_dialog` answers one."""
        return list((self.state(timeout_s=timeout_s)).dialogs)

    def file_choosers(self, *, timeout_s: float | None = None) -> list[pb.FileChooser]:
        """The file choosers that are open; `upload` without a target answers one, `dismiss_file_chooser` closes it."""
        return list((self.state(timeout_s=timeout_s)).file_choosers)

    def dismiss_file_chooser(self, file_chooser_id: str = "", *, timeout_s: float | None = None) -> None:
        """Closes an open file chooser without files, the only one when no id is given."""
        self.handle_dialog(False, "", file_chooser_id, timeout_s=timeout_s)

    def export_state(
        self, *, origins: Sequence[str] = (), indexed_db: bool = True, timeout_s: float | None = None
    ) -> session_pb.ExportStateResponse:
        """The session's logins: its `state` is a file as of Playwright's `storage_state`, with cookies, localStorage
        and IndexedDB. Keep it as you keep a password.

        Args:
            origins: only these, as in `allowed_origins`; all when empty.
            indexed_db: with databases.
        """
        fields = {"session_id": self.session_id, "origins": origins, "without_indexed_db": not indexed_db}
        request = message_of(session_pb.ExportStateRequest, fields)
        reply: session_pb.ExportStateResponse = self._client.call(self._client.sessions.ExportState, request, timeout_s)
        return reply

    def import_state(
        self, state: StateLike, *, state_format: str | None = None, timeout_s: float | None = None
    ) -> session_pb.ImportStateResponse:
        """Adds logins to the session; pages that are open use them when they are loaded again.

        Args:
            state: a state that was exported here or by Playwright, a cookie file (cookies.txt), a JSON list of cookies
                or a cURL command: bytes, text, or the `Path` of a file.
            state_format: `playwright`, `netscape`, `cookies_json` or `curl`; found by the content when None.
        """
        fields = {"session_id": self.session_id, "state": state_bytes(state), "format": state_format}
        request = message_of(session_pb.ImportStateRequest, fields)
        reply: session_pb.ImportStateResponse = self._client.call(self._client.sessions.ImportState, request, timeout_s)
        return reply

    def set_conditions(
        self, *, timeout_s: float | None = None, **conditions: Unpack[ConditionsFields]
    ) -> session_pb.Conditions:
        """Replaces the conditions that pages meet; what is left out is as without conditions.

        Args:
            timeout_s: seconds for all of it; the client's when None.
            conditions: fields of Conditions: `geolocation={"latitude": 52.5, "longitude": 13.4}`,
                `permissions=[{"name": "geolocation", "setting": "grant"}]`, `network={"offline": True}` or
                `{"latency": 0.4, "download_bytes_per_s": 50_000}`, `cpu_slowdown=4`, `media={"printing": True}` or
                `{"reduced_motion": "reduce"}`.
        """
        fields = {"session_id": self.session_id, "conditions": message_of(session_pb.Conditions, conditions)}
        request = message_of(session_pb.SetConditionsRequest, fields)
        reply = self._client.call(self._client.sessions.SetConditions, request, timeout_s)
        now: session_pb.Conditions = reply.conditions
        return now

    def set_viewport(
        self,
        width: int = 0,
        height: int = 0,
        scale: float = 0,
        *,
        device: str = "",
        mobile: bool | None = None,
        touch: bool | None = None,
        timeout_s: float | None = None,
    ) -> session_pb.SetViewportResponse:
        """Shows all tabs on another screen; what is left out stays as it is. Refs stay where their elements do.

        Args:
            width, height: CSS px.
            scale: device px for each CSS px.
            device: a name of `client.devices()`, such as `iPhone 15`; what is given beside it goes before.
            mobile: pages are laid out as on a phone.
            touch: the screen takes touches.
            timeout_s: seconds for all of it; the client's when None.
        """
        viewport = {"width": width, "height": height, "device_scale_factor": scale}
        fields = {"session_id": self.session_id, "viewport": viewport, "device": device, "mobile": mobile}
        request = message_of(session_pb.SetViewportRequest, fields | {"touch": touch})
        reply: session_pb.SetViewportResponse = self._client.call(self._client.sessions.SetViewport, request, timeout_s)
        return reply

    def close(self, *, timeout_s: float | None = None) -> None:
        """Closes the session and its tabs. One that has ended is left as it is. Warns where the session's profile
        could not be kept."""
        request = session_pb.CloseSessionRequest(session_id=self.session_id)
        try:
            reply = self._client.call(self._client.sessions.CloseSession, request, timeout_s)
        except RemoteError as exc:
            if exc.reason not in _ENDED:
                raise
            return
        if reply.profile_error:
            warnings.warn(reply.profile_error, RuntimeWarning, stacklevel=2)

    def _act(
        self, name: str, fields: Mapping[str, Any], timeout_s: float | None, action: ActionFields
    ) -> action_pb.ActionResult:
        """Calls an action by its rpc and the fields of its request."""
        request = action_request(name, self.session_id, {**fields, **action})
        reply = self._client.call(getattr(self._client.actions, name), request, timeout_s)
        result: action_pb.ActionResult = reply.result
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except RemoteError:
            if error is None:  # what went wrong first is what the caller has to know
                raise
