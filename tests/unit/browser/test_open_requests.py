"""Which requests a recording waits for: those of its actions, not what the page sends anyway."""

from __future__ import annotations

from typing import Any, cast

import pytest

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.recording.network_log import Exchange
from perception.browser.recording.open_requests import open_requests

CLICK = 100.0
"""When the one action happened."""


def sent(path: str, at_s: float, method: str = "POST", **more: Any) -> Exchange:
    more = {"kind": "Fetch", "loader": "now"} | more
    if "ended_s" in more:
        more["done"] = True
    url = path if path.startswith("http") else f"https://a.org{path}"
    return Exchange("1", cast(CdpSession, None), method, url, at_s=at_s, **more)


CASES = [
    pytest.param([sent("/save", 100.1)], ["/save"], id="of-the-action"),
    pytest.param([sent("/save", 99.9)], ["/save"], id="by-another-clock"),
    pytest.param([sent("/save", 100.1, ended_s=100.2)], [], id="ended"),
    pytest.param([sent("/save", 103.0)], [], id="too-late"),
    pytest.param([sent("/poll", 98.0, ended_s=98.1), sent("/poll?n=2", 100.1)], [], id="poll"),
    pytest.param([sent("/feed", 100.1, kind="EventSource")], [], id="stream"),
    pytest.param([sent("https://www.google-analytics.com/g/collect", 100.1)], [], id="telemetry"),
    pytest.param([sent("/prepare", 100.1, ended_s=108.0), sent("/save", 108.1)], ["/save"], id="of-its-answer"),
    pytest.param([sent("/save", 100.1, loader="before")], [], id="of-a-document-that-was-left"),
    pytest.param([sent("/form", 100.1, kind="Document", loader="next")], ["/form"], id="document"),
    pytest.param(
        [sent("/form", 100.1, kind="Document", ended_s=100.3), sent("/news", 100.4, "GET")],
        [],
        id="of-the-next-document",
    ),
    pytest.param([sent("/search", 100.1, "GET")], ["/search"], id="search"),
]


@pytest.mark.parametrize(("exchanges", "waited_for"), CASES)
def test_requests_of_actions_are_waited_for(exchanges: list[Exchange], waited_for: list[str]) -> None:
    found = open_requests(exchanges, [CLICK], "now")
    assert [each.url.removeprefix("https://a.org") for each in found] == waited_for
