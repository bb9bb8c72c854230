"""The conditions that a session's pages meet: where they are, what they may do, their network, processor and media."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpLink
from perception.browser.page.emulation import Emulation
from perception.deadline import Deadline
from perception.errors import BadInputError


class Setting(Enum):
    """What a page is told when it asks for something; the values are CDP's."""

    GRANT = "granted"
    DENY = "denied"
    ASK = "prompt"


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """One permission.

    Attributes:
        name: of the Permissions API: `geolocation`.
        setting: what pages are told.
        origin: whose pages; empty for all.
    """

    name: str
    setting: Setting
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the device is: degrees, and meters that it may be off."""

    latitude: float
    longitude: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class NetworkConditions:
    """A slow network.

    Attributes:
        offline: nothing is reached.
        latency_ms: least time from a request to its response.
        download, upload: bytes per second; 0 for no limit.
    """

    offline: bool = False
    latency_ms: float = 0.0
    download: float = 0.0
    upload: float = 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of `Network.emulateNetworkConditions`."""
        return {
            "offline": self.offline,
            "latency": self.latency_ms,
            "downloadThroughput": self.download or -1,
            "uploadThroughput": self.upload or -1,
        }


@dataclass(frozen=True, slots=True)
class Media:
    """What style sheets are told.

    Attributes:
        printing: pages are laid out as for a printer.
        reduced_motion, forced_colors, contrast: values of the media features; empty for the browser's own.
    """

    printing: bool = False
    reduced_motion: str = ""
    forced_colors: str = ""
    contrast: str = ""

    def parameters(self, color_scheme: str) -> dict[str, Any]:
        """The parameters of `Emulation.setEmulatedMedia`, which takes all features at once."""
        features = {
            "prefers-color-scheme": color_scheme or "light",  # as Playwright (1.65) sets it
            "prefers-reduced-motion": self.reduced_motion,
            "forced-colors": self.forced_colors,
            "prefers-contrast": self.contrast,
        }
        named = [{"name": name, "value": value} for name, value in features.items() if value]
        return {"media": "print" if self.printing else "", "features": named}


@dataclass(frozen=True, slots=True)
class Conditions:
    """All of them.

    Attributes:
        place: None where the device does not know.
        permissions: later rules go before earlier ones.
        network: None for as it is.
        cpu_slowdown: how many times slower scripts run; 1 for as fast as they can.
        media: None for the browser's own.
    """

    place: Place | None = None
    permissions: tuple[PermissionRule, ...] = ()
    network: NetworkConditions | None = None
    cpu_slowdown: float = 1.0
    media: Media | None = None


NO_CONDITIONS = Conditions()


async def apply_to_tab(
    emulation: Emulation, now: Conditions, before: Conditions, color_scheme: str, deadline: Deadline
) -> None:
    """Has a tab meet conditions.

    Args:
        emulation: of the tab.
        now: the conditions.
        before: those that it meets so far: what is the same is left alone.
        color_scheme: of the session, which is set together with media.
    """
    if now.place != before.place:
        place = now.place
        where = {"latitude": place.latitude, "longitude": place.longitude, "accuracy": place.accuracy} if place else {}
        await emulation.set_everywhere("Emulation.setGeolocationOverride", deadline, **where)
    if now.network != before.network:
        network = now.network or NetworkConditions()
        await emulation.set_everywhere("Network.emulateNetworkConditions", deadline, **network.parameters)
    if now.cpu_slowdown != before.cpu_slowdown:
        await emulation.set_everywhere("Emulation.setCPUThrottlingRate", deadline, rate=now.cpu_slowdown)
    if now.media != before.media:
        media = now.media or Media()
        await emulation.set_everywhere("Emulation.setEmulatedMedia", deadline, **media.parameters(color_scheme))


async def apply_permissions(
    link: CdpLink,
    context_id: str,
    now: Conditions,
    before: Conditions,
    ruled: set[tuple[str, str]],
    deadline: Deadline,
) -> None:
    """Has the pages of a browser context meet the permissions.

    Args:
        ruled: names and origins that have ever had a rule in the context. To Chromium (156), what an origin was once
            told goes before what all are told later, also "ask": it is told again what all are told.

    Raises:
        BadInputError: the browser does not know one of them.
    """
    if now.permissions == before.permissions:
        return
    kept = {(each.name, each.origin) for each in now.permissions}
    # Those for all sites come first.
    gone = [_rule_for(name, origin, now) for name, origin in sorted(ruled - kept, key=lambda each: each[::-1])]
    done: list[PermissionRule] = []
    try:
        for rule in (*gone, *now.permissions):
            await _set_permission(link, context_id, rule, deadline)
            ruled.add((rule.name, rule.origin))
            done.append(rule)
    except BadInputError:  # all stays as it was
        for rule in done:
            await _set_permission(link, context_id, _rule_for(rule.name, rule.origin, before), deadline)
        raise


def _rule_for(name: str, origin: str, conditions: Conditions) -> PermissionRule:
    """What conditions say of a permission at an origin: its own rule, or the one for all sites, or none."""
    own = {each.origin: each.setting for each in conditions.permissions if each.name == name}
    return PermissionRule(name, own.get(origin, own.get("", Setting.ASK)), origin)


async def _set_permission(link: CdpLink, context_id: str, rule: PermissionRule, deadline: Deadline) -> None:
    """Raises BadInputError where the browser does not know the permission."""
    origin = {"origin": rule.origin} if rule.origin else {}
    try:
        await link.session().call(
            "Browser.setPermission",
            deadline,
            "setting a permission",
            permission={"name": rule.name},
            setting=rule.setting.value,
            browserContextId=context_id,
            **origin,
        )
    except CdpCallError as exc:
        raise BadInputError(
            f"the browser has no permission {rule.name[:40]!r}: use a name of the Permissions API, such as geolocation",
            field="conditions.permissions",
        ) from exc
