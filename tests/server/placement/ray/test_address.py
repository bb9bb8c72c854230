"""What `--placement ray=…` says, and what becomes of it without a cluster."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from pathlib import Path

import grpc
import pytest

from perception.errors import BadInputError
from perception.server.placement.members import members_of
from perception.server.placement.ray import joining
from perception.server.placement.ray.address import address_in, is_ray, resolve
from perception.server.placement.ray.joining import Head, check_tokens
from perception.server.placement.ray.members import RayMembers
from perception.server.settings import Settings


@pytest.mark.parametrize(
    ("placement", "address"),
    [("ray", "auto"), ("ray=", "auto"), ("ray=auto", "auto"), ("ray=10.0.0.5:6379", "10.0.0.5:6379")],
)
def test_a_placement_on_ray_names_a_cluster(placement: str, address: str) -> None:
    assert is_ray(placement)
    assert address_in(placement) == address
    assert isinstance(members_of(Settings(placement=placement)), RayMembers)


@pytest.mark.parametrize("placement", ["ray=ray://10.0.0.5:10001", "ray=10.0.0.5", "ray=host:port", "ray=:6379"])
def test_what_is_no_address_of_a_head_is_refused(placement: str) -> None:
    with pytest.raises(BadInputError, match="names no Ray cluster: write --placement ray=auto"):
        address_in(placement)


def test_auto_is_what_ray_start_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(BadInputError, match="this machine is a node of no Ray cluster: make it one by `ray start"):
        resolve("auto")
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray/ray_current_cluster").write_text("10.0.0.5:6379\n")
    assert resolve("auto") == "10.0.0.5:6379"
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.6:6379")
    assert resolve("auto") == "10.0.0.6:6379"


def test_where_nobody_listens_no_cluster_answers() -> None:
    with pytest.raises(BadInputError, match=r"no Ray cluster answers at 127\.0\.0\.2:9: start its head there"):
        joining.join("127.0.0.2:9")


async def test_another_service_is_no_head() -> None:
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with pytest.raises(BadInputError, match="is another service, no head of a Ray cluster"):
        await asyncio.to_thread(joining.ask_head, f"127.0.0.1:{port}")
    await server.stop(None)


def test_a_cluster_without_tokens_is_refused_where_others_reach_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for each in joining.TOKEN_VARIABLES:
        monkeypatch.delenv(each, raising=False)
    check_tokens("127.0.0.2:6379", Head(asks_for_token=False))
    with pytest.raises(BadInputError, match="has no token authentication: whoever reaches its ports runs programs"):
        check_tokens("10.0.0.5:6379", Head(asks_for_token=False))
    with pytest.raises(BadInputError, match=r"asks for a token, and here is none: copy ~/\.ray/auth_token"):
        check_tokens("10.0.0.5:6379", Head(asks_for_token=True))
    monkeypatch.setenv("RAY_AUTH_TOKEN", "secret")
    check_tokens("10.0.0.5:6379", Head(asks_for_token=True))


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed here")
def test_without_ray_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInputError, match=r"pip install 'perception-service\[ray\]'"):
        joining.import_ray()
    monkeypatch.setattr(joining, "ask_head", lambda _: Head(asks_for_token=False, version="2.60.0"))
    with pytest.raises(BadInputError, match="needs Ray, which is not installed here"):
        joining.join("127.0.0.2:6379")


def test_lists_of_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCEPTION_ALLOW_HOSTS", "127.0.0.1, *.internal")
    monkeypatch.setenv("PERCEPTION_DETECTORS", "ppocr")
    settings = Settings()
    assert settings.allow_hosts == ("127.0.0.1", "*.internal")
    assert settings.detectors == ("ppocr",)
    assert json.loads(settings.model_dump_json(include={"telemetry_hosts"})) == {"telemetry_hosts": []}
