"""What the client's distribution holds and requires, beside the service's."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

from perception.cli import main
from tests.paths import ROOT

CLIENT = ROOT / "distributions/client"
STUBS_OF = re.compile(r"# Protobuf Python Version: (\d+)\.")
PACKAGES = {
    "google": "googleapis-common-protos",
    "grpc": "grpcio",
    "grpc_health": "grpcio-health-checking",
    "opentelemetry": "opentelemetry-api",
}
NOT_ALWAYS = {"lxml": "perception.client.trace.document", "PIL": "perception.interaction.image"}
"""Packages that the client does not require, and the one module that imports each when it is asked for more."""


def project(folder: Path) -> dict[str, object]:
    read: dict[str, object] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return read


def client_modules() -> set[str]:
    names = (CLIENT / "files.txt").read_text("utf-8").split()
    paths = (Path(name).with_suffix("") for name in names if name.endswith(".py"))
    return {".".join(path.parts).removesuffix(".__init__") for path in paths}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("perception", include_external_packages=True, cache_dir=None)


def test_what_the_client_imports_is_the_clients(graph: grimp.ImportGraph) -> None:
    held = client_modules()
    imported = {each for module in held for each in graph.find_modules_directly_imported_by(module)}
    assert {each for each in imported if each.startswith("perception.")} <= held
    assert {"perception", "perception.client", "perception.v1", "perception.errors"} <= held
    assert not [
        each for each in held if each.startswith(("perception.server", "perception.bench", "perception.engine"))
    ]


def test_the_client_requires_what_it_imports(graph: grimp.ImportGraph) -> None:
    required = {re.split("[<>=]", each)[0] for each in project(CLIENT)["dependencies"]}  # type: ignore[attr-defined]
    held = client_modules()
    imported = {each for module in held for each in graph.find_modules_directly_imported_by(module)}
    others = {each for each in imported if not each.startswith("perception")} - sys.stdlib_module_names
    missing = {each for each in others if PACKAGES.get(each, each) not in required}
    assert missing == NOT_ALWAYS.keys()
    for package, module in NOT_ALWAYS.items():
        assert graph.find_modules_that_directly_import(package) & held == {module}


def test_the_client_requires_what_the_service_does() -> None:
    client, service = project(CLIENT), project(ROOT)
    assert client["requires-python"] == service["requires-python"]
    assert set(client["dependencies"]) <= set(service["dependencies"])  # type: ignore[call-overload]
    assert client["scripts"] == service["scripts"]
    assert (CLIENT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_clients_program_knows_the_services_commands() -> None:
    points = project(ROOT)["entry-points"]["perception.commands"]  # type: ignore[index]
    assert sorted(main._OF_SERVICE) == sorted(points)


def test_the_stubs_are_of_the_older_protobuf() -> None:
    requirement = next(each for each in project(ROOT)["dependencies"] if each.startswith("protobuf"))  # type: ignore[attr-defined]
    least = re.findall(r"\d+", requirement)[0]
    made_by = {STUBS_OF.search(path.read_text("utf-8")) for path in (ROOT / "perception/v1").glob("*_pb2.py")}
    assert {found and found[1] for found in made_by} == {least}
