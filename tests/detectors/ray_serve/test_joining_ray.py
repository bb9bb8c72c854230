"""Which clusters are joined, with heads of our own in place of Ray's. Needs no Ray."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import psutil
import pytest

from perception.deadline import Deadline
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.ray_serve import plugin
from perception.detectors.ray_serve.joining import CHECK, Cluster, RayUnavailableError, find_address, try_cluster
from perception.detectors.registry import Registry
from perception.errors import BadInputError, UnknownDetectorError

Head = Callable[..., str]


@pytest.fixture
def head() -> Iterator[Head]:
    """Starts a head that asks for a token, if one is given, and returns its address."""
    servers = []

    def start(token: str = "", host: str = "127.0.0.1") -> str:
        def check(_: bytes, context: Any) -> bytes:
            if token and dict(context.invocation_metadata()).get("authorization") != f"Bearer {token}":
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "InvalidAuthToken")
            return b""

        service, _, method = CHECK[1:].partition("/")
        server = grpc.server(ThreadPoolExecutor(2))
        handlers = {method: grpc.unary_unary_rpc_method_handler(check)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
        port = server.add_insecure_port(f"{host}:0")
        server.start()
        servers.append(server)
        return f"{host}:{port}"

    yield start
    for server in servers:
        server.stop(None).wait()


def test_the_token_of_the_environment_opens_a_cluster(head: Head) -> None:
    address = head("secret")
    assert try_cluster(address, {"RAY_AUTH_TOKEN": "secret"}) == Cluster(address, token_auth=True)


def test_the_token_of_a_file_opens_a_cluster(head: Head, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    address = head("secret")
    assert try_cluster(address, {"RAY_AUTH_TOKEN_PATH": str(tmp_path / "token")}).token_auth


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        pytest.param({"RAY_AUTH_TOKEN": "other"}, "refuses the token of this process", id="wrong"),
        pytest.param({"RAY_AUTH_TOKEN_PATH": "/nosuch"}, "asks for a token, and there is none here", id="none"),
    ],
)
def test_a_cluster_with_another_token_is_refused(head: Head, environment: dict[str, str], said: str) -> None:
    with pytest.raises(RayUnavailableError, match=said) as caught:
        try_cluster(head("secret"), environment)
    assert "other" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_cluster_without_tokens_is_joined_on_loopback_only(head: Head) -> None:
    address = head()
    assert try_cluster(address, {}) == Cluster(address, token_auth=False)
    outside = [
        each.address
        for addresses in psutil.net_if_addrs().values()
        for each in addresses
        if each.family == socket.AF_INET and not each.address.startswith("127.")
    ]
    if not outside:
        pytest.skip("this machine has no address but loopback")
    with pytest.raises(RayUnavailableError, match="asks for no token, so that everybody who reaches it"):
        try_cluster(head(host=outside[0]), {})


def test_nothing_there_is_said_within_the_time_limit() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(RayUnavailableError, match=rf"no Ray answers at {address} \(UNAVAILABLE\)"):
            try_cluster(address, {})


@pytest.mark.parametrize(
    ("asked", "environment", "found"),
    [
        pytest.param("10.0.0.1:6379", {"RAY_ADDRESS": "10.0.0.2:1"}, "10.0.0.1:6379", id="asked"),
        pytest.param("", {"PERCEPTION_RAY_ADDRESS": "h:1", "RAY_ADDRESS": "10.0.0.2:1"}, "h:1", id="ours"),
        pytest.param("auto", {"RAY_ADDRESS": "[::1]:2"}, "[::1]:2", id="rays"),
    ],
)
def test_the_address_is_what_was_asked_for_first(asked: str, environment: dict[str, str], found: str) -> None:
    assert find_address(asked, environment) == found


def test_the_cluster_of_this_machine_is_found(tmp_path: Path) -> None:
    with pytest.raises(RayUnavailableError, match="no Ray cluster runs on this machine"):
        find_address("", {"RAY_TMPDIR": str(tmp_path)})
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray/ray_current_cluster").write_text("127.0.0.2:99")
    assert find_address("auto", {"RAY_TMPDIR": str(tmp_path)}) == "127.0.0.2:99"


@pytest.mark.parametrize("address", ["ray", "ray://h:1", "h:", "h:0", "h:65536", ":1"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(BadInputError, match="is no address of a Ray cluster"):
        find_address(address, {})


def test_a_name_on_ray_says_what_the_detector_of_this_machine_finds() -> None:
    registry = Registry.load()
    here, on_ray = registry.describe("ppocr").info, registry.describe("ray:ppocr").info
    assert (on_ray.name, on_ray.kinds, on_ray.at_css_scale) == ("ray:ppocr", here.kinds, here.at_css_scale)
    assert (on_ray.default_enabled, here.default_enabled) == (False, True)
    assert "ray:ppocr" not in registry.names()
    assert registry.describe_all(["ray:ppocr", "ray:nosuch", "ppocr"])[-1].info.name == "ray:ppocr"


@pytest.mark.parametrize("name", ["ray:nosuch", "ray:", "ray:ray:ppocr"])
def test_an_unknown_name_on_ray_is_refused(name: str) -> None:
    with pytest.raises(UnknownDetectorError, match="no detector is called"):
        Registry.load().get(name)


async def test_without_ray_a_look_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "find_spec", lambda _: None)
    pool = DetectorPool(Registry.load())
    image = np.zeros((4, 4, 3), np.uint8)
    run = await pool.detect(["ray:ppocr"], [image], Deadline.of(5), CropCache(), reserve_s=0)
    (skipped,) = run.skipped
    assert skipped.name == "ray:ppocr"
    assert skipped.reason == (
        "detector ray:ppocr cannot be used here: Ray is not installed: pip install 'perception-service[ray]'"
    )
    pool.close()
