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


def test_logins_and_links_of_one_token_are_bounded_and_take_none_of_another() -> None:
    logins = Logins(FakeClock())
    other, others_code = logins.begin("b"), logins.make_code("b")
    cookies = [logins.begin("a") for _ in range(MAX_LOGINS + 6)]
    assert [logins.find(each) is None for each in cookies[:7]] == [True] * 6 + [False]
    codes = [logins.make_code("a") for _ in range(MAX_CODES + 2)]
    assert [logins.use_code(each) for each in codes[:3]] == [None, None, "a"]
    assert logins.find(other) is not None
    assert logins.use_code(others_code) == "b"


def test_a_link_ends_with_the_login_that_it_was_made_in() -> None:
    clock = FakeClock()
    logins = Logins(clock)
    first, second = (logins.find(logins.begin("a")) for _ in range(2))
    assert first is not None
    assert second is not None
    codes = [logins.make_code("a", each) for each in (first, second, None)]
    logins.end(first)
    assert [logins.use_code(each) for each in codes] == [None, "a", "a"]
    late = logins.find(logins.begin("a"))
    clock.advance(IDLE_SECONDS - 1)
    code = logins.make_code("a", late)
    clock.advance(1)
    assert logins.use_code(code) is None


def test_connections_are_counted_by_token() -> None:
    logins = Logins(FakeClock())
    found = {name: logins.find(cookie) for name, cookie in [(n, logins.begin(n[:-1])) for n in ("a1", "a2", "b1")]}
    for each in found.values():
        assert each is not None
        each.closers.add(lambda: None)
    assert found["a1"] is not None
    assert logins.connections(found["a1"]) == 2
    open_to_all = [logins.find(logins.begin("")) for _ in range(2)]
    assert open_to_all[0] is not None
    assert logins.connections(open_to_all[0]) == 0
