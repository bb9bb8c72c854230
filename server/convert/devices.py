"""Devices: screens, presets, and what pages are told of the browser."""

from __future__ import annotations

from collections.abc import Iterable

from perception.browser.page.device_presets import DevicePreset, device_presets, devices_near, find_device
from perception.browser.page.emulation import Screen
from perception.browser.page.user_agent import Brand, ClientHints, UserAgent
from perception.browser.session_options import DEFAULT_VIEWPORT
from perception.errors import BadInputError
from perception.server.convert.snapshots import viewport_message
from perception.types import Viewport
from perception.v1 import session_service_pb2 as pb

DEFAULT_SCREEN = Screen(DEFAULT_VIEWPORT)

MAX_VIEWPORT_PX = 8192
"""Device pixels a side: what Chromium's software compositor still paints as one surface."""

MIN_VIEWPORT_PX = 16
"""CSS px a side: in a smaller one Chromium paints no frame, and a screenshot never comes (1 x 1, Chromium 156)."""

MAX_BRANDS = 10
MAX_HINT = 200
MAX_USER_AGENT = 1000
"""Characters: the headers of a request are sent with each, and servers take 8 KiB of them by default."""


def device_of(name: str, field: str) -> DevicePreset | None:
    """A preset; None for an empty name. Raises BadInputError for one that there is not."""
    if not name:
        return None
    preset = find_device(name)
    if preset is None:
        near = devices_near(name)
        guess = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise BadInputError(f"there is no device {name[:80]!r}: {guess}ListDevices has all", field=field)
    return preset


def decode_screen(message: pb.SessionOptions | pb.SetViewportRequest, base: Screen, prefix: str = "") -> Screen:
    """A screen.

    Args:
        message: what is asked for: `viewport`, `mobile` and `touch`.
        base: counts where that says nothing.
        prefix: of the fields, for errors.

    Raises:
        BadInputError: no browser has a viewport like that.
    """
    given, was = message.viewport, base.viewport
    viewport = Viewport(given.width or was.width, given.height or was.height, given.device_scale_factor or was.scale)
    longest = max(viewport.width, viewport.height) * viewport.scale
    if (
        min(viewport.width, viewport.height) < MIN_VIEWPORT_PX
        or not 0.25 <= viewport.scale <= 8
        or longest > MAX_VIEWPORT_PX
    ):
        raise BadInputError(
            f"a viewport of {viewport.width} x {viewport.height} at scale {viewport.scale:g} cannot be shown: "
            f"use {MIN_VIEWPORT_PX} to {MAX_VIEWPORT_PX} device pixels a side and a scale of 0.25 to 8",
            field=f"{prefix}viewport",
        )
    return Screen(
        viewport,
        mobile=message.mobile if message.HasField("mobile") else base.mobile,
        touch=message.touch if message.HasField("touch") else base.touch,
    )


def decode_user_agent(message: pb.SessionOptions, preset: DevicePreset | None) -> UserAgent | None:
    """What pages are told; None for the browser's own words. Raises BadInputError for what no header can carry."""
    given, field = message.user_agent, "options.user_agent"
    text = given.text or (preset.user_agent if preset else "")
    _check_text(text, MAX_USER_AGENT, f"{field}.text")
    if not given.HasField("client_hints"):
        return UserAgent(text) if text else None
    if not text:
        raise BadInputError(
            "client hints go with a user agent: give its text, or a device", field=f"{field}.client_hints"
        )
    return UserAgent(text, _client_hints(given.client_hints, f"{field}.client_hints"))


def _client_hints(given: pb.ClientHints, field: str) -> ClientHints:
    for name in ("platform", "platform_version", "architecture", "model", "bitness"):
        _check_text(getattr(given, name), MAX_HINT, f"{field}.{name}")
    return ClientHints(
        _brands(given.brands, f"{field}.brands"),
        _brands(given.full_versions, f"{field}.full_versions"),
        given.platform,
        given.platform_version,
        given.architecture,
        given.model,
        given.bitness,
        given.mobile,
    )


def _brands(given: Iterable[pb.ClientHints.Brand], field: str) -> tuple[Brand, ...]:
    brands = tuple(Brand(each.brand, each.version) for each in given)
    if len(brands) > MAX_BRANDS:
        raise BadInputError(f"{field} has {len(brands)} entries: at most {MAX_BRANDS} are taken", field=field)
    for each in brands:
        _check_text(each.brand, MAX_HINT, field)
        _check_text(each.version, MAX_HINT, field)
    return brands


def _check_text(text: str, most: int, field: str) -> None:
    if len(text) > most or not text.isascii() or not (text.isprintable()):
        raise BadInputError(
            f"{field} is {text[:60]!r}: it takes at most {most} printable ASCII characters", field=field
        )


def user_agent_message(told: UserAgent | None) -> pb.UserAgent | None:
    if told is None:
        return None
    return pb.UserAgent(text=told.text, client_hints=_hints_message(told.hints) if told.hints else None)


def _hints_message(hints: ClientHints) -> pb.ClientHints:
    def brands(of: Iterable[Brand]) -> list[pb.ClientHints.Brand]:
        return [pb.ClientHints.Brand(brand=each.brand, version=each.version) for each in of]

    return pb.ClientHints(
        brands=brands(hints.brands),
        full_versions=brands(hints.full_versions),
        platform=hints.platform,
        platform_version=hints.platform_version,
        architecture=hints.architecture,
        model=hints.model,
        bitness=hints.bitness,
        mobile=hints.mobile,
    )


def device_messages(query: str) -> list[pb.Device]:
    """The presets whose name contains a text."""
    wanted = query.strip().lower()
    return [
        pb.Device(
            name=each.name,
            viewport=viewport_message(each.screen.viewport),
            mobile=each.screen.mobile,
            touch=each.screen.touch,
            user_agent=each.user_agent,
            engine=each.engine,
        )
        for each in device_presets().values()
        if wanted in each.name.lower()
    ]


def screen_response(screen: Screen) -> pb.SetViewportResponse:
    return pb.SetViewportResponse(viewport=viewport_message(screen.viewport), mobile=screen.mobile, touch=screen.touch)
