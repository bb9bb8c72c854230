"""Secrets: masked wherever they stand, and nothing else is."""

from __future__ import annotations

import doctest
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.subroutines import answers, hosts, infer, masking, recipe, stored
from perception.subroutines.bodies import Sent, read_body
from perception.subroutines.masking import SECRET, RecordingMasker, given_in, sounds_secret, token_in

TOKEN = "t0ken-4f9a8b7c6d5e"


@pytest.mark.parametrize("module", [answers, hosts, infer, masking, recipe, stored], ids=lambda module: module.__name__)
def test_examples_in_docstrings_hold(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


SECRET_NAMES = (
    "Authorization X-CSRFToken csrfmiddlewaretoken accessToken api_key apiKey password passwd sessionid client_secret "
    "X-Signature nonce otp sid authenticity_token __RequestVerificationToken refresh-token"
).split()


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_name_of_a_secret_sounds_secret(name: str) -> None:
    assert sounds_secret(name)


@pytest.mark.parametrize(
    "name", ["keyboard", "author", "description", "max_tokens", "token_type", "design", "assign", "pinned", ""]
)
def test_name_that_only_looks_similar_does_not(name: str) -> None:
    assert not sounds_secret(name)


def vault() -> RecordingMasker:
    made = RecordingMasker()
    made.give("#pw", "geheim123", "password")
    assert made.keep_token("meta", "csrf-token", TOKEN)
    return made


PLACES = [
    pytest.param(lambda v: v.mask_value("x", "geheim123"), "«given:password»", id="value"),
    pytest.param(lambda v: v.mask_value("X-Any", TOKEN), "«token:meta:csrf-token»", id="token-by-value"),
    pytest.param(lambda v: v.mask_value("Authorization", "Bearer abc"), SECRET, id="by-name"),
    pytest.param(lambda v: v.mask_value("usable_password", "true"), "true", id="a-switch-is-none"),
    pytest.param(lambda v: v.mask_text("pw=geheim123!"), "pw=«given:password»!", id="in-text"),
    pytest.param(lambda v: v.mask_text(b64encode(b"ana:geheim123!").decode()), f"YW5hO{SECRET}E=", id="in-base64"),
    pytest.param(
        lambda v: v.mask_url("https://a.org/%67eheim123/x?k=Z2VoZWltMTIz#Z2VoZWltMTIz"),
        f"https://a.org/{SECRET}/x?k={SECRET}#{SECRET}",
        id="in-an-address-in-base64",
    ),
    pytest.param(lambda v: v.mask_text("?k=%2567eheim123"), f"?k={SECRET}", id="escaped-twice"),
    pytest.param(
        lambda v: v.mask_json({"a": [{"pw": "geheim123"}]}), {"a": [{"pw": "«given:password»"}]}, id="in-json"
    ),
    pytest.param(lambda v: v.mask_json({"access_token": 42}), {"access_token": SECRET}, id="number-by-key"),
    pytest.param(
        lambda v: v.mask_url(f"https://u:p@a.org/x?k={TOKEN}#frag"),
        "https://a.org/x?k=«token:meta:csrf-token»#frag",
        id="url",
    ),
    pytest.param(
        lambda v: v.mask_url("https://a.org/#a b=%41&c"), "https://a.org/#a b=%41&c", id="fragment-as-written"
    ),
    pytest.param(
        lambda v: v.mask_url("https://a.org/#/x?access_token=1f2&page=2"),
        "https://a.org/#/x?access_token=«secret»&page=2",
        id="fragment-with-a-token",
    ),
    pytest.param(
        lambda v: v.mask_url("https://a.org/#code=4f0aX4Xf&tab=1"),
        "https://a.org/#code=«secret»&tab=1",
        id="fragment-of-a-login",
    ),
]


@pytest.mark.parametrize(("mask", "masked"), PLACES)
def test_secret_is_masked(mask: Any, masked: Any) -> None:
    assert mask(vault()) == masked


def test_password_confirmation_field_has_its_mask() -> None:
    made = vault()
    assert made.give("#again", "geheim123", "password2") == "«given:password»"
    assert made.give("#other", "another", "password3") == "«given:password3»"


def test_what_was_typed_on_the_way_is_not_taken_for_a_secret() -> None:
    made = RecordingMasker()
    for end in range(1, 7):
        made.give("#pw", "banana"[:end], "password")
    assert made.mask_text("a bana split") == "a bana split"


def test_words_that_a_page_holds_are_no_tokens() -> None:
    made = RecordingMasker()
    assert not made.keep_token("attribute", "data-theme", "dark-mode")
    assert made.mask_value("theme", "dark-mode") == "dark-mode"


def test_masks_name_what_they_replace() -> None:
    assert token_in("«token:input:csrf»") == ("input", "csrf")
    assert token_in("«token:decoded cookie:XSRF-TOKEN»") == ("decoded cookie", "XSRF-TOKEN")
    assert given_in("«given:password»") == "password"
    assert token_in("a «token:input:csrf»") is None
    assert given_in(SECRET) is None


json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.just("geheim123"), st.just(f"x{TOKEN}y")
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=12,
)


