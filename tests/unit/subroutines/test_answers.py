"""Answers: what a site says against a request, and what is another answer than the recorded one."""

from __future__ import annotations

from typing import Any

import pytest

from perception.subroutines.answers import Reply, check_reply, looks_like_login, reason_in
from perception.subroutines.path_patterns import url_fits


def reply(status: int = 200, text: str = "", mime: str = "application/json", url: str = "", **more: Any) -> Reply:
    return Reply(status, url or "https://a.org/x", more.get("redirected", False), mime, text)


REASONS = [
    pytest.param(reply(text='{"errors":[{"message":"taken"}]}'), "taken", id="graphql"),
    pytest.param(reply(422, '{"errors":{"name":["is too short"]}}'), "name: is too short", id="rails"),
    pytest.param(reply(409, '{"detail":"exists"}'), "exists", id="problem-json"),
    pytest.param(reply(200, "<ul class=errorlist><li>Taken.</ul>", "text/html"), "Taken.", id="django"),
    pytest.param(reply(200, "<div role=alert>No <b>way</b></div><p>rest", "text/html"), "No; way", id="alert"),
    pytest.param(reply(200, "<div class='row errors'><label>Name</label></div>", "text/html"), "", id="marked-row"),
    pytest.param(reply(200, '{"id":1}'), "", id="none"),
]


@pytest.mark.parametrize(("given", "reason"), REASONS)
def test_sites_own_reason_is_found(given: Reply, reason: str) -> None:
    assert reason_in(given) == reason


MOVED = reply(url="https://a.org/item/9/", redirected=True)
TO_LOGIN = reply(url="https://a.org/login?next=/x", redirected=True)

CHECKS = [
    pytest.param(reply(201), {"status": 200}, "", id="same-class"),
    pytest.param(reply(500), {"status": 200}, "DRIFT", id="another-status-without-a-reason"),
    pytest.param(reply(401), {"status": 200}, "NOT_LOGGED_IN", id="401"),
    pytest.param(reply(200, '{"ok":false,"error":"no"}'), {"status": 200}, "REFUSED", id="refused-with-a-200"),
    pytest.param(reply(200, '{"ok":true,"message":"Hi"}'), {"status": 200}, "", id="message-that-is-no-error"),
    pytest.param(MOVED, {"status": 302, "location": "/item/*/"}, "", id="redirect"),
    pytest.param(reply(), {"status": 302, "location": "/item/*/"}, "DRIFT", id="no-redirect"),
    pytest.param(TO_LOGIN, {"status": 302}, "NOT_LOGGED_IN", id="to-a-login"),
]


@pytest.mark.parametrize(("given", "expected", "reason"), CHECKS)
def test_answer_is_held_against_the_recorded_one(given: Reply, expected: dict[str, Any], reason: str) -> None:
    try:
        check_reply("POST", "/x", given, expected)
        found = ""
    except Exception as error:
        found = getattr(error, "reason", str(error))
    assert found == reason


@pytest.mark.parametrize(
    ("url", "is_login"),
    [("/login", True), ("/users/sign_in", True), ("/sso/x", True), ("/admin/auth/user/", False), ("/blog/in", False)],
)
def test_page_to_log_in_at_is_known_by_its_address(url: str, is_login: bool) -> None:
    assert looks_like_login(url) is is_login


def test_pattern_fits_one_segment_for_each_star() -> None:
    assert url_fits("/users/*/", "https://a.org/users/7/?x=1")
    assert not url_fits("/users/*/", "https://a.org/users/7/edit/")
