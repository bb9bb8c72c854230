"""Who may use a viewer, over real HTTP: hosts, origins, logins, headers, limits, other people's sessions."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.network import reserved_ports
from perception.browser.network.addresses import Address
from perception.client import RemoteError
from perception.errors import BadInputError
from perception.server.app import Service
from perception.server.settings import Settings
from perception.server.viewer import login_pages
from perception.server.viewer.rate_limits import RateLimit
from tests.long.server.viewer.conftest import PATIENCE_SECONDS, TOKENS, Watched, watched_service, write_private


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
    ],
)
async def test_pages_are_for_this_host_and_no_other_site(
    watched: Watched, headers: dict[str, str], status: int
) -> None:
    async with httpx.AsyncClient(
        base_url=watched.url, headers=headers, trust_env=False, timeout=PATIENCE_SECONDS
    ) as http:
        assert (await http.get("")).status_code == status


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Origin": "http://evil.example"}, "{}", 403),
        ({"Origin": "null"}, "{}", 403),
        ({"Content-Type": "text/plain"}, "{}", 415),
        ({}, "x" * 70_000, 413),
        ({}, "[]", 400),
        ({}, "[" * 60_000, 400),
        ({}, '{"token": "wrong"}', 401),
        ({}, '{"token": ["x"]}', 401),
    ],
    ids=["other origin", "null origin", "no JSON type", "large", "no object", "deep", "wrong token", "no text"],
)
async def test_a_login_from_elsewhere_or_in_another_form_is_refused(
    watched: Watched, headers: dict[str, str], body: str, status: int
) -> None:
    async with watched.http(headers={"Content-Type": "application/json", **headers}) as http:
        answer = await http.post("api/login", content=body)
        assert answer.status_code == status
        assert "set-cookie" not in answer.headers


async def test_a_post_without_origin_is_refused(watched: Watched) -> None:
    async with httpx.AsyncClient(base_url=watched.url, trust_env=False, timeout=PATIENCE_SECONDS) as http:
        assert (await http.post("api/login", json={"token": TOKENS["ana"]})).status_code == 403


async def test_every_answer_has_the_headers_and_the_cookie_is_for_no_script(watched: Watched) -> None:
    async with watched.http() as http:
        answers = [
            await http.get(path) for path in ("", "static/app.js", "api/sessions", "nowhere", "static/../app.py")
        ]
        login = await http.post("api/login", json={"token": TOKENS["ana"]})
    for answer in (*answers, login):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
    assert [answer.status_code for answer in answers] == [200, 200, 401, 404, 404]
    cookie = login.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKENS["ana"] not in cookie


def test_the_page_has_no_script_and_no_style_of_its_own() -> None:
    from perception.server.viewer.app import STATIC

    page = (STATIC / "index.html").read_text("utf-8")
    assert re.findall(r"<(?:script|style)[^>]*>", page) == ['<script type="module" src="/static/app.js">']
    assert " style=" not in page
    assert not re.search(r"https?://", page)


async def test_people_see_their_own_sessions_and_reach_no_others(watched: Watched, site: str) -> None:
    page = await (await watched.client("ana")).open(f"{site}/form.html")
    async with watched.http_of("ana") as ana, watched.http_of("bob") as bob, watched.http() as nobody:
        listed = (await ana.get("api/sessions")).json()["sessions"]
        assert page.session_id in [each["id"] for each in listed]
        assert (await bob.get("api/sessions")).json()["sessions"] == []
        of_ana = f"api/sessions/{page.session_id}"
        look, explain = {"kind": "text"}, {"x": 1, "y": 1}
        for http, status in ((bob, 404), (nobody, 401)):
            assert (await http.get(of_ana)).status_code == status
            assert (await http.post(f"{of_ana}/look", json=look)).status_code == status
            assert (await http.post(f"{of_ana}/explain", json=explain)).status_code == status
        assert (await ana.get(of_ana)).status_code == 200
        assert (await ana.post(f"{of_ana}/look", json={"kind": "all"})).status_code == 400
        assert (await ana.post(f"{of_ana}/explain", json={"x": "1", "y": 2})).status_code == 400
    await page.close()


async def test_a_link_of_the_viewer_logs_one_browser_in_once(watched: Watched) -> None:
    async with watched.http_of("ana") as ana, watched.http() as phone, watched.http() as thief:
        code = (await ana.post("api/link", json={})).json()["code"]
        assert (await phone.post("api/login", json={"code": code})).status_code == 200
        assert (await phone.get("api/sessions")).status_code == 200
        used = await thief.post("api/login", json={"code": code})
        assert (used.status_code, used.json()["error"]["reason"]) == (401, "LINK_USED")
        assert (await thief.post("api/link", json={})).status_code == 401
        assert (await phone.post("api/logout", json={})).status_code == 200
        assert (await phone.get("api/sessions")).status_code == 401
        assert (await ana.get("api/sessions")).status_code == 200


@pytest.mark.parametrize("number", ["9" * 20, "9" * 5000, "-1", "1e3", "x", "\u0663"])
async def test_a_number_that_no_call_has_is_not_found(watched: Watched, number: str) -> None:
    session = await (await watched.client("ana")).open()
    async with watched.http_of("ana") as ana:
        for path in (f"calls/{number}", f"calls/{number}/before"):
            answer = await ana.get(f"api/sessions/{session.session_id}/{path}")
            assert (answer.status_code, answer.json()["error"]["reason"]) == (404, "NOT_FOUND")
    await session.close()


async def test_half_a_character_is_refused_wherever_a_text_is_taken(watched: Watched) -> None:
    session = await (await watched.client("ana")).open()
    half, json = "\\ud800", {"Content-Type": "application/json"}
    async with watched.http_of("ana") as ana:
        for path, body in (
            ("look", f'{{"kind": "text", "tabId": "{half}"}}'),
            ("explain", f'{{"text": "{half}"}}'),
            ("control/release", f'{{"outcome": "refused", "note": "{half}"}}'),
            ("navigate", f'{{"url": "http://{half}"}}'),
        ):
            answer = await ana.post(f"api/sessions/{session.session_id}/{path}", content=body, headers=json)
            assert answer.status_code == 400, path
    async with watched.http() as http:
        for body in (f'{{"code": "{half}"}}', f'{{"token": "{half}"}}'):
            assert (await http.post("api/login", content=body, headers=json)).status_code == 401
    await session.close()


async def test_a_link_ends_when_the_person_who_made_it_logs_out(watched: Watched) -> None:
    async with watched.http_of("ana") as ana, watched.http() as phone:
        code = (await ana.post("api/link", json={})).json()["code"]
        assert (await ana.post("api/logout", json={})).status_code == 200
        late = await phone.post("api/login", json={"code": code})
        assert (late.status_code, late.json()["error"]["reason"]) == (401, "LINK_USED")


async def test_a_token_that_is_taken_back_ends_its_logins_links_and_sockets(host: BrowserHost, tmp_path: Path) -> None:
    tokens = write_private(tmp_path / "tokens", f"ana {TOKENS['ana']}\nbob {TOKENS['bob']}\n")
    settings = {"token_file": tokens, "data_dir": tmp_path / "data"}
    async with watched_service(host, **settings) as watched, watched.http_of("ana") as ana, watched.http() as phone:
        session_id = (await (await watched.client("ana")).open()).session_id
        code = (await ana.post("api/link", json={})).json()["code"]
        async with AsyncExitStack() as stack:
            sockets = [await _socket(stack, watched, ana, session_id, name) for name in ("frames", "events")]
            tokens.write_text(f"bob {TOKENS['bob']}\n")
            start = time.monotonic()
            for socket in sockets:
                while socket.close_code is None:
                    with suppress(ConnectionClosed):
                        await asyncio.wait_for(socket.recv(), PATIENCE_SECONDS)
            assert time.monotonic() - start < 2
            assert [each.close_code for each in sockets] == [4401, 4401]
            assert all("token file" in (each.close_reason or "") for each in sockets)
        answer = await ana.get("api/sessions")
        assert (answer.status_code, answer.json()["error"]["reason"]) == (401, "LOGIN_NEEDED")
        assert (await phone.post("api/login", json={"code": code})).status_code == 401


async def test_a_login_of_a_token_that_is_taken_back_shows_and_links_nothing(host: BrowserHost, tmp_path: Path) -> None:
    tokens = write_private(tmp_path / "tokens", f"ana {TOKENS['ana']} view\nbob {TOKENS['bob']}\n")
    async with watched_service(host, token_file=tokens, data_dir=tmp_path / "data") as watched:
        for path in ("api/me", "api/sessions"):
            async with watched.http_of("ana") as ana:
                assert (await ana.get(path)).status_code == 200
                tokens.write_text(f"bob {TOKENS['bob']}\n")
                answer = await ana.get(path)
                assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
                assert (await ana.post("api/link", json={})).json()["error"]["reason"] == "LOGIN_NEEDED"
                tokens.write_text(f"ana {TOKENS['ana']} view,control\nbob {TOKENS['bob']}\n")
        async with watched.http_of("ana") as ana:
            assert (await ana.get("api/me")).json()["may"] == "control"
            tokens.write_text(f"ana {TOKENS['ana']} view\nbob {TOKENS['bob']}\n")
            assert (await ana.get("api/me")).json()["may"] == "view"


async def _socket(
    stack: AsyncExitStack, watched: Watched, http: httpx.AsyncClient, session_id: str, name: str
) -> ClientConnection:
    """A WebSocket of a browser that is logged in, which has got its first message."""
    cookies = "; ".join(f"{key}={value}" for key, value in http.cookies.items())
    origin = watched.url.rstrip("/")
    url = f"ws{origin.removeprefix('http')}/ws/sessions/{session_id}/{name}"
    opening = connect(url, origin=Origin(origin), additional_headers={"Cookie": cookies}, proxy=None)
    socket = await stack.enter_async_context(opening)
    await socket.send('{"size": [640, 400]}')
    await asyncio.wait_for(socket.recv(), PATIENCE_SECONDS)
    return socket


async def test_guesses_are_limited_for_each_address(
    host: BrowserHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the guesses may take as long as one more is given in.
    monkeypatch.setattr(login_pages, "RateLimit", lambda per_second, burst: RateLimit(per_second / 100, burst))
    tokens = write_private(tmp_path / "tokens", f"ana {TOKENS['ana']}\n")
    async with watched_service(host, token_file=tokens, data_dir=tmp_path / "data") as watched:
        for last in range(2, 12):
            transport = httpx.AsyncHTTPTransport(local_address=f"127.0.0.{last}")
            async with watched.http(transport=transport) as http:
                answers = [await http.post("api/login", json={"token": f"guess{n}"}) for n in range(12)]
                assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
                assert int(answers[-1].headers["retry-after"]) >= 1
                right = await http.post("api/login", json={"token": TOKENS["ana"]})
                assert right.status_code == 429  # else a limit would say which guess is right
        async with watched.http_of("ana") as ana:  # from an address that has not guessed
            assert (await ana.get("api/sessions")).status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::2:3", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", False),
        ("", "", True),
    ],
)
def test_guesses_of_an_ipv6_network_count_together(one: str, other: str, same: bool) -> None:
    assert (login_pages.guesser_of(one) == login_pages.guesser_of(other)) is same


async def test_without_tokens_loopback_needs_no_login_and_a_unix_socket_needs_the_link(
    host: BrowserHost, tmp_path: Path
) -> None:
    async with watched_service(host, data_dir=tmp_path / "data") as watched, watched.http() as http:
        refused = await http.get("api/sessions")
        assert (refused.status_code, refused.json()["error"]["reason"]) == (401, "OPEN")
        assert (await http.post("api/login", json={})).status_code == 200
        assert (await http.get("api/sessions")).status_code == 200
    async with watched_service(host, address=f"unix:{tmp_path / 'socket'}", data_dir=tmp_path / "data") as watched:
        url, _, code = watched.url.partition("#login=")
        async with httpx.AsyncClient(
            base_url=url, headers={"Origin": url.rstrip("/")}, trust_env=False, timeout=PATIENCE_SECONDS
        ) as http:
            assert (await http.post("api/login", json={})).status_code == 401
            assert (await http.post("api/login", json={"code": code})).status_code == 200
            assert (await http.get("api/sessions")).status_code == 200


async def test_no_page_reaches_the_viewer(watched: Watched) -> None:
    import ipaddress

    here: Address = ipaddress.ip_address("127.0.0.1")
    assert reserved_ports.is_own([here], int(watched.url.rpartition(":")[2].strip("/")))
    page = await (await watched.client("ana")).open()
    with pytest.raises(RemoteError, match="no page may reach it") as refused:
        await page.navigate(watched.url)
    assert refused.value.reason == "ORIGIN_BLOCKED"
    await page.close()


async def test_with_tls_the_viewer_is_reached_by_the_names_of_its_certificate(
    host: BrowserHost, tmp_path: Path
) -> None:
    authority = trustme.CA()
    made = authority.issue_cert("localhost", "view.example.org")
    made.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    write_private(tmp_path / "key.pem", "")
    made.private_key_pem.write_to_path(tmp_path / "key.pem")
    tokens = write_private(tmp_path / "tokens", f"ana {TOKENS['ana']}\n")
    settings: dict[str, Any] = {
        "token_file": tokens,
        "tls_cert": tmp_path / "cert.pem",
        "tls_key": tmp_path / "key.pem",
        "data_dir": tmp_path / "data",
    }
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    async with watched_service(host, viewer="0.0.0.0:0", **settings) as watched:
        port = httpx.URL(watched.url).port
        url = f"https://localhost:{port}"
        async with httpx.AsyncClient(
            base_url=url, headers={"Origin": url}, verify=trust, trust_env=False, timeout=PATIENCE_SECONDS
        ) as http:
            login = await http.post("/api/login", json={"token": TOKENS["ana"]})
            assert login.status_code == 200
            assert login.headers["set-cookie"].startswith("__Host-")
            assert "Secure" in login.headers["set-cookie"]
            assert "strict-transport-security" in login.headers
            assert (await http.get("/api/sessions")).status_code == 200
            for host, status in (("view.example.org", 200), ("evil.example", 421)):
                named = {"Host": host, "Origin": f"https://{host}"}
                assert (await http.get("/", headers=named)).status_code == status


def test_a_viewer_that_others_reach_needs_tls_and_tokens(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"the viewer at 0\.0\.0\.0 can be reached by others"):
        Service(Settings(address="127.0.0.1:0", viewer="0.0.0.0:7900", data_dir=tmp_path))
