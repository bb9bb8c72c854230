"""The seccomp profile of the image: the default one, and what Chromium's sandbox needs beside it."""

from __future__ import annotations

import json
import runpy
from typing import Any

import pytest

from tests.paths import ROOT

PROFILE = json.loads((ROOT / "server/deploy/seccomp.json").read_text("utf-8"))

MAKER = runpy.run_path(str(ROOT / ".ci/seccomp.py"))

NEW_USER, NEW_PID, NEW_NET, NEW_MOUNTS = 0x10000000, 0x20000000, 0x40000000, 0x00020000


def outcome(profile: dict[str, Any], name: str, *args: int) -> str | int:
    """What a call comes to: `allow`, or its errno. A rule whose arguments do not match says nothing."""
    for rule in profile["syscalls"]:
        if name in rule["names"] and all(holds(each, args) for each in rule.get("args", ())):
            return "allow" if rule["action"] == "SCMP_ACT_ALLOW" else int(rule["errnoRet"])
    return int(profile["defaultErrnoRet"])


def holds(condition: dict[str, Any], args: tuple[int, ...]) -> bool:
    value = args[condition["index"]]
    if condition["op"] == "SCMP_CMP_MASKED_EQ":
        return value & int(condition["value"]) == int(condition.get("valueTwo", 0))
    assert condition["op"] == "SCMP_CMP_EQ"
    return value == condition["value"]


@pytest.mark.parametrize(
    ("name", "args"),
    [("clone", (NEW_USER | NEW_PID | NEW_NET,)), ("unshare", (NEW_USER,)), ("clone", (0,)), ("chroot", ())],
)
def test_chromiums_sandbox_may_make_its_namespaces(name: str, args: tuple[int, ...]) -> None:
    assert outcome(PROFILE, name, *args) == "allow"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("clone", (NEW_USER | NEW_MOUNTS,)),
        ("unshare", (NEW_MOUNTS,)),
        ("clone3", ()),
        ("setns", ()),
        ("mount", ()),
        ("pivot_root", ()),
        ("bpf", ()),
        ("io_uring_setup", ()),
        ("open_by_handle_at", ()),
        ("keyctl", ()),
        ("userfaultfd", ()),
    ],
)
def test_no_page_gets_what_containers_are_left_by(name: str, args: tuple[int, ...]) -> None:
    assert outcome(PROFILE, name, *args) == 38


def test_it_is_of_the_form_that_all_runtimes_read() -> None:
    assert set(PROFILE) == {"defaultAction", "defaultErrnoRet", "architectures", "syscalls"}
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    for rule in PROFILE["syscalls"]:
        assert set(rule) <= {"names", "action", "args", "errnoRet"}


def test_it_is_made_of_a_default() -> None:
    default = {
        "defaultAction": "SCMP_ACT_ERRNO",
        "archMap": [],
        "syscalls": [
            {"names": ["read", "io_uring_setup"], "action": "SCMP_ACT_ALLOW", "args": [], "includes": {}},
            {"names": ["mount"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
            {"names": ["arch_prctl"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64", "x32"]}},
            {"names": ["s390_pci_mmio_read"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["s390"]}},
            {"names": ["ptrace"], "action": "SCMP_ACT_ALLOW", "args": None, "includes": {"minKernel": "4.8"}},
            {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38, "excludes": {"caps": ["CAP_SYS_ADMIN"]}},
        ],
    }
    made = MAKER["profile"](default)
    assert [each["names"] for each in made["syscalls"]] == [
        ["read"], ["arch_prctl"], ["ptrace"], ["clone3"], ["clone", "unshare"], ["chroot"],
    ]  # fmt: skip
    assert outcome(made, "mount") == 38
    assert made["syscalls"][-2:] == PROFILE["syscalls"][-2:]
