"""Sessions, tabs, dialogs, downloads."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence

from perception.browser.browser_session import SessionOptions, Tab
from perception.browser.network.policy import MAX_ORIGINS, Origin
from perception.browser.network.upstream import UpstreamProxy
from perception.browser.page.conditions import NO_CONDITIONS
from perception.browser.page.dialogs import Dialog, dialog_id
from perception.browser.page.download import Download, DownloadState
from perception.browser.page.file_choosers import FileChooser, chooser_id
from perception.browser.page.navigation import WaitUntil
from perception.errors import BadInputError
from perception.server.convert.conditions import conditions_message, decode_conditions
from perception.server.convert.control import control_message
from perception.server.convert.devices import (
    DEFAULT_SCREEN,
    decode_screen,
    decode_user_agent,
    device_of,
    user_agent_message,
)
from perception.server.convert.enums import decode_enum, enum_members, enum_numbers, enum_words
from perception.server.convert.message_fields import cut_text, duration_message, seconds_of, timestamp_message
from perception.server.convert.network_rules import decode_rules, rule_messages
from perception.server.convert.snapshots import defaults_message, viewport_message
from perception.server.convert.video_options import options_message
from perception.server.environment import how_to_set
from perception.server.placement.local import LocalPlacement
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.session import Session
from perception.server.sessions.tabs import TabSummary
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

_TAB_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_TAB_ID = re.compile(r"t[0-9]+")

_WAITS = {session_pb.WAIT_UNTIL_UNSPECIFIED: WaitUntil.SETTLED} | enum_members(session_pb.WaitUntil, WaitUntil)
_DIALOG_KINDS = {word.replace("-", ""): number for number, word in enum_words(pb.Dialog.Kind).items()}
_DOWNLOAD_STATES = enum_numbers(pb.Download.State, DownloadState)
_SCHEMES = {session_pb.COLOR_SCHEME_UNSPECIFIED: ""} | enum_words(session_pb.ColorScheme)
_HUMAN_CONTROL = {
    session_pb.HUMAN_CONTROL_UNSPECIFIED: False,
    session_pb.HUMAN_CONTROL_WAIT: False,
    session_pb.HUMAN_CONTROL_REFUSE: True,
}


def decode_wait(wait_until: session_pb.WaitUntil) -> WaitUntil:
    """Raises BadInputError for one that this version does not know."""
    return decode_enum(_WAITS, wait_until, "wait_until")


def session_options(message: session_pb.SessionOptions) -> SessionOptions:
    """Raises BadInputError for a viewport that no browser has, a device that there is not, or other wrong options."""
    preset = device_of(message.device, "options.device")
    screen = decode_screen(message, preset.screen if preset else DEFAULT_SCREEN, "options.")
    return SessionOptions(
        screen.viewport,
        message.locale,
        message.timezone,
        decode_enum(_SCHEMES, message.color_scheme, "options.color_scheme"),
        allow_evaluate=message.allow_evaluate,
        look_ahead=not message.no_look_ahead,
        refuses_agent=decode_enum(_HUMAN_CONTROL, message.human_control, "options.human_control"),
        dedicated_browser=message.dedicated_browser,
        record_network=message.record_network,
        allowed_origins=parse_origins(message.allowed_origins, "options.allowed_origins"),
        network_rules=decode_rules(message.network_rules, "options.network_rules"),
        record_console=message.record_console,
        keep_call_pictures=message.keep_call_pictures,
        page_tool_origins=parse_origins(message.page_tool_origins, "options.page_tool_origins"),
        device=preset.name if preset else "",
        mobile=screen.mobile,
        touch=screen.touch,
        user_agent=decode_user_agent(message, preset),
        conditions=decode_conditions(message.conditions, "options.conditions"),
    )


def parse_origins(texts: Sequence[str], field: str) -> tuple[Origin, ...]:
    """Raises BadInputError for one that is not an origin, and for too many."""
    if len(texts) > MAX_ORIGINS:
        raise BadInputError(
            f"{len(texts)} origins are more than the {MAX_ORIGINS} that a session takes: use https://*.NAME for many",
            field=field,
        )
    origins = []
    for index, text in enumerate(texts):
        try:
            origins.append(Origin.parse(text))
        except ValueError as exc:
            raise BadInputError(
                f"{text[:100]!r} is not an origin: {exc}, as in https://shop.example:8443 or https://*.example.org",
                field=f"{field}[{index}]",
            ) from exc
    return tuple(origins)


_NOT_IN_USERS_TAB = (
    *("viewport", "device", "locale", "timezone", "color_scheme", "state", "profile", "user_agent", "touch", "mobile"),
    *("dedicated_browser", "upstream_proxy"),
)


def user_tab_of(request: session_pb.CreateSessionRequest) -> str:
    """The tab of a running browser that the session works in; empty for none. Raises BadInputError for what does not go
    with it."""
    if not request.cdp_target_id:
        return ""
    given = {field.name for field, _ in request.options.ListFields()}
    refused = [name for name in _NOT_IN_USERS_TAB if name in given] + (["url"] if request.url else [])
    if refused or not request.cdp_endpoint:
        why = f"not together with {', '.join(refused)}" if refused else "only together with cdp_endpoint"
        raise BadInputError(f"cdp_target_id goes {why}: the tab stays as its user has it", field="cdp_target_id")
    return request.cdp_target_id


def lifetime_of(message: session_pb.SessionOptions, settings: Settings) -> Lifetime:
    """Raises BadInputError for an idle timeout of 0, or one that is longer than the service's own."""
    most = settings.session_idle_s
    idle_s = seconds_of(message, "idle_timeout", most, within="options.")
    if not 0 < idle_s <= most:
        raise BadInputError(
            f"options.idle_timeout is {idle_s:g} s: give more than 0, up to this service's {most:g} s "
            f"({how_to_set('session_idle_s')}), or leave it out",
            field="options.idle_timeout",
        )
    return Lifetime(idle_s, settings.session_age_s)


