"""What a machine may lack, and the line that says so."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from perception.server import doctor
from perception.server.fitness import Finding, Level
from perception.server.settings import Settings


def _by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {each.name: each for each in findings}


async def test_what_is_broken_here_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a test can break of this machine at once."""
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho 'No usable sandbox!' >&2\nexit 1\n")
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == program.stat().st_uid:
            folder.chmod(folder.stat().st_mode | 0o755)
    program.chmod(0o755)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("PATH", str(tmp_path))  # no fc-list
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        settings = Settings(address=address, browser_path=program, detectors=("onnx", "nobody"), data_dir="/proc/x")
        found = _by_name(await doctor.check_machine(settings))
    failed = {name for name, each in found.items() if each.level is Level.FAIL}
    assert failed == {"recordings", "address", "detector onnx", "detector nobody", "browser"}
    assert "Address already in use" in found["address"].detail
    assert "sandbox does not work" in found["browser"].detail
    assert "PERCEPTION_ONNX_DETECTOR" in found["detector onnx"].fix
    assert found["proxies"].level is Level.WARN
    assert "fontconfig" in found["fonts"].fix


async def test_a_service_that_answers_already_is_no_fault(service: Any) -> None:
    finding = await asyncio.to_thread(doctor.look_at_address, service.context.settings.address)
    assert finding.level is Level.OK
    assert "answers" in finding.detail


async def test_a_machine_that_is_too_slow_is_named_and_the_command_ends() -> None:
    """Not even the browser's driver starts in so little time; what was begun is ended."""
    environment = os.environ | {"PERCEPTION_DEFAULT_DEADLINE_S": "0.05"}
    command = [sys.executable, "-m", "perception", "doctor", "--format", "json"]
    ended = await asyncio.to_thread(
        subprocess.run, command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 1, ended.stderr
    late = [each for each in json.loads(ended.stdout)["findings"] if "within 0.05 s" in each["detail"]]
    assert [each["name"] for each in late] == ["detector controls", "detector icons", "detector ppocr", "browser"]
    for each in late:
        assert "programs that want a processor" in each["detail"]
        assert "PERCEPTION_DEFAULT_DEADLINE_S=120" in each["fix"]
