from __future__ import annotations

import dataclasses
import json
import os
import select
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perception.datasets.sources import supervise
from perception.datasets.sources.manifest import (
    MANIFEST,
    Manifest,
    Mount,
    Package,
    PackageRegistry,
    PageSpec,
    Patch,
    SiteOrigin,
    SiteProgram,
)
from perception.datasets.sources.packages import environment_folder, environment_python, package_folder
from perception.datasets.sources.site_server import Served, serve
from perception.errors import BadInputError

ENDS_SECONDS = 20.0
"""Far more than a killed process takes to be gone."""

PROGRAM = """
import http.server, os, sys
sys.stdout.write("started")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(os.environ.get("ANSWER", "200")))
        self.end_headers()
        self.wfile.write(f"{os.getpid()} {os.listdir()}".encode())
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def package(name: str, registry: PackageRegistry) -> Package:
    return Package(name, registry, "1.0", "MIT", "0" * 64)


def put(home: Path, of: Package, path: str, text: str) -> None:
    file = package_folder(of, home) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def get(url: str) -> str:
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url) as reply:
        return str(reply.read().decode())


@contextmanager
def served(manifest: Manifest, home: Path) -> Iterator[Served]:
    with serve(manifest.select([]), manifest, home / "home") as result:
        yield result


def files(
    *pages: PageSpec,
    packages: tuple[Package, ...],
    origins: tuple[SiteOrigin, ...],
    patches: tuple[Patch, ...] = (),
    root: Path = MANIFEST.parent,
) -> Manifest:
    return Manifest(
        {each.name: each for each in packages},
        {each.name: each for each in origins},
        {},
        {each.id: each for each in pages},
        patches,
        root,
    )


def app_manifest(
    root: Path, command: tuple[str, ...], prepare: tuple[tuple[str, ...], ...] = (), **environment: str
) -> Manifest:
    app = SiteProgram("app", "app", command, "/", prepare, environment)
    origins = {"o": SiteOrigin("o", Mount.BESIDE)}
    return Manifest({}, origins, {"app": app}, {"page": PageSpec("page", "/page", "form", app="app")}, root=root)


@pytest.fixture
def app_home(tmp_path: Path) -> Path:
    """A home in which the app's environment is there, with nothing installed, and its program beside."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app/program.py").write_text(PROGRAM)
    (tmp_path / "app/requirements.lock").touch()
    manifest = app_manifest(tmp_path, ())
    python = environment_python(environment_folder(manifest.apps["app"], manifest, tmp_path / "home"))
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    return tmp_path


SERVING = ("{python}", "{app}/program.py", "{port}")


def test_packages_are_installed_side_by_side_and_find_each_other(tmp_path: Path) -> None:
    a, b = package("a", PackageRegistry.NPM), package("b", PackageRegistry.PYPI)
    put(tmp_path / "home", a, "page.html", "<script src=../b/b.js>")
    put(tmp_path / "home", b, "b.js", "let b")
    page = PageSpec("p", "/a/page.html", "form", "a", "o", needs=("b",))
    with served(files(page, packages=(a, b), origins=(SiteOrigin("o", Mount.BESIDE),)), tmp_path) as result:
        assert get(result.urls["p"]) == "<script src=../b/b.js>"
        assert get(result.urls["p"].replace("a/page.html", "b/b.js")) == "let b"


def test_debian_packages_make_one_tree_in_which_links_lead_across(tmp_path: Path) -> None:
    docs, code = package("docs", PackageRegistry.DEBIAN), package("code", PackageRegistry.DEBIAN)
    put(tmp_path / "home", docs, "usr/doc/page.html", "docs")
    put(tmp_path / "home", code, "usr/js/code.js", "code")
    (package_folder(docs, tmp_path / "home") / "usr/doc/code.js").symlink_to("../js/code.js")
    origin = SiteOrigin("o", Mount.ROOT, links=(("usr/nodejs/more.js", "../js/code.js"),))
    page = PageSpec("p", "/usr/doc/page.html", "form", "docs", "o", needs=("code",))
    with served(files(page, packages=(docs, code), origins=(origin,)), tmp_path) as result:
        assert get(result.urls["p"]) == "docs"
        assert get(result.urls["p"].replace("page.html", "code.js")) == "code"
        assert get(result.urls["p"].replace("doc/page.html", "nodejs/more.js")) == "code"


