"""What a person types is in no address and in no header of the requests of that time."""

from __future__ import annotations

from base64 import b64encode

import pytest

from perception.browser.traffic.person_typing import MAX_TYPED, PersonTyping, mask_typed_headers, mask_typed_url


@pytest.fixture
def typing() -> PersonTyping:
    typing = PersonTyping()
    for letter in "ann":
        typing.add(letter)
    typing.end_run()
    for letter in "Open Sesaml":
        typing.add(letter)
    typing.remove_last()
    typing.add("e")
    return typing


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://a.example/login", "https://a.example/login"),
        ("https://a.example/q?q=Op&lang=en&x", "https://a.example/q?q=«typed»&lang=«typed»&«typed»"),
        ("https://a.example/find/Open%20Sesame.json#Open", "https://a.example/find/«typed»#«typed»"),
        ("https://a.example/v1/open%20ses/x", "https://a.example/v1/«typed»/x"),
        ("https://a.example/of-ann-and-bob/", "https://a.example/«typed»/"),
        (f"https://a.example/t/{b64encode(b'ana:Open Sesame').decode()}", "https://a.example/t/«typed»"),
        ("wss://a.example", "wss://a.example"),
        ("https://[::1", "«typed»"),
    ],
)
def test_address_shows_only_what_was_not_typed(typing: PersonTyping, url: str, masked: str) -> None:
    assert mask_typed_url(url, typing) == masked


def test_headers_of_the_browser_are_shown_and_those_of_the_page_are_not(typing: PersonTyping) -> None:
    headers = (("Accept", "*/*"), ("sec-fetch-mode", "cors"), ("X-Query", "Op"), ("Referer", "https://a.example/?q=Op"))
    assert mask_typed_headers(headers, typing) == (
        ("Accept", "*/*"),
        ("sec-fetch-mode", "cors"),
        ("X-Query", "«typed»"),
        ("Referer", "https://a.example/?q=«typed»"),
    )


def test_text_that_is_kept_is_bounded() -> None:
    typing = PersonTyping()
    typing.add("first-of-all")
    typing.end_run()
    typing.add("x" * MAX_TYPED)
    assert (typing.has("first-of-all"), typing.has("xxx")) == (False, True)
