"""How a browser session is made: its viewport, locale, rules and limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from perception.browser.network.policy import Origin, UrlPolicy
from perception.browser.network.upstream import UpstreamProxy
from perception.browser.page.conditions import NO_CONDITIONS, Conditions
from perception.browser.page.emulation import Screen
from perception.browser.page.user_agent import UserAgent
from perception.browser.traffic.rules import NetworkRule
from perception.secrets import Masker
from perception.types import Viewport

DEFAULT_VIEWPORT = Viewport(1280, 800, 1.0)

MAX_TABS = 32
"""Default limit of a session's tabs. Chosen by hand."""

MAX_DOWNLOAD_BYTES = 256 * 2**20
"""Default limit of one file. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session's context is made.

    Attributes:
        viewport: size in CSS px, and device pixels per CSS px.
        locale: BCP 47 tag; empty for the browser's own.
        timezone: IANA name; empty for the machine's.
        color_scheme: "light", "dark", or "" for the browser's default.
        allow_evaluate: clients may run scripts in its pages.
        dedicated_browser: the session gets a browser of its own, not a context in the shared one.
        look_ahead: its pages may be looked at before its client asks.
        record_network: what its pages ask of the network is kept.
        network_rules: for the requests of its pages, until others are set.
        record_console: what its pages write to the console is kept, also of documents that are gone.
        keep_call_pictures: small pictures are taken before and after each call.
        conceal: returns what masks the secrets that pictures of its pages must not show; None where there are none.
        allowed_origins: the only origins that pages may reach, of those that `policy` allows; empty means all.
        user_tab: TargetId of a tab of a running browser in which the session works, in place of a context of its own;
            empty for none.
        page_tool_origins: origins of pages whose own tools may be called; empty means none.
        policy: what its pages may reach; None means everything, without a proxy.
        upstream: proxies that its connections to public addresses go on through, one behind the other.
        download_dir: where complete downloads are kept; None means in a folder that is removed with the session.
        max_download_bytes: limit of one downloaded file.
        max_downloads_bytes: limit of all downloads of the session together.
        max_uploads_bytes: limit of all uploads of the session together.
        max_tabs: limit of its tabs; windows that pages open beyond it are closed at once.
        refuses_agent: calls of the agent fail while a person has control; otherwise they wait.
        device: name of the preset that it was made by; empty for none.
        mobile, touch: as of `Screen`.
        user_agent: what its pages are told of the browser; None for the browser's own words.
        conditions: what its pages meet.
    """

    viewport: Viewport = DEFAULT_VIEWPORT
    locale: str = ""
    timezone: str = ""
    color_scheme: str = ""
    allow_evaluate: bool = False
    dedicated_browser: bool = False
    look_ahead: bool = True
    record_network: bool = False
    network_rules: tuple[NetworkRule, ...] = ()
    record_console: bool = False
    keep_call_pictures: bool = False
    conceal: Callable[[], Masker | None] | None = None
    allowed_origins: tuple[Origin, ...] = ()
    user_tab: str = ""
    page_tool_origins: tuple[Origin, ...] = ()
    policy: UrlPolicy | None = None
    upstream: tuple[UpstreamProxy, ...] = ()
    download_dir: Path | None = None
    max_download_bytes: int = MAX_DOWNLOAD_BYTES
    max_downloads_bytes: int = 4 * MAX_DOWNLOAD_BYTES
    max_uploads_bytes: int = MAX_DOWNLOAD_BYTES
    max_tabs: int = MAX_TABS
    refuses_agent: bool = False
    device: str = ""
    mobile: bool = False
    touch: bool = False
    user_agent: UserAgent | None = None
    conditions: Conditions = NO_CONDITIONS

    @property
    def screen(self) -> Screen:
        """What its tabs are shown on."""
        return Screen(self.viewport, self.mobile, self.touch)

    def on_screen(self, screen: Screen) -> SessionOptions:
        """The same with another screen."""
        return replace(self, viewport=screen.viewport, mobile=screen.mobile, touch=screen.touch)