def test_pages_of_our_own_name_the_other_origins_by_their_real_ports(tmp_path: Path) -> None:
    a = package("a", PackageRegistry.NPM)
    put(tmp_path / "home", a, "in.html", "inside")
    (tmp_path / "own").mkdir()
    (tmp_path / "own/page.html").write_text("{origin:o}/a/in.html")
    origins = (SiteOrigin("own", Mount.FOLDER, "own", host="localhost"), SiteOrigin("o", Mount.BESIDE))
    page = PageSpec("p", "/page.html", "iframe", origin="own", needs=("a",))
    with served(files(page, packages=(a,), origins=origins, root=tmp_path), tmp_path) as result:
        assert result.urls["p"].startswith("http://localhost:")
        assert get(get(result.urls["p"])) == "inside"


def test_a_page_that_was_not_fetched_is_named_with_what_it_lacks_and_the_rest_is_served(tmp_path: Path) -> None:
    a, b = package("a", PackageRegistry.NPM), package("b", PackageRegistry.NPM)
    put(tmp_path / "home", a, "page.html", "there")
    pages = (PageSpec("p", "/a/page.html", "form", "a", "o"), PageSpec("q", "/b/page.html", "form", "b", "o"))
    with served(files(*pages, packages=(a, b), origins=(SiteOrigin("o", Mount.BESIDE),)), tmp_path) as result:
        assert result.urls.keys() == {"p"}
        assert result.unserved == {"q": "not fetched: b 1.0"}


def test_nothing_is_left_of_what_was_served(tmp_path: Path) -> None:
    a = package("a", PackageRegistry.DEBIAN)
    put(tmp_path / "home", a, "usr/page.html", "kept")
    page = PageSpec("p", "/usr/page.html", "form", "a", "o")
    with served(files(page, packages=(a,), origins=(SiteOrigin("o", Mount.ROOT),)), tmp_path) as result:
        url = result.urls["p"]
    with pytest.raises(OSError, match="refused"):
        get(url)
    assert [entry.name for entry in (tmp_path / "home").iterdir()] == ["packages"]
    assert (package_folder(a, tmp_path / "home") / "usr/page.html").read_text() == "kept"


def test_an_app_serves_from_a_prepared_state_folder_and_ends_with_the_context(app_home: Path) -> None:
    prepare = (("{python}", "-c", "open('seed', 'w')"),)
    with served(app_manifest(app_home, SERVING, prepare), app_home) as result:
        process, _, state = get(result.urls["page"]).partition(" ")
        running = os.pidfd_open(int(process))
        assert "seed" in state
    assert select.select([running], [], [], ENDS_SECONDS)[0] == [running]
    os.close(running)


def test_an_app_that_ends_at_once_is_reported_in_its_own_words(app_home: Path) -> None:
    with served(
        app_manifest(app_home, ("{python}", "-c", "raise SystemExit('no licence to serve')")), app_home
    ) as result:
        assert "no licence to serve" in result.unserved["page"]
        assert result.urls == {}


def test_an_app_whose_preparation_fails_is_reported(app_home: Path) -> None:
    prepare = (("{python}", "-c", "raise SystemExit('no seed')"),)
    with served(app_manifest(app_home, SERVING, prepare), app_home) as result:
        assert "no seed" in result.unserved["page"]


def test_an_app_that_answers_an_error_is_reported(app_home: Path) -> None:
    with served(app_manifest(app_home, SERVING, ANSWER="500"), app_home) as result:
        assert "answers 500" in result.unserved["page"]


