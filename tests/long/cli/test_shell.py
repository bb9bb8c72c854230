"""A shell that keeps its session: real commands, one service for this file."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perception.cli.shell.skill import SKILL
from perception.render.tokens import count_tokens
from tests.paths import DOCS
from tests.support.kept_contexts import KEEPING
from tests.support.processes import FORKED_SERVICES, NO_MODELS, perception, prepared
from tests.support.shell_runs import Shell

SHELL_GUIDE = DOCS / "shell.md"
SHOP = "https://shop.example/"

RESERVE_SECONDS = 5
"""Before the end of a call's time its service answers: by default 0.2 s, which a busy machine may need."""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    folder = tmp_path_factory.mktemp("shell")
    secrets = folder / "secrets.toml"
    secrets.write_text('[bank]\nvalue = "correct horse battery"\n')
    secrets.chmod(0o600)
    (folder / "report.pdf").write_bytes(b"%PDF-1.7")
    settings = {"PERCEPTION_SECRETS_FILE": str(secrets), "PERCEPTION_REPLY_RESERVE_S": str(RESERVE_SECONDS)}
    environment = {**settings, **FORKED_SERVICES, **NO_MODELS, **prepared(KEEPING)}
    shell = Shell(folder / "home", folder, environment)
    yield shell
    assert "the service has ended" in shell.out("close", "--all")


@pytest.fixture(scope="module")
def profile(site: str) -> str:
    return f"{site}/shell.html"


def test_commands_act_one_after_the_other_on_the_same_page(shell: Shell, profile: str) -> None:
    assert "e1 textbox Email" in shell.out("open", profile)
    assert '"ana@' in shell.out("fill", "e1", "ana@example.org")
    assert "Saved ana@example.org" in shell.out("click", "e8")
    assert "nothing changed since" in shell.out("look", "--since")
    seen = json.loads(shell.out("look", "--format", "json", "--mode", "text"))
    assert seen["title"] == "Profile"
    assert [each["name"] for each in seen["elements"] if each.get("ref") == "e8"] == ["Save"]
    assert json.loads(shell.out("evaluate", "(e) => e.value", "--ref", "e1", "--format", "json")) == "ana@example.org"


