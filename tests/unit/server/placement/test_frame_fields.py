"""Fields of a message that is not decoded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.server.placement.frame_fields import read_fields, read_text
from perception.v1 import file_service_pb2 as file_pb
from perception.v1 import session_service_pb2 as pb


@given(st.text(), st.text(), st.binary(max_size=300), st.none() | st.integers(-(2**63), 2**63 - 1))
def test_the_field_is_what_a_decoder_reads(session_id: str, name: str, data: bytes, size: int | None) -> None:
    message = file_pb.StreamUploadRequest(session_id=session_id, name=name, data=data, size_bytes=size)
    assert read_text(message.SerializeToString(), 1) == session_id
    assert read_text(message.SerializeToString(), 2) == name


@given(st.binary(max_size=200))
def test_bytes_that_no_decoder_reads_are_told_apart_or_passed_over(data: bytes) -> None:
    """Whatever the bytes, nothing is raised; and what a decoder reads, the scan reads alike."""
    found = read_text(data, 1)
    try:
        decoded = pb.GetSessionRequest.FromString(data).session_id
    except Exception:  # each protobuf implementation has its own errors
        return
    assert found == decoded


def test_the_last_of_repeated_fields_counts() -> None:
    twice = (
        pb.GetSessionRequest(session_id="a").SerializeToString()
        + pb.GetSessionRequest(session_id="b").SerializeToString()
    )
    assert pb.GetSessionRequest.FromString(twice).session_id == "b"
    assert read_text(twice, 1) == "b"


def test_a_field_of_a_message_in_it_is_none_of_its_own() -> None:
    inner = pb.CreateSessionResponse(session=pb.Session(session_id="s1")).SerializeToString()
    session = (read_fields(inner, (1,)) or {})[1]
    assert read_text(session, 1) == "s1"


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a\x05ab",
        b"\x0a",
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x00\x01",
        b"\x0f",
        b"\x0b",
        b"\x0c",
        b"\x0b" * 50,
        b"\x09\x01",
        b"\x0a\x02\xff\xfe",
    ],
    ids=[
        "cut",
        "no length",
        "long length",
        "field 0",
        "wire type 7",
        "open group",
        "end alone",
        "deep",
        "fixed",
        "utf8",
    ],
)
def test_what_is_no_message_is_none(data: bytes) -> None:
    assert read_text(data, 1) is None


def test_an_empty_message_has_no_session() -> None:
    assert read_text(b"", 1) == ""
