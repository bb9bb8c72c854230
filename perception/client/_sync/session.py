"""A session apart from what its pages show: navigation, tabs, dialogs, downloads, its end."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, Unpack

from perception.client._sync.calls import Calls
from perception.client.errors import RemoteError
from perception.client.fields import ConditionsFields
from perception.client.message_fields import message_of, wrong
from perception.client.requests import StateLike, state_bytes
from perception.errors import SessionExpiredError, SessionLostError, UnknownSessionError
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

_ENDED = (UnknownSessionError.reason, SessionExpiredError.reason, SessionLostError.reason)
"""Why a session cannot be closed that has ended."""


class Session:
    """A session. A context manager that closes it.

    Attributes:
        session_id: the session's id in requests; `client.attach` takes it.
    """

    def __init__(self, client: Calls, session_id: str) -> None:
        self._client = client
        self.session_id = session_id

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
        return self._navigate("Navigate", tab_id, wait_until, timeout_s, url=url)

    def back(
        self, *, wait_until: str | None = None, tab_id: str = "", timeout_s: float | None = None
    ) -> session_pb.NavigationResult:
        """Goes back in the tab's history. Raises RemoteError with NO_HISTORY at its beginning."""
        return self._navigate("GoBack", tab_id, wait_until, timeout_s)

    def forward(
        self, *, wait_until: str | None = None, tab_id: str = "", timeout_s: float | None = None
    ) -> session_pb.NavigationResult:
        """Goes forward in the tab's history. Raises RemoteError with NO_HISTORY at its end."""
        return self._navigate("GoForward", tab_id, wait_until, timeout_s)

    def reload(
        self,
        *,
        ignore_cache: bool = False,
        wait_until: str | None = None,
        tab_id: str = "",
        timeout_s: float | None = None,
    ) -> session_pb.NavigationResult:
        """Loads the page again."""
        return self._navigate("Reload", tab_id, wait_until, timeout_s, ignore_cache=ignore_cache)

    def _navigate(
        self, name: str, tab_id: str, wait_until: str | None, timeout_s: float | None, **fields: Any
    ) -> session_pb.NavigationResult:
        given = {"session_id": self.session_id, "tab_id": tab_id, "wait_until": wait_until} | fields
        request = message_of(getattr(session_pb, f"{name}Request"), given)
        reply = self._client.call(getattr(self._client.sessions, name), request, timeout_s)
        result: session_pb.NavigationResult = reply.result
        return result

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

    def handle_dialog(
        self, accept: bool = True, prompt_text: str = "", dialog_id: str = "", *, timeout_s: float | None = None
    ) -> pb.Dialog:
        """Answers an open dialog, the only one when no id is given."""
        fields = {"dialog_id": dialog_id, "accept": accept, "prompt_text": prompt_text}
        request = message_of(session_pb.HandleDialogRequest, {"session_id": self.session_id} | fields)
        reply = self._client.call(self._client.sessions.HandleDialog, request, timeout_s)
        dialog: pb.Dialog = reply.dialog
        return dialog

    def file_choosers(self, *, timeout_s: float | None = None) -> list[pb.FileChooser]:
        """The file choosers that are open; `upload` without a target answers one, `dismiss_file_chooser` closes it."""
        return list((self.state(timeout_s=timeout_s)).file_choosers)

    def dismiss_file_chooser(self, file_chooser_id: str = "", *, timeout_s: float | None = None) -> None:
        """Closes an open file chooser without files, the only one when no id is given."""
        self.handle_dialog(False, "", file_chooser_id, timeout_s=timeout_s)

    def tabs(self, *, timeout_s: float | None = None) -> list[pb.Tab]:
        """All tabs of the session; calls without a `tab_id` go to the selected one."""
        request = session_pb.ListTabsRequest(session_id=self.session_id)
        reply = self._client.call(self._client.sessions.ListTabs, request, timeout_s)
        return list(reply.tabs)

    def select_tab(self, tab_id: str, *, timeout_s: float | None = None) -> pb.Tab:
        """Makes a tab the one that calls without a `tab_id` go to."""
        request = message_of(session_pb.SelectTabRequest, {"session_id": self.session_id, "tab_id": tab_id})
        reply = self._client.call(self._client.sessions.SelectTab, request, timeout_s)
        tab: pb.Tab = reply.tab
        return tab

    def close_tab(self, tab_id: str = "", *, timeout_s: float | None = None) -> list[pb.Tab]:
        """Closes a tab, the selected one by default. Returns the tabs that are left."""
        request = message_of(session_pb.CloseTabRequest, {"session_id": self.session_id, "tab_id": tab_id})
        reply = self._client.call(self._client.sessions.CloseTab, request, timeout_s)
        return list(reply.tabs)

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

    def new_tab(
        self,
        url: str = "",
        *,
        name: str = "",
        background: bool = False,
        wait_until: str | None = None,
        request_id: str = "",
        timeout_s: float | None = None,
    ) -> pb.Tab:
        """Opens a tab, empty or at a URL, and selects it.

        Args:
            url: http, https, data or about:blank; an empty tab when empty.
            name: which every `tab_id` takes from now on; empty for none.
            background: the tab that was selected stays so.
            wait_until: as of `navigate`.
            request_id: a repeated call with the same id returns the same tab; empty for none.
            timeout_s: seconds for all of it; the client's when None.
        """
        fields = {"session_id": self.session_id, "url": url, "name": name, "background": background}
        request = message_of(session_pb.NewTabRequest, fields | {"wait_until": wait_until, "request_id": request_id})
        reply = self._client.call(self._client.sessions.NewTab, request, timeout_s)
        tab: pb.Tab = reply.tab
        return tab

    def name_tab(self, name: str, tab_id: str = "", *, timeout_s: float | None = None) -> pb.Tab:
        """Gives a tab a name, the selected one by default: every `tab_id` takes it. Empty takes it away."""
        fields = {"session_id": self.session_id, "tab_id": tab_id, "name": name}
        request = message_of(session_pb.NameTabRequest, fields)
        reply = self._client.call(self._client.sessions.NameTab, request, timeout_s)
        tab: pb.Tab = reply.tab
        return tab

    def move_tab(self, index: int, tab_id: str = "", *, timeout_s: float | None = None) -> list[pb.Tab]:
        """Puts a tab, the selected one by default, at another place from 0 on. Returns the tabs in their new order."""
        fields = {"session_id": self.session_id, "tab_id": tab_id, "index": index}
        request = message_of(session_pb.MoveTabRequest, fields)
        reply = self._client.call(self._client.sessions.MoveTab, request, timeout_s)
        return list(reply.tabs)

    def read_clipboard(self, *, timeout_s: float | None = None) -> session_pb.ReadClipboardResponse:
        """What was copied last in the session: `text`, and `html` where there is some."""
        request = session_pb.ReadClipboardRequest(session_id=self.session_id)
        reply: session_pb.ReadClipboardResponse = self._client.call(
            self._client.sessions.ReadClipboard, request, timeout_s
        )
        return reply

    def write_clipboard(self, text: str, html: str = "", *, timeout_s: float | None = None) -> None:
        """Puts a text on the session's clipboard, for `press("Control+V")`; also as HTML, for editors of rich text."""
        fields = {"session_id": self.session_id, "text": text, "html": html}
        request = message_of(session_pb.WriteClipboardRequest, fields)
        self._client.call(self._client.sessions.WriteClipboard, request, timeout_s)

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
