"""The import contracts of pyproject.toml, tried on a small house of the same rooms."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.paths import ROOT

CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
CLEAN = {
    "__init__.py": "def connect():\n    import perception.client",
    "__main__.py": "import perception.cli",
    "bench/__init__.py": "import perception.datasets",
    "bench/mcp_client.py": "import mcp",
    "bench/suites/__init__.py": "",
    "bench/suites/auth/__init__.py": "import grpc, grpc_channelz, grpc_health, grpc_reflection",
    "bench/suites/cluster_faults/__init__.py": "",
    "bench/suites/cluster_faults/ray_nodes.py": "import ray",
    "bench/suites/fuzz/__init__.py": "import grpc",
    "browser/__init__.py": "import playwright, websockets",
    "deadline.py": "import asyncio, time",
    "cli/__init__.py": "import perception.client",
    "client/__init__.py": "import grpc, perception.v1",
    "datasets/__init__.py": "import perception.types",
    "detectors/__init__.py": "import faster_paddle, onnxruntime, paddleocr, paddlex, rapidocr, tesserocr",
    "detectors/ray_serve/__init__.py": "",
    "detectors/ray_serve/client.py": "import ray",
    "detectors/ray_serve/deploy.py": "import ray",
    "detectors/ray_serve/replica.py": "import ray",
    "detectors/ray_serve/serve_cluster.py": "import perception.ray_cluster.joining, ray",
    "engine/__init__.py": "import perception.browser, perception.fusion, perception.types",
    "engine/a.py": "",
    "extract/__init__.py": "",
    "fusion/__init__.py": "import numpy, perception.types",
    "fusion/a.py": "import perception.refs",
    "imaging/__init__.py": "",
    "interaction/__init__.py": "import perception.client",
    "mcp/__init__.py": "import perception.client, perception.tools",
    "mcp/command.py": "import mcp.server",
    "mcp/http.py": "import mcp",
    "mcp/server.py": "import mcp, mcp_types",
    "mcp/stdio.py": "import mcp",
    "ray_cluster/__init__.py": "",
    "ray_cluster/address.py": "",
    "ray_cluster/head.py": "import grpc",
    "ray_cluster/joining.py": "import ray",
    "refs.py": "import perception.types",
    "render/__init__.py": "",
    "search/__init__.py": "",
    "server/__init__.py": "import grpc, grpc_health, grpc_reflection, grpc_status, perception.client",
    "server/admission/__init__.py": "import perception.fusion",
    "server/a.py": "",
    "server/actions/__init__.py": "import perception.engine",
    "server/auth/__init__.py": "",
    "server/extraction/__init__.py": "import perception.engine",
    "server/placement/__init__.py": "import perception.server.auth",
    "server/placement/ray/__init__.py": "",
    "server/placement/ray/actor.py": "import ray, perception.server.placement.ray.fleet",
    "server/placement/ray/fleet.py": "import ray",
    "server/services/__init__.py": "import perception.engine",
    "server/sessions/__init__.py": "import perception.engine",
    "server/subroutines/__init__.py": "import perception.engine",
    "server/viewer/__init__.py": "import perception.client, starlette",
    "subroutines/__init__.py": "import json, perception.types",
    "subroutines/a.py": "import perception.refs",
    "tools/__init__.py": "import perception.client",
    "types.py": "import numpy",
    "video/__init__.py": "import av",
    "v1/__init__.py": "import grpc, google.protobuf",
}
VIOLATIONS = [
    ("rooms", "server/a.py", "import perception.bench"),
    ("rooms", "bench/a.py", "from perception import server"),
    ("rooms", "datasets/a.py", "import perception.fusion"),
    ("rooms", "fusion/a.py", "import perception.datasets"),
    ("rooms", "engine/a.py", "import perception.server"),
    ("rooms", "fusion/a.py", "import perception.engine"),
    ("rooms", "cli/a.py", "import perception.server"),
    ("rooms", "interaction/a.py", "import perception.mcp"),
    ("ray", "server/a.py", "import ray"),
    ("ray", "ray_cluster/head.py", "import ray"),
    ("wire", "ray_cluster/joining.py", "import grpc"),
    ("server", "ray_cluster/address.py", "from perception.server import a"),
    ("ray", "server/placement/ray/__init__.py", "def late():\n    import ray"),
    ("viewer", "server/viewer/a.py", "import perception.engine"),
    ("interaction", "server/a.py", "import perception.interaction"),
    ("rooms", "server/a.py", "import perception.cli"),
    ("rooms", "cli/a.py", "def late():\n    import perception.bench"),
    ("rooms", "client/a.py", "import perception.engine"),
    ("rooms", "client/a.py", "import perception.cli"),
    ("cli", "added_later.py", "import perception.cli"),
    ("client", "browser/a.py", "from perception.client import access"),
    ("client", "added_later.py", "import perception.client"),
    ("rooms", "mcp/a.py", "import perception.server"),
    ("rooms", "tools/a.py", "import perception.mcp"),
    ("sdk", "tools/a.py", "import mcp"),
    ("mcp", "added_later.py", "import perception.mcp"),
    ("sdk", "cli/a.py", "import mcp"),
    ("server", "__main__.py", "import perception.server"),
    ("server", "browser/a.py", "from perception.server import a"),
    ("server", "added_later.py", "import perception.server"),
    ("bench", "client/a.py", "import perception.bench"),
    ("vision", "refs.py", "def late():\n    import perception.fusion"),
    ("datasets", "detectors/a.py", "import perception.datasets"),
    ("datasets", "server/a.py", "import perception.datasets  # to learn a folder"),
    ("engine", "engine/a.py", "import grpc"),
    ("engine", "engine/a.py", "from perception.v1 import types_pb2"),
    ("engine", "engine/a.py", "from google.protobuf import message"),
    ("engine", "server/actions/__init__.py", "from perception.v1 import types_pb2"),
    ("fusion", "fusion/a.py", "import time"),
    ("fusion", "fusion/a.py", "from pathlib import Path"),
    ("fusion", "fusion/a.py", "import perception.browser"),
    ("fusion", "refs.py", "import perception.deadline  # fusion.a reaches the clock by refs"),
    ("subroutines", "subroutines/a.py", "import time"),
    ("subroutines", "subroutines/a.py", "from perception.browser import page"),
    ("subroutines", "refs.py", "import perception.deadline  # subroutines.a reaches the clock by refs"),
    ("folders", "server/auth/__init__.py", "from perception.server import placement"),
    ("folders", "server/auth/__init__.py", "def late():\n    import perception.server.placement.ray.fleet"),
    ("folders", "server/placement/ray/fleet.py", "from perception.server.placement.ray import actor"),
    ("browser", "server/a.py", "from playwright.async_api import Page"),
    ("browser", "detectors/a.py", "import websockets"),
    ("host", "browser/a.py", "import fcntl"),
    ("host", "bench/a.py", "import resource"),
    ("host", "datasets/a.py", "def late():\n    import fcntl"),
    ("models", "bench/a.py", "import rapidocr"),
    ("models", "bench/a.py", "import faster_paddle"),
    ("models", "server/a.py", "from paddleocr import PaddleOCR"),
    ("models", "server/a.py", "import onnxruntime"),
    ("ray", "detectors/a.py", "import ray"),
    ("ray", "server/a.py", "def late():\n    from ray import serve"),
    ("video", "server/a.py", "def late():\n    import av"),
    ("wire", "bench/a.py", "import grpc.aio"),
    ("wire", "cli/a.py", "import grpc"),
    ("wire", "added_later.py", "from grpc_health.v1 import health_pb2"),
]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, code in CLEAN.items():
        path = tmp_path / "perception" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code + "\n")
    return tmp_path


def broken_contracts(house: Path) -> set[str]:
    """Names of the contracts that lint-imports finds broken there."""
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=house,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"Contracts: {len(CONTRACTS)} kept" in run.stdout or "BROKEN" in run.stdout, run.stdout + run.stderr
    return {name for name in CONTRACTS.values() if f"{name} BROKEN" in run.stdout}


def test_a_house_that_imports_downwards_keeps_every_contract(house: Path) -> None:
    assert broken_contracts(house) == set()


def test_every_contract_has_a_violation_below() -> None:
    assert {contract for contract, _, _ in VIOLATIONS} == CONTRACTS.keys()


@pytest.mark.parametrize(("contract", "module", "line"), VIOLATIONS, ids=[f"{c}-{m}" for c, m, _ in VIOLATIONS])
def test_a_violation_breaks_its_contract(house: Path, contract: str, module: str, line: str) -> None:
    path = house / "perception" / module
    with path.open("a") as file:
        file.write(f"{line}\n")
    assert CONTRACTS[contract] in broken_contracts(house)
