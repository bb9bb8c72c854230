"""Who is let in, by every rpc of the contract, and whose sessions they see. Nothing here is listed by hand."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from prometheus_client import REGISTRY

from perception.bench.suites.auth.run import (
    MINE,
    OTHERS,
    RpcAnswer,
    ServiceMethod,
    call,
    headers_of,
    measure,
    should_be,
)
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect, connect
from perception.server.app import SERVICES, Service
from perception.server.auth.rights import Right, right_of
from perception.server.contract import rules_of
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub
from tests.support.lent_browser import borrowing

VIEWER, DRIVER = "mine, view", "mine, control"
TOKENS = {kind: secrets.token_urlsafe(32) for kind in (MINE, OTHERS, VIEWER, DRIVER)}
LINES = (
    f"# who\nme {TOKENS[MINE]}\n\nother {TOKENS[OTHERS]}\nme {TOKENS[VIEWER]} view\nme {TOKENS[DRIVER]} view,control\n"
)


def write_tokens(path: Path, text: str) -> Path:
    path.touch(0o600)
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
async def address(service: Service, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """A service on loopback that wants tokens."""
    folder = tmp_path_factory.mktemp("auth")
    path = write_tokens(folder / "tokens", LINES)
    settings = Settings(address="127.0.0.1:0", token_file=path, data_dir=folder / "data", max_sessions=6)
    async with borrowing(service, settings) as (_, port):
        yield f"127.0.0.1:{port}"


@pytest.fixture(scope="module")
async def answers(address: str) -> list[tuple[ServiceMethod, dict[str, RpcAnswer]]]:
    return await asyncio.to_thread(measure, address, TOKENS)


@pytest.fixture(scope="module")
async def mine(address: str) -> AsyncIterator[AsyncClient]:
    client = await aconnect(address, token=TOKENS[MINE], timeout_s=30)
    yield client
    await client.close()


@pytest.fixture(scope="module")
async def others(address: str) -> AsyncIterator[AsyncClient]:
    client = await aconnect(address, token=TOKENS[OTHERS], timeout_s=30)
    yield client
    await client.close()


@pytest.fixture(scope="module")
async def page(mine: AsyncClient) -> AsyncPage:
    """A session of the first caller, that no test changes."""
    return await mine.open()


def failures(reason: str) -> float:
    return REGISTRY.get_sample_value("perception_auth_failed_total", {"reason": reason}) or 0.0


async def test_every_rpc_answers_each_credential_as_it_should(
    answers: list[tuple[ServiceMethod, dict[str, RpcAnswer]]],
) -> None:
    asked = {rpc.descriptor.containing_service.full_name for rpc, _ in answers}
    assert asked >= {*SERVICES, "grpc.health.v1.Health", "grpc.channelz.v1.Channelz"}
    assert any(rpc.descriptor.client_streaming for rpc, _ in answers)
    wrong = [
        (rpc.path, kind, answer)
        for rpc, by_kind in answers
        for kind, answer in by_kind.items()
        if not should_be(rpc, kind, answer)
    ]
    assert not wrong


async def test_refusals_do_not_reveal_what_was_wrong(
    answers: list[tuple[ServiceMethod, dict[str, RpcAnswer]]],
) -> None:
    told = {
        answer.message
        for rpc, by_kind in answers
        for kind, answer in by_kind.items()
        if kind not in (MINE, OTHERS) and not rpc.is_open
    }
    assert len(told) == 1
    assert not any(token in message for message in told for token in TOKENS.values())


@pytest.mark.parametrize(("kind", "right"), [(VIEWER, Right.VIEW), (DRIVER, Right.CONTROL)])
async def test_a_token_may_call_what_its_rights_say(
    address: str,
    mine: AsyncClient,
    answers: list[tuple[ServiceMethod, dict[str, RpcAnswer]]],
    kind: str,
    right: Right,
) -> None:
    page = await mine.open()
    header = (("authorization", f"Bearer {TOKENS[kind]}"),)
    own = [rpc for rpc, _ in answers if rpc.path.startswith("/perception.")]

    def ask() -> dict[str, str]:
        with grpc.insecure_channel(address) as channel:
            return {rpc.descriptor.name: call(channel, rpc, header, page.session_id).reason for rpc in own}

    refused = {name for name, reason in (await asyncio.to_thread(ask)).items() if reason == "RIGHT_MISSING"}
    assert refused == {rpc.descriptor.name for rpc in own if right_of(rules_of(rpc.path)) > right}
    await page.close()


async def test_a_person_needs_the_lease_of_the_session_for_more_than_input(address: str, page: AsyncPage) -> None:
    driver = await aconnect(address, token=TOKENS[DRIVER], timeout_s=30)
    driven = await driver.attach(page.session_id)
    with pytest.raises(RemoteError) as caught:
        await driven.navigate("about:blank")
    assert caught.value.reason == "RIGHT_MISSING"
    assert "only watch and drive as a person: Navigate needs the right 'all', or the lease" in str(caught.value)
    async with driven.take_control() as person:
        assert (await person.page.navigate("about:blank")).url == "about:blank"
        with pytest.raises(RemoteError) as caught:
            await person.page.click("body")
        assert caught.value.reason == "RIGHT_MISSING"
    with pytest.raises(RemoteError) as caught:
        await person.page.navigate("about:blank")
    assert caught.value.reason == "LEASE_EXPIRED"
    await driver.close()


async def test_sessions_of_others_are_as_if_they_did_not_exist(
    address: str, page: AsyncPage, answers: list[tuple[ServiceMethod, dict[str, RpcAnswer]]]
) -> None:
    header = headers_of(TOKENS)[OTHERS]
    with_session = [rpc for rpc, _ in answers if rpc.has_session]
    assert with_session

    def ask() -> list[tuple[RpcAnswer, ...]]:
        with grpc.insecure_channel(address) as channel:
            ids = page.session_id, "never-there"
            return [tuple(call(channel, rpc, header, each) for each in ids) for rpc in with_session]

    for of_another, of_nobody in await asyncio.to_thread(ask):
        assert of_another.message == of_nobody.message.replace("never-there", page.session_id)
    await page.snapshot(mode="text")  # it lives on, CloseSession by another notwithstanding


async def test_listing_shows_own_sessions_alone(mine: AsyncClient, others: AsyncClient, page: AsyncPage) -> None:
    request = session_pb.ListSessionsRequest()
    replies = [await client.call(client.sessions.ListSessions, request) for client in (mine, others)]
    assert [page.session_id in {each.session_id for each in reply.sessions} for reply in replies] == [True, False]


async def test_request_ids_of_two_principals_are_two(mine: AsyncClient, others: AsyncClient) -> None:
    request = session_pb.CreateSessionRequest(request_id="same")
    created = [(client, await client.call(client.sessions.CreateSession, request)) for client in (mine, others, mine)]
    ids = [reply.session.session_id for _, reply in created]
    assert ids[0] == ids[2] != ids[1]
    for client, reply in created[:2]:
        close = session_pb.CloseSessionRequest(session_id=reply.session.session_id)
        await client.call(client.sessions.CloseSession, close)


async def test_recordings_of_others_cannot_be_used(mine: AsyncClient, others: AsyncClient, page: AsyncPage) -> None:
    stubs = [SubroutineServiceStub(client.channel) for client in (mine, others)]
    started = await stubs[0].StartRecording(subroutine_pb.StartRecordingRequest(session_id=page.session_id), timeout=30)
    stop = subroutine_pb.StopRecordingRequest(session_id=page.session_id, recording_id=started.recording_id)
    await stubs[0].StopRecording(stop, timeout=30)
    reasons = []
    for client, stub in zip((mine, others), stubs, strict=True):
        request = subroutine_pb.CreateSubroutineRequest(recording_ids=[started.recording_id], name="taken")
        with pytest.raises(RemoteError) as caught:
            await client.call(stub.CreateSubroutine, request)
        reasons.append(caught.value.reason)
    assert reasons == ["BAD_INPUT", "UNKNOWN_RECORDING"]  # mine is found, and began nowhere


async def test_failed_tries_are_counted(address: str) -> None:
    before = failures("missing"), failures("wrong")
    for token in ("", secrets.token_urlsafe(32)):
        client = await aconnect(address, token=token)
        with pytest.raises(RemoteError) as caught:
            await client.open()
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
        await client.close()
    assert (failures("missing"), failures("wrong")) == (before[0] + 1, before[1] + 1)


async def test_tokens_are_rotated_without_a_restart(service: Service, tmp_path: Path) -> None:
    old, new = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    path = write_tokens(tmp_path / "tokens", f"me {old}\n")
    address = f"unix:{tmp_path / 'socket'}"

    async def is_let_in(token: str) -> bool:
        client = await aconnect(address, token=token)
        try:
            await client.call(client.sessions.ListSessions, session_pb.ListSessionsRequest())
        except RemoteError as exc:
            if exc.reason != "UNAUTHENTICATED":
                raise
            return False
        finally:
            await client.close()
        return True

    async with borrowing(service, Settings(address=address, token_file=path, data_dir=tmp_path)):
        assert [await is_let_in(each) for each in (old, new)] == [True, False]
        path.write_text(f"me {old}\nme {new}\n")
        assert [await is_let_in(each) for each in (old, new)] == [True, True]
        path.write_text(f"me {new}\n")
        assert [await is_let_in(each) for each in (old, new)] == [False, True]
        path.write_text("me short\n")  # a mistake locks nobody out
        assert [await is_let_in(each) for each in (old, new)] == [False, True]
        path.write_text(f"me {old}\n")
        path.chmod(0o644)  # nor does it let anybody in
        assert [await is_let_in(each) for each in (old, new)] == [False, True]


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "own"
    path.write_text(f"# mine\n{TOKENS[MINE]}\n")
    return path


async def test_token_from_a_file_is_shown_by_both_clients(address: str, token_file: Path) -> None:
    request = session_pb.ListSessionsRequest()

    def ask() -> None:
        with connect(address, token_file=token_file) as client:
            client.call(client.sessions.ListSessions, request)

    await asyncio.to_thread(ask)
    client = await aconnect(address, token_file=token_file)
    await client.call(client.sessions.ListSessions, request)
    await client.close()
