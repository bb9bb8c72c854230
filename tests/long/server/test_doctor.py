"""What a machine may lack, and the line that says so."""

from __future__ import annotations

import asyncio
import socket
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