def session_message(session: Session, tabs: Sequence[TabSummary]) -> session_pb.Session:
    return session_pb.Session(
        session_id=session.session_id,
        principal=session.principal,
        tabs=[tab_message(each) for each in tabs],
        create_time=timestamp_message(session.lifetime.created_s),
        last_used_time=timestamp_message(session.lifetime.used_s),
        expire_time=timestamp_message(time.time() + session.lifetime.remaining_s),
        options=session_pb.SessionOptions(
            viewport=viewport_message(session.options.viewport),
            locale=session.options.locale,
            timezone=session.options.timezone,
            color_scheme=next(key for key, value in _SCHEMES.items() if value == session.options.color_scheme),
            idle_timeout=duration_message(session.lifetime.idle_s),
            allow_evaluate=session.options.allow_evaluate,
            no_look_ahead=not session.options.look_ahead,
            human_control=session_pb.HUMAN_CONTROL_REFUSE
            if session.options.refuses_agent
            else session_pb.HUMAN_CONTROL_UNSPECIFIED,
            dedicated_browser=session.options.dedicated_browser,
            record_network=session.options.record_network,
            profile=session.profile.name if session.profile else "",
            profile_read_only=session.profile is not None and session.profile.read_only,
            network_rules=rule_messages(session.browser.traffic.interception.rules),
            record_console=session.options.record_console,
            keep_call_pictures=session.options.keep_call_pictures,
            allowed_origins=[origin.text for origin in session.options.allowed_origins],
            device=session.options.device,
            mobile=session.options.mobile,
            touch=session.options.touch,
            user_agent=user_agent_message(session.options.user_agent),
            conditions=conditions_message(session.options.conditions)
            if session.options.conditions != NO_CONDITIONS
            else None,
            page_tool_origins=[origin.text for origin in session.options.page_tool_origins],
            upstream_proxy=next(map(_upstream_message, _own_upstream(session.options)), None),
            video=options_message(session.videos.whole) if session.videos.whole else None,
            snapshot_defaults=defaults_message(defaults) if (defaults := session.shown.snapshots.defaults) else None,
        ),
        control=control_message(session.control),
        dialogs=dialog_messages(session.browser.tabs),
        file_choosers=file_chooser_messages(session.browser.tabs),
        downloads=[download_message(each) for each in session.browser.downloads.since(0)],
    )


def place_session(message: session_pb.Session, placement: LocalPlacement) -> None:
    """Says which worker has a session, and when that ends."""
    message.worker = placement.worker
    if placement.closes_by_s is not None:
        message.closes_at_ms = round(placement.closes_by_s * 1000)


def _own_upstream(options: SessionOptions) -> list[UpstreamProxy]:
    """The proxy that the session's client named, if it did; the service's own is the operator's."""
    return [each for each in options.upstream if not each.is_trusted]


def _upstream_message(proxy: UpstreamProxy) -> session_pb.UpstreamProxy:
    return session_pb.UpstreamProxy(url=proxy.url, secret=proxy.secret)


def dialog_messages(tabs: Iterable[Tab]) -> list[pb.Dialog]:
    """The dialogs that are open in these tabs."""
    return [dialog_message(tab.tab_id, tab.link.dialogs.open) for tab in tabs if tab.link.dialogs.open is not None]


def dialog_message(tab_id: str, dialog: Dialog) -> pb.Dialog:
    return pb.Dialog(
        dialog_id=dialog_id(tab_id, dialog),
        tab_id=tab_id,
        kind=_DIALOG_KINDS[dialog.kind],
        message=cut_text(dialog.message),
        default_value=cut_text(dialog.default_value),
    )


def file_chooser_messages(tabs: Iterable[Tab]) -> list[pb.FileChooser]:
    """The file choosers that are open in these tabs."""
    opened = ((tab.tab_id, tab.link.file_choosers.open) for tab in tabs)
    return [file_chooser_message(tab_id, chooser) for tab_id, chooser in opened if chooser is not None]


def file_chooser_message(tab_id: str, chooser: FileChooser) -> pb.FileChooser:
    return pb.FileChooser(
        file_chooser_id=chooser_id(tab_id, chooser),
        tab_id=tab_id,
        multiple=chooser.multiple,
        directory=chooser.directory,
        accept=chooser.accept,
        field=chooser.field,
        backend_node_id=chooser.node,
    )


def download_message(download: Download) -> pb.Download:
    return pb.Download(
        path=str(download.path or ""),
        url=cut_text(download.url),
        size_bytes=download.size_bytes,
        name=download.name,
        state=_DOWNLOAD_STATES[download.state],
        failure=download.failure,
        download_id=download.download_id,
    )


def tab_name(name: str) -> str:
    """A name for a tab. Raises BadInputError for an invalid one."""
    if name and (not _TAB_NAME.fullmatch(name) or _TAB_ID.fullmatch(name)):
        raise BadInputError(
            f"{name[:60]!r} is not a name for a tab: use up to 40 letters, digits, '-', '_' and '.', and not the form "
            "of a tab_id (t1)",
            field="name",
        )
    return name


def tab_message(tab: TabSummary) -> pb.Tab:
    return pb.Tab(
        tab_id=tab.tab_id,
        url=tab.url,
        title=tab.title,
        selected=tab.selected,
        opener_tab_id=tab.opener_tab_id,
        epoch=tab.epoch,
        name=tab.name,
    )