@given(json_values)
def test_no_secret_is_left_in_any_json(value: Any) -> None:
    masked = str(vault().mask_json(value))
    assert "geheim123" not in masked
    assert TOKEN not in masked


@given(json_values)
def test_masking_twice_is_masking_once(value: Any) -> None:
    made = vault()
    once = made.mask_json(value)
    assert made.mask_json(once) == once


MULTIPART = (
    '--b1\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n'
    '--b1\r\nContent-Disposition: form-data; name="pw"\r\n\r\ngeheim123\r\n'
    '--b1\r\nContent-Disposition: form-data; name="cv"; filename="cv.txt"\r\n'
    "Content-Type: text/plain\r\n\r\nabc\r\n--b1--\r\n"
)


def test_json_body_is_read_and_masked() -> None:
    body = read_body("application/json", '{"pw":"geheim123","n":1}', True, None, (), vault())
    assert (body.kind, body.json) == ("json", {"pw": "«given:password»", "n": 1})


def test_urlencoded_body_keeps_empty_fields_and_their_order() -> None:
    body = read_body("application/x-www-form-urlencoded", "b=&a=geheim123", True, None, (), vault())
    assert body.fields == (("b", ""), ("a", "«given:password»"))


def test_json_in_a_form_field_is_masked_leaf_by_leaf() -> None:
    body = read_body("application/x-www-form-urlencoded", 'variables={"pw":"geheim123"}', True, None, (), vault())
    assert body.fields == (("variables", '{"pw":"«given:password»"}'),)


def test_multipart_body_reports_its_files_by_name_and_size() -> None:
    body = read_body("multipart/form-data; boundary=b1", MULTIPART, True, None, (), vault())
    assert body.fields == (("title", "Hello"), ("pw", "«given:password»"))
    assert body.files == (("cv", "cv.txt", "text/plain", 3),)


def test_formdata_that_the_patch_saw_needs_no_bytes() -> None:
    sent = Sent(
        "POST", "https://a.org/x", 0.0, "formdata", (("title", "Hi"),), (("cv", "cv.pdf", "application/pdf", 9),)
    )
    body = read_body("multipart/form-data; boundary=b1", "", True, sent, (), vault())
    assert (body.fields, body.files, body.cut) == ((("title", "Hi"),), (("cv", "cv.pdf", "application/pdf", 9),), False)


@pytest.mark.parametrize("kind", ["blob", "bytes", "stream"])
def test_body_of_bytes_is_reported_by_kind_and_size(kind: str) -> None:
    body = read_body("image/png", "", True, Sent("POST", "https://a.org/x", 0.0, kind, size=7), (), vault())
    assert (body.kind, body.size, body.json) == (kind, 7, None)


def test_body_without_a_report_counts_as_cut() -> None:
    assert read_body("application/json", "", True, None, (), vault()).cut
    assert read_body("", "", False, None, (), vault()).kind == "none"