def test_logins_go_to_a_file_and_into_a_profile(shell: Shell, profile: str, tmp_path: Path) -> None:
    file = tmp_path / "login.json"
    shell.out("open", profile, "--profile", "shop", "--new")
    shell.out("evaluate", "document.cookie = 'sid=s3cret'; localStorage.setItem('token', 't0k3n'); 0")
    assert "1 cookies, storage of 1 origins" in shell.out("state", "export", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    assert "is in use by session" in shell.error("open", profile, "--profile", "shop", "--session", "second")[1]
    shell.out("open", profile, "--new")
    assert "null" in shell.out("evaluate", "localStorage.getItem('token')")
    told = shell.out("state", "import", str(file))
    assert "1 cookies and storage of 1 origins" in told
    assert "s3cret" not in told
    assert "t0k3n" in shell.out("evaluate", "localStorage.getItem('token')")
    assert "shop  kept" in shell.out("profile", "list")
    shell.out("open", profile, "--profile", "shop", "--read-only", "--new")
    assert "t0k3n sid=s3cret" in shell.out("evaluate", "localStorage.getItem('token') + ' ' + document.cookie")
    shell.out("open", profile, "--state", str(file), "--new")
    assert "sid=s3cret" in shell.out("evaluate", "document.cookie")
    old = tmp_path / "old.json"
    old.write_text('[{"name": "old", "value": "1", "domain": "a.example", "expirationDate": 1}]')
    assert "left out: 1 cookies have expired" in shell.out("open", profile, "--state", str(old), "--new")
    assert "is deleted" in shell.out("profile", "delete", "shop")
    assert "there is no profile" in shell.out("profile", "list")
    assert "error: no profile 'shop': there are none" in shell.run("profile", "delete", "shop").stderr
    assert "login.txt cannot be read" in shell.error("state", "import", str(tmp_path / "login.txt"))[1]
    assert "it takes one of export, import" in shell.error("state", "save", str(file))[1]


def test_requests_and_messages_are_listed(shell: Shell, profile: str) -> None:
    shell.out("open", profile)
    assert "--record" in shell.error("requests")[1]
    shell.out("open", profile, "--record", "--new")
    shell.out("evaluate", "fetch('/status?code=500').then(() => console.warn('no stock'))")
    started_s = time.monotonic()
    while "pending" in (listed := shell.out("requests", "--status", "400-599")):
        assert time.monotonic() < started_s + 30
    assert re.search(r"^r\d+ GET 500 fetch text/html", listed, re.MULTILINE)
    assert "<untrusted-page" in listed
    number = re.search(r"^(r\d+) GET 500", listed, re.MULTILINE)
    assert number is not None
    shown = shell.out("request", number[1])
    assert "< Content-Type: text/html" in shown
    assert "<p>Gone</p>" in shown
    assert "no such request" in shell.out("requests", "--type", "font")
    assert re.search(r"^c\d+ warning no stock", shell.out("console", "--level", "warning"), re.MULTILINE)
    assert "a range such as 400-599" in shell.error("requests", "--status", "often")[1]


def test_the_screen_of_an_open_session_changes(shell: Shell, profile: str) -> None:
    assert "iPhone 15 landscape" in shell.out("devices", "iphone 15")
    shell.out("open", profile, "--device", "iphone 15", "--new")
    assert shell.out("evaluate", "innerWidth + ' ' + (navigator.maxTouchPoints > 0)").count("980 true") == 1
    told = shell.out("viewport", "600x700", "--touch", "no")
    assert told.startswith("the screen has 600 x 700 CSS px at scale 3, with mobile layout\n")
    assert "Email" in told
    assert "takes no touches" in shell.error("tap", "e1")[1]
    shell.out("viewport", "--device", "Pixel 7")
    assert "no change" in shell.out("tap", "h1")
    assert shell.error("viewport")[1].startswith("viewport: nothing to change: give WIDTHxHEIGHT, --device")
    assert "there is no device 'Pixel 77'" in shell.error("viewport", "--device", "Pixel 77")[1]
    assert "is for a new one" in shell.error("open", profile, "--device", "Pixel 7")[1]
    assert "no device's name contains 'nokai'" in shell.run("devices", "nokai").stderr


def test_tabs_are_opened_named_and_moved(shell: Shell, profile: str) -> None:
    shell.out("open", profile, "--new")
    assert "* t2 (second) " in shell.out("tab", "new", "about:blank", "--name", "second")
    assert shell.out("tab", "move", "0", "--tab", "second").startswith("* t2 (second)")
    assert "  t1 (main) " in shell.out("tab", "name", "main", "--tab", "t1")
    shell.out("tabs", "--select", "main")
    shell.out("tabs", "--close", "second")
    assert "give the place" in shell.error("tab", "move", "first")[1]
    assert "no tab 'second'" in shell.error("tabs", "--select", "second")[1]


def test_a_batch_is_checked_before_it_runs_and_stops_at_the_first_failure(shell: Shell, profile: str) -> None:
    shell.out("open", profile)
    email = re.search(r"(e\d+) textbox Email", shell.out("look", "--max-tokens", "0"))
    assert email is not None
    ref = email[1]
    wrong = shell.error("do", "-", given=f'fill {ref} "ana"\n\nclick "e 5"\n')
    assert wrong == (2, "do: line 3: click: TARGET is 'e 5': write the ref as e5: nothing was run")
    for batch, told in (
        ("fill e1 ana\nlook\n", "do: line 2: 'look' is not a step of a batch"),
        ("click e1 --session a", "do: line 1: click: --session is an option of `do`"),
        ("click 'e1", "do: line 1: no closing quotation"),
        ("# nothing\n", "do: the batch is empty"),
    ):
        assert told in shell.error("do", "-", given=batch)[1]
    assert json.loads(shell.out("evaluate", "email.value", "--format", "json")) == ""
    stopped = shell.run("do", "-", given=f"perception fill {ref} 'ana b'  # a comment\nclick '#none'\nclick {ref}\n")
    assert stopped.returncode == 2
    assert stopped.stdout.startswith(f"1. fill {ref}: done\n2. click #none: NO_MATCH: ")
    assert "1 more steps were not run" in stopped.stdout
    assert '"ana b"' in stopped.stdout
    assert stopped.stderr.startswith("error: NO_MATCH: ")


def test_a_person_is_asked_for_and_nobody_comes(shell: Shell, profile: str) -> None:
    shell.out("open", profile)
    code, line = shell.error("request-human", "log in", "--timeout-ms", str(RESERVE_SECONDS * 1000 + 700))
    assert code == 1
    assert line.startswith("NO_HUMAN: nobody watches this session")


def test_two_shells_act_at_once_each_on_its_own_session(shell: Shell, profile: str) -> None:
    for name in ("one", "two"):
        shell.out("open", profile, "--session", name)
    running = [shell.start("fill", "#email", each, "--session", each) for each in ("one", "two") for _ in range(2)]
    assert [each.communicate(timeout=60)[1] for each in running] == [""] * 4
    values = [shell.out("evaluate", "email.value", "--session", each, "--format", "json") for each in ("one", "two")]
    assert [json.loads(each) for each in values] == ["one", "two"]
    listed = json.loads(shell.out("sessions", "--format", "json", "--session", "two"))["sessions"]
    assert [(each["name"], each["current"]) for each in listed if each["current"]] == [("two", True)]
    for name in ("one", "two"):
        assert "is closed" in shell.out("close", "--session", name)
    code, told = shell.error("look", "--session", "two")
    assert (code, told.partition(" (")[0]) == (2, "there is no session 'two'")
    assert told.endswith("open one with `perception open URL`")


def test_a_session_reaches_the_hosts_that_its_own_user_named(shell: Shell, profile: str) -> None:
    script = f"fetch('{profile}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'refused')"
    there = ("--session", "there", "--viewport", "640x480")  # in a context that no other test has: it shows no page yet
    shell.out("open", profile.replace("127.0.0.1", "localhost"), *there)
    assert json.loads(shell.out("evaluate", script, "--session", "there", "--format", "json")) == "refused"
    shell.out("open", profile, "--session", "there")
    assert json.loads(shell.out("evaluate", script, "--session", "there", "--format", "json")) == "reached"
    shell.out("close", "--session", "there")


def test_what_cannot_be_done_is_one_line_that_says_what_to_do(shell: Shell, profile: str) -> None:
    shell.out("open", profile, "--no-evaluate", "--new")
    assert shell.error("open", profile, "--viewport", "800x600")[1].endswith(
        "is open, and --viewport is for a new one: give --new as well, which closes it"
    )
    code, told = shell.error("click", "e99")
    assert (code, told.rpartition(" (")[2]) == (2, "`perception look` shows what is there now)")
    assert "was opened with --no-evaluate: `perception open URL --new`" in shell.error("evaluate", "1")[1]
    assert shell.error("look", "--timeout-ms", "1")[0] == 1
    state = next((shell.home / "shell").glob("folder-*.session"))
    for content, why in (('{"version": 99}', "another version"), ('{"ver', "damaged"), ('{"version": 1}', "damaged")):
        state.write_text(content)
        code, told = shell.error("look")
        assert (code, why in told, "`perception open URL`" in told) == (2, True, True), told
    assert state.stat().st_mode & 0o077 == 0
    assert "Profile" in shell.out("open", profile)


def test_the_skill_is_short_and_every_command_in_it_runs(shell: Shell, profile: str, tmp_path: Path) -> None:
    text = shell.out("skill")
    assert text == SKILL.read_text("utf-8")
    assert count_tokens(text) <= 1200
    program = tmp_path / "perception"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(perception())} "$@"\n')
    program.chmod(0o755)
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    script = "set -ex\n" + "\n".join(blocks).replace("https://example.org ", f"{profile} ")
    env = shell.env | {"PATH": f"{tmp_path}:{shell.env['PATH']}", "PERCEPTION_SESSION": "skill"}
    done = subprocess.run(["bash"], input=script, cwd=shell.cwd, env=env, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    assert script.count("\nperception ") >= 25
    assert (shell.cwd / "page.png").read_bytes().startswith(b"\x89PNG")
    assert "«secret:bank»" not in done.stdout  # a password is not shown at all
    assert "correct horse" not in done.stdout + done.stderr


def test_the_session_in_the_docs_looks_as_it_does(shell: Shell, profile: str, request: pytest.FixtureRequest) -> None:
    """The block is made again with --refresh-goldens."""
    text = SHELL_GUIDE.read_text("utf-8")
    block = re.search(r"(?<=^```console\n).*?(?=^```)", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    shown = []
    for line in block[0].splitlines():
        if line.startswith("$ perception "):
            words = json.loads(subprocess.check_output(["bash", "-c", _ARGUMENTS.format(line[2:])], text=True))
            words = [word.replace(SHOP, profile) for word in words]
            shown += [line, *_steady(shell.out(*words, "--session", "docs")).replace(profile, SHOP).splitlines()]
    told = "\n".join(shown) + "\n"
    if request.config.getoption("--refresh-goldens"):
        SHELL_GUIDE.write_text(text.replace(block[0], told), "utf-8")
    assert told == SHELL_GUIDE.read_text("utf-8")[block.start() :][: len(told)]


_ARGUMENTS = f"set -- {{}}; shift; '{sys.executable}' -c 'import json, sys; print(json.dumps(sys.argv[1:]))' \"$@\""
"""A line of the docs as the words that a shell makes of it."""


def _steady(text: str) -> str:
    """A text without the numbers that are drawn anew each time, and without what a busy machine adds."""
    text = re.sub(r"^still pending: .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"(</?untrusted-page )\d+>", r"\g<1>738201945>", text)


def test_a_session_is_filmed_and_its_trace_written(shell: Shell, profile: str, tmp_path: Path) -> None:
    shell.out("open", profile, "--new", "--video", "--call-pictures", "--session", "film")
    assert "is being made" in shell.out("video", "start", "--max-fps", "5", "--session", "film", "--container", "mp4")
    assert "which video to stop" in shell.error("video", "stop", "--session", "film")[1]
    assert "--max-fps is for `video start`" in shell.error("video", "list", "--max-fps", "5", "--session", "film")[1]
    trace = tmp_path / "trace.html"
    assert "trace.html" in shell.run("trace", "film", str(trace)).stderr
    assert "open a session" in trace.read_text("utf-8")
    assert "there is no session 'nobody'" in shell.error("trace", "nobody", str(trace))[1]
    shell.out("close", "--session", "film")
    listed = shell.out("video", "list", "--session", "film").splitlines()
    assert len(listed) == 2
    assert all("the video ended, as its session ended" in line for line in listed)
    saved = tmp_path / "film.webm"
    assert "bytes" in shell.out("video", "save", listed[-1].split()[0], "--out", str(saved), "--session", "film")
    assert saved.stat().st_size > 1000
