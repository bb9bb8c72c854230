"""The manifests of Kubernetes: its own schemas accept them, their commands are ours, and they fit together."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import kubernetes_validate
import pytest
import typer
import yaml

from perception.cli.main import make_app
from perception.server.placement.draining import ENDING_SECONDS
from tests.paths import ROOT

FOLDER = ROOT / "server/deploy/kubernetes"

VERSIONS = ("1.30", "1.37")
"""The first one that has `preStop.sleep` by default, and the newest one."""

FILES = sorted(each.name for each in FOLDER.glob("*.yaml") if each.name != "kustomization.yaml")

Manifest = dict[str, Any]


def read() -> Iterator[Manifest]:
    for name in FILES:
        yield from yaml.safe_load_all((FOLDER / name).read_text("utf-8"))


MANIFESTS = list(read())


def of(kind: str, name: str) -> Manifest:
    """What is to be of an object of that kind."""
    (found,) = (each for each in MANIFESTS if (each["kind"], each["metadata"]["name"]) == (kind, name))
    spec = found["spec"]
    assert isinstance(spec, dict)
    return spec


EDGE, WORKER = of("Deployment", "perception-edge"), of("StatefulSet", "perception-worker")


def container(workload: Manifest) -> Manifest:
    (only,) = workload["template"]["spec"]["containers"]
    assert isinstance(only, dict)
    return only


def option(workload: Manifest, name: str) -> str:
    (value,) = (each.split("=", 1)[1] for each in container(workload)["args"] if each.startswith(f"{name}="))
    return value


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda each: f"{each['kind']}-{each['metadata']['name']}")
def test_the_schemas_of_kubernetes_accept_each_manifest(manifest: Manifest, version: str) -> None:
    kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "template", "spec", "containers", 0, "livenessProb"), {}),
        (("spec", "template", "spec", "containers", 0, "args"), "worker"),
        (("spec", "template", "spec", "terminationGracePeriodSeconds"), "an hour"),
        (("spec", "serviceName"), ["a"]),
    ],
    ids=lambda each: each[-1] if isinstance(each, tuple) else "",
)
def test_the_schemas_refuse_a_broken_one(path: tuple[Any, ...], value: object) -> None:
    broken = copy.deepcopy(next(each for each in MANIFESTS if each["kind"] == "StatefulSet"))
    place: Any = broken
    for each in path[:-1]:
        place = place[each]
    place[path[-1]] = value
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSIONS[0], strict=True)


def test_all_but_autoscaling_is_applied_together() -> None:
    together = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))["resources"]
    assert sorted([*together, "autoscaling.yaml"]) == FILES


def command_lines() -> list[list[str]]:
    pre_stop = container(WORKER)["lifecycle"]["preStop"]["exec"]["command"]
    assert pre_stop[0] == "perception"
    return [container(EDGE)["args"], container(WORKER)["args"], pre_stop[1:]]


@pytest.mark.parametrize("words", command_lines(), ids=lambda words: words[0])
def test_their_commands_are_those_of_this_version(words: list[str]) -> None:
    command: Any = typer.main.get_command(make_app())
    rest = list(words)
    while rest and hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    command.make_context(command.name, rest).close()


def test_edges_find_workers_by_the_name_of_their_headless_service() -> None:
    service = of("Service", "perception-worker")
    assert (service["clusterIP"], service["publishNotReadyAddresses"]) == ("None", True)
    assert WORKER["serviceName"] == "perception-worker"
    (port,) = service["ports"]
    assert option(EDGE, "--placement") == f"static=perception-worker:{port['port']}"
    assert option(WORKER, "--address").endswith(f":{port['port']}")


@pytest.mark.parametrize(("service", "workload"), [("perception", EDGE), ("perception-worker", WORKER)])
def test_services_policies_and_budgets_select_their_pods(service: str, workload: Manifest) -> None:
    labels = workload["template"]["metadata"]["labels"]
    name = "perception-edge" if workload is EDGE else "perception-worker"
    assert workload["selector"]["matchLabels"] == labels
    assert of("Service", service)["selector"] == labels
    assert of("NetworkPolicy", name)["podSelector"]["matchLabels"] == labels
    assert of("PodDisruptionBudget", name)["selector"]["matchLabels"] == labels
    ports = {each["name"]: each["containerPort"] for each in container(workload)["ports"]}
    for target in of("Service", service)["ports"]:
        assert target["port"] == ports[target["targetPort"]]


@pytest.mark.parametrize("workload", [EDGE, WORKER], ids=["edge", "worker"])
def test_probes_ask_where_health_is_answered_without_certificates(workload: Manifest) -> None:
    port = int(option(workload, "--health-address").rpartition(":")[2])
    box = container(workload)
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert box[probe]["grpc"]["port"] == port
    # An edge without workers, and a worker that drains, must not be started again.
    assert box["livenessProbe"]["grpc"]["service"] == "live"
    assert "service" not in box["readinessProbe"]["grpc"]


@pytest.mark.parametrize("workload", [EDGE, WORKER], ids=["edge", "worker"])
def test_pods_have_no_more_rights_than_they_need(workload: Manifest) -> None:
    pod, box = workload["template"]["spec"], container(workload)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert box["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False  # PERCEPTION_EDGE_PORT and its like are no settings
    written = {each["mountPath"] for each in box["volumeMounts"] if not each.get("readOnly")}
    assert written == {"/data", "/tmp"}
    for each in pod["volumes"]:
        if "secret" in each:
            assert each["secret"]["defaultMode"] == 0o440


def test_only_workers_have_the_profile_of_chromiums_sandbox() -> None:
    of_worker = WORKER["template"]["spec"]["securityContext"]["seccompProfile"]
    assert of_worker == {"type": "Localhost", "localhostProfile": "perception.json"}
    assert EDGE["template"]["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}


def test_no_manifest_has_a_secret() -> None:
    assert not [each for each in MANIFESTS if each["kind"] == "Secret"]


def test_a_worker_has_the_time_that_its_sessions_are_promised() -> None:
    promised = float(option(WORKER, "--grace")) + ENDING_SECONDS
    assert WORKER["template"]["spec"]["terminationGracePeriodSeconds"] > promised


def test_workers_take_calls_from_edges_alone_and_pages_reach_no_private_network() -> None:
    policy = of("NetworkPolicy", "perception-worker")
    port = int(option(WORKER, "--address").rpartition(":")[2])
    calls = [each for each in policy["ingress"] if {"protocol": "TCP", "port": port} in each["ports"]]
    edge = {"podSelector": {"matchLabels": EDGE["template"]["metadata"]["labels"]}}
    assert [each["from"] for each in calls] == [[edge]]
    assert all(each["from"] for each in policy["ingress"])
    blocks = [to["ipBlock"] for rule in policy["egress"] for to in rule["to"] if "ipBlock" in to]
    assert {"10.0.0.0/8", "169.254.0.0/16"} <= set(blocks[0]["except"])


def test_autoscaling_leaves_slots_free() -> None:
    scaler = of("HorizontalPodAutoscaler", "perception-worker")
    (metric,) = scaler["metrics"]
    kept = int(metric["external"]["target"]["averageValue"])
    assert 0 < kept < int(option(WORKER, "--max-sessions"))
    assert scaler["scaleTargetRef"]["name"] == "perception-worker"
