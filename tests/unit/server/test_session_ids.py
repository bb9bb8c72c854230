"""Signed session ids: what they say, and that nobody else can make them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.errors import BadInputError
from perception.server.auth.session_ids import (
    ClusterKey,
    SessionId,
    looks_signed,
    parse_keys,
    read_session_id,
    worker_number,
    write_session_id,
)

KEY, OTHER = ClusterKey(b"k" * 32), ClusterKey(b"o" * 32)
SAID = SessionId(worker=worker_number("a:1"), epoch=2**32 - 1, slot=3, serial=4)


def line(secret: bytes) -> str:
    return base64.b64encode(secret).decode()


@given(
    st.builds(
        SessionId,
        worker=st.integers(0, 2**32 - 1),
        epoch=st.integers(0, 2**32 - 1),
        slot=st.integers(0, 2**16 - 1),
        serial=st.integers(0, 2**24 - 1),
    )
)
def test_an_id_says_what_was_written(said: SessionId) -> None:
    text = write_session_id(said, KEY)
    assert read_session_id(text, (OTHER, KEY)) == said
    assert text.isascii()
    assert len(text) == 29
    assert text[0].isalpha()


@given(st.integers(0, 28), st.characters(codec="ascii"))
def test_no_character_can_be_changed(place: int, character: str) -> None:
    text = write_session_id(SAID, KEY)
    changed = text[:place] + character + text[place + 1 :]
    if changed != text:
        assert read_session_id(changed, (KEY,)) is None


@pytest.mark.parametrize("text", ["", "s", "s1", "x" * 29, "s" + "=" * 28, "s" + "é" * 28, "a" * 4000])
def test_other_texts_are_no_signed_ids(text: str) -> None:
    assert read_session_id(text, (KEY,)) is None
    assert not looks_signed(text)


def test_a_key_that_is_gone_signs_nothing() -> None:
    text = write_session_id(SAID, KEY)
    assert looks_signed(text)
    assert read_session_id(text, (OTHER,)) is None


def test_a_mac_of_callers_is_none_of_ids() -> None:
    assert KEY.ids != KEY.callers


def test_the_first_key_of_a_file_signs_and_all_are_accepted() -> None:
    keys = parse_keys(f"# new\n{line(OTHER.secret)}\n\n{line(KEY.secret)}\n".encode())
    assert keys == (OTHER, KEY)
    assert read_session_id(write_session_id(SAID, KEY), keys) == SAID


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "are 0 lines"),
        ("# only words", "are 0 lines"),
        (line(b"short"), "line 1 of the session keys is not a key"),
        (f"{line(b'k' * 32)}\nnonsense!", "line 2 of the session keys is not a key"),
        ("\n".join([line(b"k" * 32)] * 9), "are 9 lines"),
        ("\xff\xfe", "line 1 of the session keys is not a key"),
    ],
)
def test_a_bad_key_file_is_explained(text: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        parse_keys(text.encode("latin-1"))


def test_a_key_is_not_shown() -> None:
    assert "kkk" not in repr(KEY)
