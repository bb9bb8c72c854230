"""Calls of a session that are their requests.

Made from proto/ by .ci/client_methods.py. Not to be edited.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Unpack

from perception.client._sync.calls import Calls
from perception.client.fields import (
    VideoFields,
)
from perception.client.message_fields import message_of
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import live_service_pb2 as live_pb
from perception.v1 import network_service_pb2 as network_pb
from perception.v1 import page_tool_service_pb2 as page_tool_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb
from perception.v1 import video_service_pb2 as video_pb


class SessionRpcs:
    """Calls of a session that are their requests."""

    _client: Calls
    session_id: str

    def back(
        self, *, tab_id: str = "", wait_until: str | None = None, timeout_s: float | None = None
    ) -> session_pb.NavigationResult:
        """Goes back in the tab's history. NO_HISTORY at its beginning.

        Args:
            tab_id: the selected tab when empty.
            wait_until: `commit`, `dom_content_loaded`, `settled`, `load`; `settled` when None.
        """
        request = message_of(
            session_pb.GoBackRequest, {"session_id": self.session_id, "tab_id": tab_id, "wait_until": wait_until}
        )
        reply: session_pb.GoBackResponse = self._client.call(self._client.sessions.GoBack, request, timeout_s)
        return reply.result

    def forward(
        self, *, tab_id: str = "", wait_until: str | None = None, timeout_s: float | None = None
    ) -> session_pb.NavigationResult:
        """Goes forward in the tab's history. NO_HISTORY at its end.

        Args:
            tab_id: the selected tab when empty.
            wait_until: `commit`, `dom_content_loaded`, `settled`, `load`; `settled` when None.
        """
        request = message_of(
            session_pb.GoForwardRequest, {"session_id": self.session_id, "tab_id": tab_id, "wait_until": wait_until}
        )
        reply: session_pb.GoForwardResponse = self._client.call(self._client.sessions.GoForward, request, timeout_s)
        return reply.result

    def reload(
        self,
        *,
        tab_id: str = "",
        wait_until: str | None = None,
        ignore_cache: bool = False,
        timeout_s: float | None = None,
    ) -> session_pb.NavigationResult:
        """Loads the page again.

        Args:
            tab_id: the selected tab when empty.
            wait_until: `commit`, `dom_content_loaded`, `settled`, `load`; `settled` when None.
        """
        request = message_of(
            session_pb.ReloadRequest,
            {"session_id": self.session_id, "tab_id": tab_id, "wait_until": wait_until, "ignore_cache": ignore_cache},
        )
        reply: session_pb.ReloadResponse = self._client.call(self._client.sessions.Reload, request, timeout_s)
        return reply.result

    def handle_dialog(
        self,
        accept: bool = True,
        prompt_text: str = "",
        dialog_id: str = "",
        prompt_empty: bool = False,
        *,
        timeout_s: float | None = None,
    ) -> pb.Dialog:
        """Answers an open JavaScript dialog, or dismisses an open file chooser.

        Args:
            accept: A file chooser can only be dismissed: UploadFiles gives it files.
            prompt_text: the text entered into a prompt; what its field holds by default when empty.
            dialog_id: the only open dialog or file chooser when empty; or a file_chooser_id.
            prompt_empty: empties the field of a prompt, where there is no `prompt_text`.
        """
        request = message_of(
            session_pb.HandleDialogRequest,
            {
                "session_id": self.session_id,
                "accept": accept,
                "prompt_text": prompt_text,
                "dialog_id": dialog_id,
                "prompt_empty": prompt_empty,
            },
        )
        reply: session_pb.HandleDialogResponse = self._client.call(
            self._client.sessions.HandleDialog, request, timeout_s
        )
        return reply.dialog

    def tabs(self, *, timeout_s: float | None = None) -> list[pb.Tab]:
        """All tabs of the session; calls without a tab_id go to the selected one."""
        request = message_of(session_pb.ListTabsRequest, {"session_id": self.session_id})
        reply: session_pb.ListTabsResponse = self._client.call(self._client.sessions.ListTabs, request, timeout_s)
        return list(reply.tabs)

    def select_tab(self, tab_id: str, *, timeout_s: float | None = None) -> pb.Tab:
        """Makes a tab the default of calls without a tab_id."""
        request = message_of(session_pb.SelectTabRequest, {"session_id": self.session_id, "tab_id": tab_id})
        reply: session_pb.SelectTabResponse = self._client.call(self._client.sessions.SelectTab, request, timeout_s)
        return reply.tab

    def close_tab(self, tab_id: str = "", *, timeout_s: float | None = None) -> list[pb.Tab]:
        """Closes a tab, the selected one without a tab_id. Answers the tabs that are left.

        Args:
            tab_id: the selected tab when empty.
        """
        request = message_of(session_pb.CloseTabRequest, {"session_id": self.session_id, "tab_id": tab_id})
        reply: session_pb.CloseTabResponse = self._client.call(self._client.sessions.CloseTab, request, timeout_s)
        return list(reply.tabs)

    def new_tab(
        self,
        url: str = "",
        *,
        wait_until: str | None = None,
        name: str = "",
        background: bool = False,
        request_id: str = "",
        timeout_s: float | None = None,
    ) -> pb.Tab:
        """Opens a tab, empty or at a URL. One whose URL cannot be opened is closed again.

        Args:
            wait_until: `commit`, `dom_content_loaded`, `settled`, `load`; `settled` when None.
            background: the tab that was selected stays so. Otherwise the new one is.
            request_id: repeating a request with the same id returns the first one's tab. With other parameters it is
                refused (REQUEST_ID_REUSED).
        """
        request = message_of(
            session_pb.NewTabRequest,
            {
                "session_id": self.session_id,
                "url": url,
                "wait_until": wait_until,
                "name": name,
                "background": background,
                "request_id": request_id,
            },
        )
        reply: session_pb.NewTabResponse = self._client.call(self._client.sessions.NewTab, request, timeout_s)
        return reply.tab

    def name_tab(self, name: str, tab_id: str = "", *, timeout_s: float | None = None) -> pb.Tab:
        """Gives a tab a name, which every `tab_id` of a request then takes in its place.

        Args:
            name: up to 40 letters, digits, `-`, `_` and `.`, not all of the form of a tab_id (`t1`); unique in the
                session. Empty takes the name away. It stays with the tab on all its pages, also after a crash.
            tab_id: The selected tab when empty.
        """
        request = message_of(session_pb.NameTabRequest, {"session_id": self.session_id, "name": name, "tab_id": tab_id})
        reply: session_pb.NameTabResponse = self._client.call(self._client.sessions.NameTab, request, timeout_s)
        return reply.tab

    def move_tab(self, index: int, tab_id: str = "", *, timeout_s: float | None = None) -> list[pb.Tab]:
        """Puts a tab at another place in the order of the session's tabs.

        Args:
            index: its new place among the session's tabs, from 0.
            tab_id: The selected tab when empty.
        """
        request = message_of(
            session_pb.MoveTabRequest, {"session_id": self.session_id, "index": index, "tab_id": tab_id}
        )
        reply: session_pb.MoveTabResponse = self._client.call(self._client.sessions.MoveTab, request, timeout_s)
        return list(reply.tabs)

    def read_clipboard(self, *, timeout_s: float | None = None) -> session_pb.ReadClipboardResponse:
        """What was copied last in the session: by a key of PressKey (Control+C, Control+X), by its pages, or by
        WriteClipboard. It is apart from the clipboards of the machine and of all other sessions."""
        request = message_of(session_pb.ReadClipboardRequest, {"session_id": self.session_id})
        reply: session_pb.ReadClipboardResponse = self._client.call(
            self._client.sessions.ReadClipboard, request, timeout_s
        )
        return reply

    def write_clipboard(self, text: str, html: str = "", *, timeout_s: float | None = None) -> None:
        """Puts something on the session's clipboard, for PressKey with Control+V.

        Args:
            text: both empty empty the clipboard. At most 2,000,000 characters together.
            html: the same as HTML, for editors of rich text; without what runs.
        """
        request = message_of(
            session_pb.WriteClipboardRequest, {"session_id": self.session_id, "text": text, "html": html}
        )
        self._client.call(self._client.sessions.WriteClipboard, request, timeout_s)

    def network_rules(self, *, timeout_s: float | None = None) -> list[network_pb.NetworkRule]:
        """The rules for the requests of the session's pages. Values of headers with the name of a secret are masked."""
        request = message_of(network_pb.GetNetworkRulesRequest, {"session_id": self.session_id})
        reply: network_pb.GetNetworkRulesResponse = self._client.call(
            self._client.network.GetNetworkRules, request, timeout_s
        )
        return list(reply.rules)

    def page_tools(self, *, tab_id: str = "", timeout_s: float | None = None) -> page_tool_pb.ListPageToolsResponse:
        """The tools of the tab's top document. Runs the page's code only where the page has such an object.

        Args:
            tab_id: The selected tab when empty.
        """
        request = message_of(page_tool_pb.ListPageToolsRequest, {"session_id": self.session_id, "tab_id": tab_id})
        reply: page_tool_pb.ListPageToolsResponse = self._client.call(
            self._client.page_tools.ListPageTools, request, timeout_s
        )
        return reply

    def start_video(self, *, tab_id: str = "", timeout_s: float | None = None, **options: Unpack[VideoFields]) -> str:
        """Begins a video of a tab. It ends by StopVideo, with the tab or the session, or at a limit; the file is kept
        in each of these cases. Several videos of a session can be made at once (VIDEO_LIMIT).

        Args:
            tab_id: When empty: the selected tab, and the one that is selected later.
            options: of VideoOptions: `format`, `max_width`, `max_height`, `max_fps`, `max_duration`, `max_bytes`.
        """
        request = message_of(
            video_pb.StartVideoRequest,
            {"session_id": self.session_id, "tab_id": tab_id, "options": message_of(video_pb.VideoOptions, options)},
        )
        reply: video_pb.StartVideoResponse = self._client.call(self._client.video.StartVideo, request, timeout_s)
        return reply.video_id

    def get_call(self, number: int, *, timeout_s: float | None = None) -> live_pb.GetCallResponse:
        """One call, with what it was asked and what it answered, as far as that is kept: 8 MiB of a session, the
        newest. UNKNOWN_CALL where it is not."""
        request = message_of(live_pb.GetCallRequest, {"session_id": self.session_id, "number": number})
        reply: live_pb.GetCallResponse = self._client.call(self._client.live.GetCall, request, timeout_s)
        return reply

    def content(
        self,
        scope: str = "",
        *,
        main: bool = False,
        form_values: bool = False,
        tab_id: str = "",
        max_tokens: int = 0,
        cursor: str = "",
        settle_timeout: float | timedelta | None = None,
        save_raw_html: bool = False,
        timeout_s: float | None = None,
    ) -> extraction_pb.ExtractContentResponse:
        """The readable content as markdown.

        Args:
            scope: only the content of the element that it matches, frames and shadow roots included; a selector as in
                Target.
            main: only the main content, as in a reader view.
            form_values: adds the values of fields, never of passwords.
            tab_id: the selected tab when empty.
            max_tokens: limit on o200k_base tokens of an answer; none when 0.
            cursor: the next_cursor of an earlier answer, to continue it.
            settle_timeout: Seconds. Maximum wait for the page to settle before it is read; it is read immediately when
                absent.
            save_raw_html: also saves the HTML of the top document, as the browser holds it now, as a download of the
                session. Frames, shadow trees, the values of passwords and other secrets, and content that the page
                marks as private are not in it.
        """
        request = message_of(
            extraction_pb.ExtractContentRequest,
            {
                "session_id": self.session_id,
                "scope_selector": scope,
                "main_content": main,
                "include_form_values": form_values,
                "tab_id": tab_id,
                "max_tokens": max_tokens,
                "cursor": cursor,
                "settle_timeout": settle_timeout,
                "save_raw_html": save_raw_html,
            },
        )
        reply: extraction_pb.ExtractContentResponse = self._client.call(
            self._client.extraction.ExtractContent, request, timeout_s
        )
        return reply
