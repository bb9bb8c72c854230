"""Who is logged in to a viewer."""

from __future__ import annotations

from perception.server.viewer.logins import CODE_SECONDS, IDLE_SECONDS, LOGIN_SECONDS, MAX_CODES, MAX_LOGINS, Logins
from perception.testing import FakeClock


def test_a_cookie_finds_its_login_until_that_ends() -> None:
    clock = FakeClock()
    logins = Logins(clock)
    cookie = logins.begin("token")
    login = logins.find(cookie)
    assert login is not None
    assert login.token == "token"
    assert "token" not in repr(login)
    assert logins.find(cookie + "x") is None
    logins.end(login)
    assert logins.find(cookie) is None


def test_a_login_that_is_not_used_ends_and_one_with_open_connections_does_not() -> None:
    clock = FakeClock()
    logins = Logins(clock)
    idle, used = logins.begin("a"), logins.begin("b")
    closed: list[str] = []
    login = logins.find(used)
    assert login is not None
    login.closers.add(lambda: closed.append("b"))
    clock.advance(IDLE_SECONDS)
    assert logins.find(idle) is None
    assert logins.find(used) is login
    clock.advance(LOGIN_SECONDS)
    assert logins.find(used) is None
    assert closed == ["b"]


def test_a_code_works_once_and_for_a_few_minutes() -> None:
    clock = FakeClock()
    logins = Logins(clock)
    code, late = logins.make_code("token"), logins.make_code("token")
    assert logins.use_code(code) == "token"
    assert logins.use_code(code) is None
    clock.advance(CODE_SECONDS)
    assert logins.use_code(late) is None
    assert logins.use_code("other") is None


def test_logins_and_codes_are_bounded() -> None:
    logins = Logins(FakeClock())
    cookies = [logins.begin("") for _ in range(MAX_LOGINS + 1)]
    assert logins.find(cookies[0]) is None
    assert logins.find(cookies[1]) is not None
    codes = [logins.make_code("") for _ in range(MAX_CODES + 1)]
    assert logins.use_code(codes[0]) is None
    assert logins.use_code(codes[-1]) == ""
