"""What CONTRIBUTING says of additions is true: a script adds an action, a reason and a setting to a copy of this tree.

All else is made from the files that it edits, and every way to call the service has the new action.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.paths import ROOT

Edits = Mapping[str, Mapping[str, str]]
"""What is put before a line, by file and line."""

PROTO = "proto/perception/v1/action_service.proto"

ACTION: Edits = {
    PROTO: {
        "  // Drags from one target to another.\n": """\
  // Brings an element into view.
  rpc ScrollIntoView(ScrollIntoViewRequest) returns (ScrollIntoViewResponse) {
    option (rules).words = "bring {target} into view";
  }
""",
        "message DragRequest {\n": """\
message ScrollIntoViewRequest {
  string session_id = 1;
  string tab_id = 2;
  Target target = 3 [(needed) = true];
  // As in ClickRequest.
  string request_id = 4;
  ActionOptions action_options = 5;
}
message ScrollIntoViewResponse {
  ActionResult result = 1;
}

""",
        "    TapRequest tap = 12;\n": "    ScrollIntoViewRequest scroll_into_view = 29;\n",
    },
    "server/services/action_plans.py": {
        "    def drag(self, request: pb.DragRequest) -> Act:\n": """\
    def scroll_into_view(self, request: pb.ScrollIntoViewRequest) -> Act:
        async def act(action: ActionContext) -> None:
            await scroll_into_view(action, decode_target(request.target, action.session.shown.snapshots))

        return act

""",
    },
    "server/services/action.py": {
        "    async def Drag(self, request: pb.DragRequest, context: Any) -> pb.DragResponse:  # noqa: N802\n": """\
    async def ScrollIntoView(self, request: pb.ScrollIntoViewRequest, context: Any) -> Any:  # noqa: N802
        act = self._plans.scroll_into_view(request)
        return pb.ScrollIntoViewResponse(result=await self._perform_simple(request, context, act))

""",
    },
    ".ci/client_table.py": {
        '    "drag(start: from_, end: to)": "Action.Drag",\n': """\
    "scroll_into_view(target)": "Action.ScrollIntoView",
""",
    },
    "perception/interaction/verbs.py": {
        '    Verb(\n        "tap",\n': """\
    Verb(
        "reveal",
        "Bring an element into view.",
        (TARGET,),
        ("target",),
        ("target",),
        lambda _, target, __: ("scroll_into_view", (target,), {}),
        is_step=False,
    ),
""",
    },
}

REASON: Edits = {
    "perception/errors/target_errors.py": {
        "class NotReachableError(PerceptionError):\n": """\
class ElementMovingError(PerceptionError):
    \"\"\"An element that does not stop moving.\"\"\"

    grpc_code = "FAILED_PRECONDITION"


""",
    },
}

SETTING: Edits = {
    "server/settings.py": {
        '    max_sessions: Annotated[int, Flag("--max-sessions")]': """\
    max_windows: Annotated[int, Flag("--max-windows")] = Field(8, ge=1, description="Windows open at once.")
""",
    },
}

USE = """
import perception
from perception.client import steps

PAGE = "data:text/html,<body style='height: 3000px'><p style='height: 2500px'></p><button>Low</button>"

with perception.connect() as client, client.open(PAGE) as page:
    low = page.snapshot(scope="page").elements[-1].ref
    assert not page.snapshot().elements
    page.scroll_into_view(low)
    assert [each.name for each in page.snapshot().elements] == ["Low"]
    page.scroll(-5000)
    assert not page.batch([steps.scroll_into_view(low)]).HasField("stop")
    assert [each.name for each in page.snapshot().elements] == ["Low"]
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository with this one's environments."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listed, cwd=ROOT, text=True).split("\0"):
        if name and os.path.lexists(ROOT / name):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name, follow_symlinks=False)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / ".cache").mkdir()
    protoc = subprocess.check_output([ROOT / ".ci/protoc"], text=True)
    (tmp_path / ".cache/protoc").symlink_to(Path(protoc.strip()).parents[1])
    return tmp_path


def add(copy: Path, edits: Edits) -> None:
    """Edits the files, and has made what is made from them."""
    for name, added in edits.items():
        text = (copy / name).read_text("utf-8")
        for line, new in added.items():
            assert text.count(line) == 1, f"{name}: {line}"
            text = text.replace(line, new + line)
        (copy / name).write_text(text, "utf-8")
    run(copy, ".ci/stubs")
    run(copy, ".venv/bin/python", ".ci/sync_client.py")


def run(copy: Path, *command: str) -> str:
    """What a command prints that imports the copy."""
    done = subprocess.run(
        command, cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_action_is_added_in_five_files_and_each_way_to_call_the_service_has_it(copy: Path) -> None:
    assert len(ACTION) == 5
    add(copy, ACTION)
    run(copy, ".venv/bin/python", "-c", USE)
    assert "Bring an element into view." in run(copy, ".venv/bin/perception", "reveal", "--help")
    assert "ScrollIntoView" in (copy / "docs/wire.md").read_text("utf-8")


def test_a_reason_is_a_class(copy: Path) -> None:
    add(copy, REASON)
    code = "from perception.errors import ElementMovingError; print(ElementMovingError.reason)"
    assert run(copy, ".venv/bin/python", "-c", code) == "ELEMENT_MOVING\n"
    assert "'ELEMENT_MOVING'" in (copy / "examples/node/src/reasons.ts").read_text("utf-8")


def test_a_setting_is_a_field(copy: Path) -> None:
    add(copy, SETTING)
    assert "Windows open at once." in run(copy, ".venv/bin/perception", "serve", "--help")
    assert "PERCEPTION_MAX_WINDOWS" in (copy / "docs/settings.md").read_text("utf-8")
