"""Conditions of sessions: geolocation, permissions, network, processor, media."""

from __future__ import annotations

import math

from perception.browser.page.conditions import Conditions, Media, NetworkConditions, PermissionRule, Place, Setting
from perception.errors import BadInputError
from perception.server.convert.enums import decode_enum, enum_members, enum_words
from perception.server.convert.message_fields import duration_message, require_within, seconds_of
from perception.v1 import session_service_pb2 as pb

MAX_RULES = 100
MAX_NAME = 40
MAX_ORIGIN = 300
MAX_CPU_SLOWDOWN = 50.0
MAX_LATENCY_SECONDS = 60.0
DEFAULT_ACCURACY = 10.0

REFUSED = ("clipboard-read", "clipboard-write")
"""Permissions that no page is given: the browser's clipboard is that of all sessions."""

_SETTINGS = enum_members(pb.PermissionRule.Setting, Setting)
_MOTION = {pb.Media.REDUCED_MOTION_UNSPECIFIED: ""} | enum_words(pb.Media.ReducedMotion)
_COLORS = {pb.Media.FORCED_COLORS_UNSPECIFIED: ""} | enum_words(pb.Media.ForcedColors)
_CONTRAST = {pb.Media.CONTRAST_UNSPECIFIED: ""} | enum_words(pb.Media.Contrast)


def decode_conditions(message: pb.Conditions, prefix: str = "conditions") -> Conditions:
    """Raises BadInputError for what no browser, and no place on Earth, has."""
    slowdown = message.cpu_slowdown or 1.0
    require_within(slowdown, 1, MAX_CPU_SLOWDOWN, f"{prefix}.cpu_slowdown")
    return Conditions(
        place=_place(message.geolocation, f"{prefix}.geolocation") if message.HasField("geolocation") else None,
        permissions=tuple(
            _rule(each, f"{prefix}.permissions[{index}]") for index, each in enumerate(_rules(message, prefix))
        ),
        network=_network(message.network, f"{prefix}.network") if message.HasField("network") else None,
        cpu_slowdown=slowdown,
        media=_media(message.media, f"{prefix}.media") if message.HasField("media") else None,
    )


def _place(given: pb.Geolocation, field: str) -> Place:
    if not (abs(given.latitude) <= 90 and abs(given.longitude) <= 180 and 0 <= given.accuracy <= 1e7):
        raise BadInputError(
            f"({given.latitude:g}, {given.longitude:g}) is not a place: give a latitude of -90 to 90 and a longitude "
            "of -180 to 180 degrees, and an accuracy in meters",
            field=field,
        )
    return Place(given.latitude, given.longitude, given.accuracy or DEFAULT_ACCURACY)


def _rules(message: pb.Conditions, prefix: str) -> list[pb.PermissionRule]:
    if len(message.permissions) > MAX_RULES:
        raise BadInputError(
            f"{len(message.permissions)} permissions are more than the {MAX_RULES} that are taken: give fewer",
            field=f"{prefix}.permissions",
        )
    return list(message.permissions)


def _rule(given: pb.PermissionRule, field: str) -> PermissionRule:
    if given.name in REFUSED:
        raise BadInputError(
            f"{given.name} is given to no page, as all sessions share the browser's clipboard: copying to the "
            "session's own needs no permission",
            field=f"{field}.name",
        )
    if not 0 < len(given.name) <= MAX_NAME:
        raise BadInputError("a permission needs a name, such as geolocation or camera", field=f"{field}.name")
    if len(given.origin) > MAX_ORIGIN or (given.origin and not given.origin.startswith(("http://", "https://"))):
        raise BadInputError(
            f"{given.origin[:80]!r} is not an origin, as in https://shop.example", field=f"{field}.origin"
        )
    if given.setting == pb.PermissionRule.SETTING_UNSPECIFIED:
        raise BadInputError(
            f"the permission {given.name} has no setting: give grant, deny or ask", field=f"{field}.setting"
        )
    return PermissionRule(given.name, decode_enum(_SETTINGS, given.setting, f"{field}.setting"), given.origin)


def _network(given: pb.NetworkConditions, field: str) -> NetworkConditions:
    latency_s = seconds_of(given, "latency", 0.0, within=f"{field}.")
    require_within(latency_s, 0, MAX_LATENCY_SECONDS, f"{field}.latency", unit=" s")
    for name in ("download_bytes_per_s", "upload_bytes_per_s"):
        value = getattr(given, name)
        if not (value >= 0 and math.isfinite(value)):
            raise BadInputError(f"{name} is {value:g}: give 0 for no limit, or more", field=f"{field}.{name}")
    return NetworkConditions(given.offline, latency_s * 1000, given.download_bytes_per_s, given.upload_bytes_per_s)


def _media(given: pb.Media, field: str) -> Media:
    return Media(
        printing=given.printing,
        reduced_motion=decode_enum(_MOTION, given.reduced_motion, f"{field}.reduced_motion"),
        forced_colors=decode_enum(_COLORS, given.forced_colors, f"{field}.forced_colors"),
        contrast=decode_enum(_CONTRAST, given.contrast, f"{field}.contrast"),
    )


def conditions_message(conditions: Conditions) -> pb.Conditions:
    place, network, media = conditions.place, conditions.network, conditions.media
    return pb.Conditions(
        geolocation=pb.Geolocation(latitude=place.latitude, longitude=place.longitude, accuracy=place.accuracy)
        if place
        else None,
        permissions=[
            pb.PermissionRule(
                name=each.name,
                setting=next(key for key, value in _SETTINGS.items() if value is each.setting),
                origin=each.origin,
            )
            for each in conditions.permissions
        ],
        network=pb.NetworkConditions(
            offline=network.offline,
            latency=duration_message(network.latency_ms / 1000),
            download_bytes_per_s=network.download,
            upload_bytes_per_s=network.upload,
        )
        if network
        else None,
        cpu_slowdown=conditions.cpu_slowdown,
        media=_media_message(media) if media else None,
    )


def _media_message(media: Media) -> pb.Media:
    return pb.Media(
        printing=media.printing,
        reduced_motion=next(key for key, value in _MOTION.items() if value == media.reduced_motion),
        forced_colors=next(key for key, value in _COLORS.items() if value == media.forced_colors),
        contrast=next(key for key, value in _CONTRAST.items() if value == media.contrast),
    )
