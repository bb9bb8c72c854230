"""What `--placement ray=…` says."""

from __future__ import annotations

import json

import pytest

from perception.errors import BadInputError
from perception.server.placement.members import members_of
from perception.server.placement.ray.address import address_in, is_ray
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
    with pytest.raises(BadInputError, match="names no Ray cluster: write --placement ray=auto") as caught:
        address_in(placement)
    assert "or --placement ray=HOST:PORT with the address of its head" in str(caught.value)
    assert caught.value.field == "placement"


def test_lists_of_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCEPTION_ALLOW_HOSTS", "127.0.0.1, *.internal")
    monkeypatch.setenv("PERCEPTION_DETECTORS", "ppocr")
    settings = Settings()
    assert settings.allow_hosts == ("127.0.0.1", "*.internal")
    assert settings.detectors == ("ppocr",)
    assert json.loads(settings.model_dump_json(include={"telemetry_hosts"})) == {"telemetry_hosts": []}
