"""The registries' real clients, against registries of our own on loopback."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar

import pytest

from perception.bench.pages.local_site import serve_handler
from perception.datasets.sources.manifest import (
    Manifest,
    Mount,
    Package,
    PackageRegistry,
    PageSpec,
    SiteOrigin,
    SiteProgram,
)
from perception.datasets.sources.package_clients import Clients, PackageError
from perception.datasets.sources.packages import (
    FetchStep,
    PackageFile,
    absent,
    environment_folder,
    environment_python,
    fetch,
    fetch_all,
    package_folder,
    unpack,
    verify,
    work_folder,
)

needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
needs_apt = pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt-get is not installed")
needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")


def tarball(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def wheel(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{name}.py", "GREETING = 'hello'\n")
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return buffer.getvalue()


def package_of(data: bytes, registry: PackageRegistry, name: str = "greeting") -> Package:
    return Package(
        name, registry, "1.0.0" if registry is PackageRegistry.NPM else "1.0", "MIT", hashlib.sha256(data).hexdigest()
    )


def manifest_of(package: Package) -> Manifest:
    """One page of that package."""
    page = PageSpec("page", "/", "form", package.name, origin="o")
    return Manifest({package.name: package}, {"o": SiteOrigin("o", Mount.BESIDE)}, {}, {"page": page})


class Npm(BaseHTTPRequestHandler):
    """A registry with one package, `greeting` 1.0.0."""

    archive: ClassVar[bytes] = tarball({"package/index.html": b"<p>hello", "package/package.json": b"{}"})

    def do_GET(self) -> None:
        origin = f"http://{self.headers['Host']}"
        dist = {"tarball": f"{origin}/greeting.tgz", "shasum": hashlib.sha1(self.archive).hexdigest()}
        version = {"name": "greeting", "version": "1.0.0", "dist": dist}
        facts = {"name": "greeting", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        known = self.path in ("/greeting", "/greeting.tgz")
        body = self.archive if self.path.endswith(".tgz") else json.dumps(facts).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[bytes]:
    """npm asks our registry. Gives the archive it serves."""
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serve_handler(Npm) as origin:
        monkeypatch.setenv("npm_config_registry", f"{origin}/")
        yield Npm.archive


def app_manifest(folder: Path, *wheels: bytes, hashes: Sequence[str] = ()) -> Manifest:
    """One page of an app, whose lock names `greeting` 1.0 by the hashes of these wheels and those given."""
    lines = [f"--hash=sha256:{each}" for each in [*(hashlib.sha256(data).hexdigest() for data in wheels), *hashes]]
    (folder / "app").mkdir(parents=True)
    (folder / "app/requirements.lock").write_text(" \\\n  ".join(["greeting==1.0", *lines]) + "\n")
    app = SiteProgram("app", "app", ("{python}",), "/")
    return Manifest({}, {}, {"app": app}, {"page": PageSpec("page", "/", "form", app="app")}, root=folder)


@pytest.fixture
def wheels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """pip finds what is in this folder, and nothing else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    return tmp_path


def lacks(manifest: Manifest, home: Path) -> list[str]:
    return [piece.label for piece in absent(manifest.pages.values(), manifest, home)]


def fetch_page(package: Package, home: Path) -> None:
    manifest = manifest_of(package)
    fetch(manifest.pages["page"], manifest, home)


@needs_npm
def test_an_npm_package_is_fetched_without_its_top_folder(npm: bytes, tmp_path: Path) -> None:
    package = package_of(npm, PackageRegistry.NPM)
    home = tmp_path / "home"
    fetch_page(package, home)
    assert (package_folder(package, home) / "index.html").read_text() == "<p>hello"
    assert [entry.name for entry in home.iterdir()] == ["packages"]


@needs_npm
def test_another_archive_than_the_manifests_is_an_error_and_leaves_nothing(npm: bytes, tmp_path: Path) -> None:
    package = package_of(b"what was listed", PackageRegistry.NPM)
    home = tmp_path / "home"
    with pytest.raises(PackageError, match=hashlib.sha256(npm).hexdigest()):
        fetch_page(package, home)
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert not package_folder(package, home).exists()


