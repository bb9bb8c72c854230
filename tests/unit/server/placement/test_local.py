"""Slots and ids of one process."""

from __future__ import annotations

import base64
from pathlib import Path

import grpc
import pytest

from perception.client import RemoteError, aconnect
from perception.errors import (
    BadInputError,
    SessionIdForgedError,
    SessionLimitError,
    SessionLostError,
    ShuttingDownError,
    UnknownSessionError,
)
from perception.server.app import Service
from perception.server.auth.session_ids import ClusterKey, SessionId, read_session_id, worker_number
from perception.server.placement.local import LocalPlacement
from perception.server.settings import Settings


def write_keys(path: Path, *secrets: bytes) -> Path:
    path.write_text("".join(base64.b64encode(each).decode() + "\n" for each in secrets))
    path.chmod(0o600)
    return path


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return write_keys(tmp_path / "session.keys", b"k" * 32)


def placement(keys: Path | None = None, slots: int = 2, name: str = "w1") -> LocalPlacement:
    return LocalPlacement.of(Settings(session_keys=keys, max_sessions=slots, worker_name=name))


def test_slots_are_taken_and_given_back() -> None:
    local = placement(slots=2)
    first, second = local.claim(), local.claim()
    assert (first.number, second.number) == (0, 1)
    with pytest.raises(SessionLimitError, match="all 2 sessions are in use"):
        local.claim()
    local.release(first)
    local.release(first)
    assert local.taken == 1
    third = local.claim()
    assert third.number == 0
    assert third.session_id != first.session_id


def test_without_keys_ids_are_random_and_nothing_is_forged() -> None:
    local = placement()
    assert len(local.claim().session_id) == 16
    with pytest.raises(UnknownSessionError):
        local.locate("s" + "A" * 28)


def test_a_signed_id_says_worker_epoch_and_slot(keys: Path) -> None:
    local = placement(keys)
    local.claim()
    slot = local.claim()
    said = read_session_id(slot.session_id, (ClusterKey(b"k" * 32),))
    assert said == SessionId(worker_number("w1"), local.epoch, 1, 2)
    assert local.locate(slot.session_id) == slot


def test_an_id_of_another_worker_or_epoch_is_lost(keys: Path) -> None:
    theirs = placement(keys, name="w2").claim().session_id
    before = placement(keys).claim().session_id
    for session_id in (theirs, before):
        with pytest.raises(SessionLostError, match="gone, or was restarted"):
            placement(keys).locate(session_id)


def test_a_forged_id_is_refused_and_a_closed_one_unknown(keys: Path) -> None:
    local = placement(keys)
    slot = local.claim()
    forged = slot.session_id[:-1] + ("A" if slot.session_id[-1] != "A" else "B")
    with pytest.raises(SessionIdForgedError, match="character by character"):
        local.locate(forged)
    local.release(slot)
    for unknown in (slot.session_id, "s1", ""):
        with pytest.raises(UnknownSessionError):
            local.locate(unknown)


def test_keys_rotate_while_sessions_live(keys: Path) -> None:
    local = placement(keys)
    old = local.claim()
    write_keys(keys, b"n" * 32, b"k" * 32)
    new = local.claim()
    said = read_session_id(new.session_id, (ClusterKey(b"n" * 32),))
    assert said is not None
    local.release(old)
    with pytest.raises(UnknownSessionError):  # its key is still accepted
        local.locate(old.session_id)
    write_keys(keys, b"n" * 32)
    with pytest.raises(SessionIdForgedError):
        local.locate(old.session_id)


def test_a_draining_process_takes_no_sessions_and_keeps_what_it_has() -> None:
    local = placement()
    slot = local.claim()
    local.drain()
    with pytest.raises(ShuttingDownError):
        local.claim()
    assert local.locate(slot.session_id) == slot


def test_keys_that_others_can_read_are_refused(keys: Path) -> None:
    keys.chmod(0o644)
    with pytest.raises(BadInputError, match="the session keys can be read by other users"):
        placement(keys)


async def test_a_service_with_keys_tells_forged_lost_and_unknown_ids_apart(keys: Path, tmp_path: Path) -> None:
    before = placement(keys).claim().session_id
    service = Service(Settings(address=f"unix:{tmp_path}/s", session_keys=keys, data_dir=tmp_path))
    await service.start()
    client = await aconnect(f"unix:{tmp_path}/s")
    forged = before[:5] + ("A" if before[5] != "A" else "B") + before[6:]
    expected = {
        forged: (grpc.StatusCode.UNAUTHENTICATED, "SESSION_ID_FORGED"),
        before: (grpc.StatusCode.ABORTED, "SESSION_LOST"),
        "s1": (grpc.StatusCode.NOT_FOUND, "UNKNOWN_SESSION"),
    }
    for session_id, told in expected.items():
        with pytest.raises(RemoteError) as caught:
            await client.attach(session_id)
        assert (caught.value.code, caught.value.reason) == told
        assert caught.value.session == session_id
    await client.close()
    await service.stop()
