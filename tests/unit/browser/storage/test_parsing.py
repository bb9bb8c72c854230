"""States and cookies in the forms in which people have them."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.browser.network.policy import Origin
from perception.browser.storage.foreign import refuse_foreign, split_state
from perception.browser.storage.parsing import StateFormat, parse_state
from perception.browser.storage.state import BrowserState, Cookie, OriginStorage
from perception.errors import StateInvalidError, StateOriginRefusedError

NETSCAPE = (
    "# Netscape HTTP Cookie File\n\n"
    "#HttpOnly_.shop.example\tTRUE\t/\tTRUE\t1999999999\tsid\tabc=d\n"
    "shop.example\tFALSE\t/cart\tFALSE\t0\tseen\t\n"
)


def test_netscape_file_gives_its_cookies() -> None:
    parsed = parse_state(NETSCAPE.encode())
    assert parsed.format is StateFormat.NETSCAPE
    first, second = parsed.state.cookies
    assert (first.domain, first.http_only, first.secure, first.expires, first.value) == (
        ".shop.example",
        True,
        True,
        1999999999,
        "abc=d",
    )
    assert (second.domain, second.path, second.expires, second.value) == ("shop.example", "/cart", -1, "")


def test_export_of_an_extension_gives_its_cookies() -> None:
    entry = {
        "domain": "shop.example",
        "hostOnly": False,
        "expirationDate": 1999999999.5,
        "name": "sid",
        "value": "x",
        "path": "/",
        "sameSite": "no_restriction",
        "secure": True,
        "httpOnly": True,
        "session": False,
        "storeId": "0",
        "partitionKey": {"topLevelSite": "https://other.example", "hasCrossSiteAncestor": True},
    }
    [cookie] = parse_state(json.dumps([entry]).encode()).state.cookies
    assert (cookie.domain, cookie.same_site, cookie.partition_key) == (".shop.example", "None", "https://other.example")
    [same] = parse_state(json.dumps({"cookies": [entry]}).encode()).state.cookies
    assert same == cookie


@pytest.mark.parametrize(
    ("fields", "same_site"),
    [
        ({}, None),
        ({"sameSite": None}, None),
        ({"sameSite": "unspecified"}, None),
        ({"sameSite": "no_restriction"}, None),
        ({"sameSite": "None", "secure": False}, None),
        ({"sameSite": "None", "secure": True}, "None"),
        ({"sameSite": "Lax"}, "Lax"),
    ],
    ids=["absent", "null", "unspecified", "insecure", "of Firefox", "secure", "lax"],
)
def test_cookie_is_for_all_sites_only_where_its_entry_says_so(fields: dict[str, object], same_site: str | None) -> None:
    entry = {"name": "sid", "value": "x", "domain": "shop.example", **fields}
    [cookie] = parse_state(json.dumps([entry]).encode()).state.cookies
    assert cookie.same_site == same_site


@pytest.mark.parametrize(
    "command",
    [
        "curl 'https://shop.example/a?b=c' -H 'accept: */*' -b 'sid=a b; t=1=2' --compressed",
        "curl --url https://shop.example/ \\\n  -H 'Cookie: sid=a b; t=1=2'",
        "curl $'https://shop.example/' --cookie=$'sid=a\\u0020b; t=1=2' -X POST --data-raw 'u=http://evil.example/'",
        'curl ^"https://shop.example/^" ^\r\n  -b ^"sid=a b; t=1=2^"',
    ],
    ids=["bash", "header", "ansi", "cmd"],
)
def test_curl_command_gives_the_cookies_of_its_host(command: str) -> None:
    parsed = parse_state(command.encode())
    assert parsed.format is StateFormat.CURL
    assert [(each.name, each.value, each.domain, each.secure) for each in parsed.state.cookies] == [
        ("sid", "a b", "shop.example", True),
        ("t", "1=2", "shop.example", True),
    ]


def test_authorization_header_of_a_curl_command_is_reported() -> None:
    parsed = parse_state(b"curl https://shop.example -b a=1 -H 'Authorization: Bearer k3y'")
    assert "Authorization" in parsed.omitted[0]
    assert "k3y" not in parsed.omitted[0]


WHOLE = json.dumps({"cookies": [{"name": "sid", "value": "s3cret", "domain": "a.example"}], "origins": []})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"hello", "in no form that is known"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (WHOLE[:40].encode(), "ends in the middle"),
        (b'{"a": 1}', "without cookies and origins"),
        (b'{"cookies": [{"name": "sid", "value": 4, "domain": "a.example"}]}', "$.cookies[0].value"),
        (b'{"cookies": [{"name": "sid", "value": "s3cret", "domain": "a/b"}]}', "has no host"),
        (b'{"cookies": [{"name": "sid", "value": "s3cret\\u0000", "domain": "a.b"}]}', "control character"),
        (b'{"cookies": [{"name": "s", "value": "s3cret", "domain": "a.b", "sameSite": "s3cret"}]}', "sameSite"),
        (b'{"origins": [{"origin": "file:///etc"}]}', "not an http or https origin"),
        (b'[{"name": "sid", "domain": "a.example"}]', "has no text as its value"),
        (b"[3]", "entry 0"),
        (b"# Netscape HTTP Cookie File\na\tb", "line 2"),
        (b"# Netscape HTTP Cookie File\na.b\tTRUE\t/\tTRUE\tsoon\tsid\ts3cret", "line 2"),
        (b"curl -b 'sid=s3cret", "does not end"),
        (b"curl -b cookies.txt https://a.example", "names a cookie file"),
        (b"curl https://a.example", "sends no cookies"),
        (b"curl -b a=b", "has no URL"),
        (b'{"cookies": ' + b"[" * 100_000, "not complete JSON"),
        (b"[" + b" " * (12 * 2**20), "the limit is 12"),
    ],
)
def test_what_is_no_state_is_one_clear_error_without_values(data: bytes, says: str) -> None:
    with pytest.raises(StateInvalidError, match=says.replace("$", r"\$").replace("[", r"\[")) as raised:
        parse_state(data)
    assert "s3cret" not in str(raised.value)


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_a_state_or_one_error(data: bytes) -> None:
    with suppress(StateInvalidError):
        parse_state(data)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["cookies", "origins", "name", "value", "domain", "expires", "origin", "opfs"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_state_or_one_error(content: object) -> None:
    with suppress(StateInvalidError):
        parse_state(json.dumps(content).encode())


@given(st.text(max_size=60))
def test_any_curl_command_is_cookies_or_one_error(rest: str) -> None:
    with suppress(StateInvalidError):
        parse_state(f"curl {rest}".encode("utf-8", "replace"))


def test_state_keeps_every_field_as_playwright_writes_it() -> None:
    text = {
        "cookies": [
            {
                "name": "sid",
                "value": "x",
                "domain": "a.example",
                "path": "/",
                "expires": -1,
                "httpOnly": True,
                "secure": True,
                "sameSite": "None",
                "partitionKey": "https://b.example",
                "_crHasCrossSiteAncestor": True,
            }
        ],
        "origins": [
            {
                "origin": "https://a.example",
                "localStorage": [{"name": "k", "value": "v"}],
                "indexedDB": [
                    {
                        "name": "d",
                        "version": 2,
                        "stores": [
                            {
                                "name": "s",
                                "records": [{"key": 1, "valueEncoded": {"d": "2026-01-01T00:00:00.000Z"}}],
                                "indexes": [{"name": "i", "keyPath": "p", "multiEntry": True, "unique": True}],
                                "autoIncrement": True,
                            }
                        ],
                    }
                ],
            }
        ],
    }
    assert json.loads(parse_state(json.dumps(text).encode()).state.to_json()) == text


def test_values_are_not_in_the_repr_of_a_state() -> None:
    state = parse_state(WHOLE.encode()).state
    assert "s3cret" not in f"{state!r}{state.cookies!r}{state.cookies[0]}"


@pytest.mark.parametrize(
    ("domain", "origin", "fits"),
    [
        ("shop.example", "https://shop.example", True),
        (".example", "https://shop.example", True),
        ("example", "https://shop.example", False),
        ("a.shop.example", "https://shop.example", False),
        ("notshop.example", "https://shop.example", False),
        ("a.shop.example", "https://*.shop.example", True),
        (".shop.example", "https://*.shop.example", True),
        ("shop.example", "https://*.shop.example", False),
        ("127.0.0.1", "http://127.0.0.1:8000", True),
    ],
)
def test_cookie_is_foreign_unless_it_goes_to_an_allowed_origin(domain: str, origin: str, fits: bool) -> None:
    state = BrowserState([Cookie(name="a", value="s3cret", domain=domain)])
    origins = (Origin.parse(origin),)
    assert bool(split_state(state, origins)[0].cookies) is fits
    if not fits:
        with pytest.raises(StateOriginRefusedError, match="nothing was taken") as raised:
            refuse_foreign(state, origins)
        assert domain in str(raised.value)
        assert "s3cret" not in str(raised.value)


def test_storage_is_foreign_by_scheme_and_port() -> None:
    state = BrowserState([], [OriginStorage("https://a.example:8443"), OriginStorage("https://a.example")])
    mine, rest = split_state(state, (Origin.parse("https://a.example:8443"),))
    assert [each.origin for each in mine.origins] == ["https://a.example:8443"]
    assert [each.origin for each in rest.origins] == ["https://a.example"]
