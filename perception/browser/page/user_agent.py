"""What pages are told of the browser: the User-Agent header, `navigator.userAgent` and the client hints."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from perception.browser.page.emulation import Emulation
from perception.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Brand:
    """One entry of `Sec-CH-UA`."""

    brand: str
    version: str


@dataclass(frozen=True, slots=True)
class ClientHints:
    """`navigator.userAgentData` and the `Sec-CH-UA…` headers.

    Attributes:
        brands: names and major versions; empty for the browser's own.
        full_versions: the same with full versions; empty for the browser's own.
        platform, platform_version, architecture, model, bitness: empty where the device does not tell.
        mobile: `Sec-CH-UA-Mobile`.
    """

    brands: tuple[Brand, ...] = ()
    full_versions: tuple[Brand, ...] = ()
    platform: str = ""
    platform_version: str = ""
    architecture: str = ""
    model: str = ""
    bitness: str = ""
    mobile: bool = False

    @property
    def metadata(self) -> dict[str, Any]:
        """CDP's `Emulation.UserAgentMetadata`."""
        lists = {"brands": self.brands, "fullVersionList": self.full_versions}
        named = {name: [asdict(each) for each in of] for name, of in lists.items() if of}
        return named | {
            "platform": self.platform,
            "platformVersion": self.platform_version,
            "architecture": self.architecture,
            "model": self.model,
            "bitness": self.bitness,
            "mobile": self.mobile,
        }


@dataclass(frozen=True, slots=True)
class UserAgent:
    """What pages are told.

    Attributes:
        text: the User-Agent header; empty for the browser's own.
        hints: the client hints; None for those that go with the text.
    """

    text: str = ""
    hints: ClientHints | None = None


async def emulate_user_agent(emulation: Emulation, told: UserAgent | None, locale: str, deadline: Deadline) -> None:
    """Sets client hints that go with no text. Playwright has set the text already, and hints that it reads from it.

    Args:
        emulation: of the tab.
        told: what its pages are told; None for the browser's own words.
        locale: of the session, for `Accept-Language`, which the same command sets.
    """
    if told is None or told.hints is None:
        return
    language = {"acceptLanguage": locale} if locale else {}
    await emulation.set_everywhere(
        "Emulation.setUserAgentOverride",
        deadline,
        userAgent=told.text,
        userAgentMetadata=told.hints.metadata,
        **language,
    )