def test_an_app_sees_its_own_home_and_variables_and_none_of_the_users(
    app_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USERS_SECRET", "hush")
    show = "import json, os; json.dump(dict(os.environ), open('seen', 'w'))"
    keep = ("cp", "seen", str(app_home / "seen"))
    prepare = (("{python}", "-c", show), keep)
    with served(app_manifest(app_home, SERVING, prepare, WHERE="{origin:o}", PLACE="{state}/x"), app_home) as result:
        assert result.unserved == {}
    seen = json.loads((app_home / "seen").read_text())
    assert "USERS_SECRET" not in seen
    assert seen["WHERE"].startswith("http://127.0.0.1:")
    assert seen["PLACE"] == f"{seen['HOME']}/x"
    assert Path(seen["HOME"]).parent.parent == app_home / "home"


def test_an_app_that_fails_costs_its_pages_alone(app_home: Path) -> None:
    good = app_manifest(app_home, SERVING)
    bad = dataclasses.replace(good.apps["app"], name="bad", command=("{python}", "-c", "raise SystemExit('no')"))
    pages = {**good.pages, "q": PageSpec("q", "/", "form", app="bad")}
    manifest = dataclasses.replace(good, apps={"bad": bad, **good.apps}, pages=pages)
    with served(manifest, app_home) as result:
        assert result.urls.keys() == {"page"}
        assert result.unserved.keys() == {"q"}
        assert get(result.urls["page"])


PATCH = Patch("a", "site/config.js", "elsewhere", "here")


@pytest.mark.parametrize(
    ("registry", "mount", "path"),
    [
        pytest.param(PackageRegistry.NPM, Mount.BESIDE, "/a/site/config.js", id="beside"),
        pytest.param(PackageRegistry.DEBIAN, Mount.ROOT, "/site/config.js", id="root"),
    ],
)
def test_a_patched_file_is_served_changed_and_kept_as_it_came(
    tmp_path: Path, registry: PackageRegistry, mount: Mount, path: str
) -> None:
    a = package("a", registry)
    put(tmp_path / "home", a, "site/config.js", "from elsewhere")
    put(tmp_path / "home", a, "site/other.js", "untouched")
    manifest = files(
        PageSpec("p", path, "form", "a", "o"), packages=(a,), origins=(SiteOrigin("o", mount),), patches=(PATCH,)
    )
    with served(manifest, tmp_path) as result:
        assert get(result.urls["p"]) == "from here"
        assert get(result.urls["p"].replace("config", "other")) == "untouched"
    assert (package_folder(a, tmp_path / "home") / "site/config.js").read_text() == "from elsewhere"


@pytest.mark.parametrize("text", ["nothing to find", "elsewhere and elsewhere", None])
def test_a_patch_that_does_not_fit_is_refused(tmp_path: Path, text: str | None) -> None:
    a = package("a", PackageRegistry.NPM)
    put(tmp_path / "home", a, "page.html" if text is None else "site/config.js", text or "")
    manifest = files(
        PageSpec("p", "/a/", "form", "a", "o"),
        packages=(a,),
        origins=(SiteOrigin("o", Mount.BESIDE),),
        patches=(PATCH,),
    )
    with pytest.raises(BadInputError, match=r"a/site/config\.js"), served(manifest, tmp_path):
        pass


def test_a_supervised_program_ends_when_the_pipe_closes() -> None:
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    command = [sys.executable, "-I", str(supervise.__file__), sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        running = os.pidfd_open(int(holder.stdout.readline()))
        holder.stdin.close()
        assert select.select([running], [], [], ENDS_SECONDS)[0] == [running]
    os.close(running)


def test_a_supervisor_ends_what_its_program_put_into_a_session_of_its_own() -> None:
    sleeper = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    program = f"""
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {f"import os; os.fork() and os._exit(0); {sleeper}"!r}], start_new_session=True)
time.sleep(600)
"""
    command = [sys.executable, "-I", str(supervise.__file__), sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        running = os.pidfd_open(int(holder.stdout.readline()))
        holder.stdin.close()
        assert select.select([running], [], [], ENDS_SECONDS)[0] == [running]
        assert holder.wait(ENDS_SECONDS) != 0
    os.close(running)


def test_a_supervisor_ends_with_its_program_and_its_exit_status() -> None:
    command = [sys.executable, "-I", str(supervise.__file__), sys.executable, "-c", "raise SystemExit(3)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as holder:
        assert holder.wait(ENDS_SECONDS) == 3
