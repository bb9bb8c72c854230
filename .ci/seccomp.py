"""Makes server/deploy/seccomp.json: Docker's default profile, and the namespaces that Chromium's sandbox makes.

The default is `profiles/seccomp/default.json` of Moby (Apache-2.0), as Debian has it in the package
golang-github-docker-docker-dev (20.10.24). What is made is of the form that all runtimes read, Kubernetes' too: what
depends on capabilities or the machine is decided, for a container without capabilities on x86-64 or ARM64.

    python .ci/seccomp.py DEFAULT.json >server/deploy/seccomp.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ARCHITECTURES = ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")

ARCHES = {"amd64", "arm64"}
"""Of the rules in the default that name some."""

UNWANTED = {"io_uring_setup", "io_uring_enter", "io_uring_register"}
"""Later defaults refuse them: most escapes from containers of 2022 went through them."""

UNKNOWN_ERRNO = 38
"""ENOSYS for calls that the default does not know: programs that are newer than it then use older ones. The default
says EPERM, which they take for a refusal."""

SANDBOX_NAMESPACES = 0x10000000 | 0x20000000 | 0x40000000
"""CLONE_NEWUSER, CLONE_NEWPID and CLONE_NEWNET (sched.h)."""

ALL_NAMESPACES = SANDBOX_NAMESPACES | 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000
"""CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS and CLONE_NEWIPC, too."""


def profile(default: dict[str, Any]) -> dict[str, Any]:
    """The profile of a default."""
    rules = [_plain(each) for each in default["syscalls"] if _applies(each)]
    return {
        "defaultAction": default["defaultAction"],
        "defaultErrnoRet": UNKNOWN_ERRNO,
        "architectures": list(ARCHITECTURES),
        "syscalls": [each for each in rules if each["names"]] + sandbox_rules(),
    }


def sandbox_rules() -> list[dict[str, Any]]:
    """What Chromium's sandbox needs beside the default: namespaces of users, processes and the network for its
    processes, and a root of their own in them. No other namespaces: without those of mounts nothing is mounted."""
    others = ALL_NAMESPACES & ~SANDBOX_NAMESPACES
    none_of_these = [{"index": 0, "value": others, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}]
    return [
        {"names": ["clone", "unshare"], "action": "SCMP_ACT_ALLOW", "args": none_of_these},
        {"names": ["chroot"], "action": "SCMP_ACT_ALLOW"},
    ]


def _applies(rule: dict[str, Any]) -> bool:
    wanted, unwanted = rule.get("includes") or {}, rule.get("excludes") or {}
    of_others = "arches" in wanted and not ARCHES & set(wanted["arches"])
    return not (wanted.get("caps") or of_others or ARCHES & set(unwanted.get("arches", ())))


def _plain(rule: dict[str, Any]) -> dict[str, Any]:
    kept = {key: rule[key] for key in ("action", "args", "errnoRet") if rule.get(key)}
    return {"names": [each for each in rule["names"] if each not in UNWANTED], **kept}


if __name__ == "__main__":
    print(json.dumps(profile(json.loads(Path(sys.argv[1]).read_text("utf-8"))), indent=1))
