"""What an edge makes of its lookout: a scripted one stands in for the process that joins Ray."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from perception.errors import BadInputError
from perception.server.placement.ray import members as ray_members
from perception.server.placement.ray.members import RayMembers
from tests.support.waiting import until

LOOKOUT = """
import json, os, sys, time
folder = sys.argv[1]
count = len(os.listdir(folder))
open(f"{folder}/{count}", "w").write(str(os.getpid()))
print("Ray says something", file=sys.stderr, flush=True)
for line in json.loads(sys.argv[2])[count]:
    print(json.dumps(line), flush=True)
sys.stdin.read()
"""


class Heard(list[tuple[str, ...]]):
    def __call__(self, addresses: Sequence[str]) -> None:
        self.append(tuple(addresses))


def scripted(folder: Path, *scripts: list[dict[str, object]], is_encrypted: bool = True) -> RayMembers:
    """Members whose lookouts print these lines, one script for each start."""
    folder.mkdir()
    members = RayMembers("auto", is_encrypted=is_encrypted)
    members._command = (sys.executable, "-c", LOOKOUT, str(folder), json.dumps(scripts))
    return members


async def test_each_change_is_told_and_silence_changes_nothing(tmp_path: Path) -> None:
    members, heard = scripted(tmp_path / "s", [{"workers": ["a:1"]}, {}, {"workers": ["a:1", "b:2"]}]), Heard()
    await members.start(heard)
    await until(lambda: len(heard) == 2)
    assert heard == [("a:1",), ("a:1", "b:2")]
    await members.close()


async def test_a_cluster_that_cannot_be_joined_ends_the_start(tmp_path: Path) -> None:
    members = scripted(tmp_path / "s", [{"error": "no Ray cluster answers at 10.0.0.5:6379"}])
    with pytest.raises(BadInputError, match=r"no Ray cluster answers at 10\.0\.0\.5:6379"):
        await members.start(Heard())
    await members.close()


async def test_a_lookout_that_ends_is_started_again_and_workers_stay_meanwhile(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    members, heard = scripted(folder, [{"workers": ["a:1"]}, {"error": "gone"}], [{"workers": ["b:2"]}]), Heard()
    await members.start(heard)
    await until(lambda: len(heard) == 2)
    assert heard == [("a:1",), ("b:2",)]
    await members.close()
    assert len(list(folder.iterdir())) == 2


async def test_a_lookout_that_says_nothing_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_members, "SILENT_SECONDS", 0.2)
    members, heard = scripted(tmp_path / "s", [{"workers": ["a:1"]}], [{"workers": ["b:2"]}], [], [], []), Heard()
    await members.start(heard)
    await until(lambda: len(heard) == 2)
    await members.close()


async def test_far_workers_are_not_used_unencrypted(tmp_path: Path) -> None:
    said: list[dict[str, object]] = [{"workers": ["10.0.0.5:1", "127.0.0.3:2"]}]
    members, heard = scripted(tmp_path / "s", said, is_encrypted=False), Heard()
    await members.start(heard)
    assert heard == [("127.0.0.3:2",)]
    await members.close()


async def test_a_lookout_ends_with_its_edge(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    members = scripted(folder, [{"workers": []}])
    await members.start(Heard())
    pid = int((folder / "0").read_text())
    await members.close()
    await until(lambda: not Path(f"/proc/{pid}").exists())