@needs_npm
def test_a_version_that_the_registry_lacks_is_an_error_in_its_clients_words(npm: bytes, tmp_path: Path) -> None:
    package = Package("greeting", PackageRegistry.NPM, "9.9.9", "MIT", "0" * 64)
    with pytest.raises(PackageError, match=r"greeting@9\.9\.9"):
        fetch_page(package, tmp_path / "home")


@needs_apt
def test_a_version_that_the_debian_mirror_lacks_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    package = Package("no-such-package-anywhere", PackageRegistry.DEBIAN, "0.1", "MIT", "0" * 64)
    with pytest.raises(PackageError, match=r"no-such-package-anywhere.*apt-get update"):
        fetch_page(package, tmp_path / "home")
    assert not package_folder(package, tmp_path / "home").exists()


def test_what_is_there_is_not_fetched_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = package_of(b"", PackageRegistry.NPM)
    package_folder(package, tmp_path).mkdir(parents=True)
    monkeypatch.setenv("PATH", "")  # no client could be run
    fetch_page(package, tmp_path)


def test_a_client_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PackageError, match="`apt-get`"):
        fetch_page(package_of(b"", PackageRegistry.DEBIAN), tmp_path)


def test_an_apps_packages_are_installed_by_pip_into_an_environment_of_their_own(wheels: Path) -> None:
    data = wheel("greeting")
    (wheels / "greeting-1.0-py3-none-any.whl").write_bytes(data)
    manifest, home = app_manifest(wheels / "root", data, hashes=["0" * 64]), wheels / "home"
    assert lacks(manifest, home) == ["the Python packages of app"]
    fetch(manifest.pages["page"], manifest, home)
    assert lacks(manifest, home) == []
    python = environment_python(environment_folder(manifest.apps["app"], manifest, home))
    command = [str(python), "-c", "import greeting, sys; print(greeting.GREETING, 'pytest' in sys.modules, sys.prefix)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"hello False {python.parent.parent}\n"
    assert subprocess.run([str(python), "-c", "import pytest"], capture_output=True).returncode == 1


def test_a_wheel_that_is_not_the_locks_is_not_installed(wheels: Path) -> None:
    (wheels / "greeting-1.0-py3-none-any.whl").write_bytes(wheel("greeting"))
    manifest, home = app_manifest(wheels / "root", b"another"), wheels / "home"
    with pytest.raises(PackageError, match=r"(?i)hash"):
        fetch(manifest.pages["page"], manifest, home)
    assert lacks(manifest, home) == ["the Python packages of app"]
    assert [entry.name for entry in home.iterdir()] == ["environments"]
    assert list((home / "environments").iterdir()) == []


def test_another_lock_is_another_environment(tmp_path: Path) -> None:
    one, two = app_manifest(tmp_path / "one", b"1"), app_manifest(tmp_path / "two", b"2")
    folders = {environment_folder(each.apps["app"], each, tmp_path) for each in (one, two)}
    assert len(folders) == 2


def test_a_lock_that_is_not_there_is_named(tmp_path: Path) -> None:
    manifest = app_manifest(tmp_path)
    (tmp_path / "app/requirements.lock").unlink()
    with pytest.raises(PackageError, match=r"app app.*requirements\.lock"):
        environment_folder(manifest.apps["app"], manifest, tmp_path)


@needs_npm
def test_one_piece_that_fails_does_not_keep_the_others_from_being_fetched(npm: bytes, tmp_path: Path) -> None:
    good = package_of(npm, PackageRegistry.NPM)
    bad = Package("no-such-thing", PackageRegistry.NPM, "1.0.0", "MIT", "0" * 64)
    pages = [PageSpec(f"p{n}", "/", "form", each.name, "o") for n, each in enumerate((bad, good, bad))]
    manifest = Manifest(
        {each.name: each for each in (good, bad)},
        {"o": SiteOrigin("o", Mount.BESIDE)},
        {},
        {each.id: each for each in pages},
    )
    wanted = absent(pages, manifest, tmp_path)
    assert {piece.label: ids for piece, ids in wanted.items()} == {
        "no-such-thing 1.0.0": ("p0", "p2"),
        "greeting 1.0.0": ("p1",),
    }
    told: list[tuple[str, FetchStep]] = []
    failures = fetch_all(wanted, tmp_path, report=lambda piece, step: told.append((piece.label, step)))
    assert [piece.label for piece in failures] == ["no-such-thing 1.0.0"]
    assert "no-such-thing@1.0.0" in next(iter(failures.values()))
    assert lacks(manifest, tmp_path) == ["no-such-thing 1.0.0"]
    assert sorted(told) == sorted(
        [
            ("greeting 1.0.0", FetchStep.STARTED),
            ("greeting 1.0.0", FetchStep.DONE),
            ("no-such-thing 1.0.0", FetchStep.STARTED),
            ("no-such-thing 1.0.0", FetchStep.FAILED),
        ]
    )


def test_an_interruption_ends_the_clients_and_leaves_no_folder(tmp_path: Path) -> None:
    def wait(work: Path, clients: Clients) -> Path:
        (work / "half").mkdir()
        started.set()
        clients.run(["sleep", "600"], work)
        return work / "half"

    def report(piece: PackageFile, step: FetchStep) -> None:
        if piece.label == "quick" and step is FetchStep.DONE:
            started.wait()
            raise KeyboardInterrupt

    def make(work: Path, clients: Clients) -> Path:
        (work / "whole").mkdir()
        return work / "whole"

    started = threading.Event()
    pieces = [PackageFile("slow", tmp_path / "kept/slow", wait), PackageFile("quick", tmp_path / "kept/quick", make)]
    with pytest.raises(KeyboardInterrupt):
        fetch_all(pieces, tmp_path, report=report)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["kept", "kept/quick"]


def test_no_client_starts_after_the_end(tmp_path: Path) -> None:
    clients = Clients()
    clients.end()
    with pytest.raises(PackageError, match="stopped"):
        clients.run(["touch", "made"], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    (tmp_path / "fetching-left").mkdir()
    (tmp_path / "fetching-left/half").touch()
    with work_folder(tmp_path, "fetching") as one, work_folder(tmp_path, "fetching") as two:
        assert sorted(tmp_path.iterdir()) == sorted([one, two])
    assert list(tmp_path.iterdir()) == []


def test_verify_takes_the_very_archive(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(b"data")
    verify(tmp_path / "archive", package_of(b"data", PackageRegistry.NPM))
    with pytest.raises(PackageError, match="sha256"):
        verify(tmp_path / "archive", package_of(b"datA", PackageRegistry.NPM))


@pytest.mark.parametrize("name", ["package/../../outside", "package//etc/../../outside"])
def test_a_member_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "a.tgz"
    archive.write_bytes(tarball({name: b"data"}))
    with pytest.raises(PackageError, match="outside"):
        unpack(archive, package_of(b"", PackageRegistry.NPM), tmp_path / "unpacked", Clients())
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("registry", [PackageRegistry.NPM, PackageRegistry.PYPI])
def test_what_is_no_archive_is_an_error(tmp_path: Path, registry: PackageRegistry) -> None:
    (tmp_path / "archive").write_bytes(b"<html>not found</html>")
    with pytest.raises(PackageError, match="cannot be unpacked"):
        unpack(tmp_path / "archive", package_of(b"", registry), tmp_path / "unpacked", Clients())


def test_a_wheel_is_unpacked_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "w.whl").write_bytes(wheel("greeting"))
    unpack(tmp_path / "w.whl", package_of(b"", PackageRegistry.PYPI), tmp_path / "unpacked", Clients())
    assert (tmp_path / "unpacked/greeting.py").is_file()


@needs_dpkg
def test_a_debian_package_is_unpacked_from_the_root(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        "Package: greeting\nVersion: 1.0\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: a\n"
    )
    (tree / "usr").mkdir()
    (tree / "usr/page.html").write_text("<p>hello")
    subprocess.run(["dpkg-deb", "--build", str(tree), str(tmp_path / "a.deb")], check=True, capture_output=True)
    unpack(tmp_path / "a.deb", package_of(b"", PackageRegistry.DEBIAN), tmp_path / "unpacked", Clients())
    assert (tmp_path / "unpacked/usr/page.html").read_text() == "<p>hello"
