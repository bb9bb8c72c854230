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
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from perception.datasets.manifest import App, Manifest, Mount, Origin, Package, Page, Registry
from perception.datasets.packages import (
    PackageError,
    environment_folder,
    fetch,
    home_folder,
    missing,
    package_folder,
    unpack,
    verify,
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


def package_of(data: bytes, registry: Registry, name: str = "greeting") -> Package:
    return Package(
        name, registry, "1.0.0" if registry is Registry.NPM else "1.0", "MIT", hashlib.sha256(data).hexdigest()
    )


def manifest_of(package: Package) -> Manifest:
    """One page of that package, by an app if it is from PyPI."""
    if package.registry is Registry.PYPI:
        app = App("app", "app", (package.name,), (), ("{python}",), "/")
        page = Page("page", "/", "form", package.name, app="app")
        return Manifest({package.name: package}, {}, {"app": app}, {"page": page})
    page = Page("page", "/", "form", package.name, origin="o")
    return Manifest({package.name: package}, {"o": Origin("o", Mount.BESIDE)}, {}, {"page": page})


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
    server = ThreadingHTTPServer(("127.0.0.1", 0), Npm)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_address[1]}/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield Npm.archive
    server.shutdown()
    server.server_close()
    thread.join()


def fetch_page(package: Package, home: Path) -> None:
    manifest = manifest_of(package)
    fetch(manifest.pages["page"], manifest, home)


@needs_npm
def test_an_npm_package_is_fetched_without_its_top_folder(npm: bytes, tmp_path: Path) -> None:
    package = package_of(npm, Registry.NPM)
    home = tmp_path / "home"
    fetch_page(package, home)
    assert (package_folder(package, home) / "index.html").read_text() == "<p>hello"
    assert [entry.name for entry in home.iterdir()] == ["packages"]


@needs_npm
def test_another_archive_than_the_manifests_is_an_error_and_leaves_nothing(npm: bytes, tmp_path: Path) -> None:
    package = package_of(b"what was listed", Registry.NPM)
    home = tmp_path / "home"
    with pytest.raises(PackageError, match=hashlib.sha256(npm).hexdigest()):
        fetch_page(package, home)
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert not package_folder(package, home).exists()


@needs_npm
def test_a_version_that_the_registry_lacks_is_an_error_in_its_clients_words(npm: bytes, tmp_path: Path) -> None:
    package = Package("greeting", Registry.NPM, "9.9.9", "MIT", "0" * 64)
    with pytest.raises(PackageError, match=r"greeting@9\.9\.9"):
        fetch_page(package, tmp_path / "home")


@needs_apt
def test_a_version_that_the_debian_mirror_lacks_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    package = Package("no-such-package-anywhere", Registry.DEBIAN, "0.1", "MIT", "0" * 64)
    with pytest.raises(PackageError, match=r"no-such-package-anywhere.*apt-get update"):
        fetch_page(package, tmp_path / "home")
    assert not package_folder(package, tmp_path / "home").exists()


def test_what_is_there_is_not_fetched_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = package_of(b"", Registry.NPM)
    package_folder(package, tmp_path).mkdir(parents=True)
    monkeypatch.setenv("PATH", "")  # no client could be run
    fetch_page(package, tmp_path)


def test_a_client_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PackageError, match="`apt-get`"):
        fetch_page(package_of(b"", Registry.DEBIAN), tmp_path)


def test_an_apps_packages_are_installed_by_pip_from_verified_wheels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = wheel("greeting")
    (tmp_path / "greeting-1.0-py3-none-any.whl").write_bytes(data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    manifest = manifest_of(package_of(data, Registry.PYPI))
    page, home = manifest.pages["page"], tmp_path / "home"
    assert missing(page, manifest, home) == ("the packages of app app",)
    fetch(page, manifest, home)
    assert (environment_folder(manifest.apps["app"], manifest, home) / "greeting.py").is_file()
    assert missing(page, manifest, home) == ()


def test_a_wheel_that_was_changed_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "greeting-1.0-py3-none-any.whl").write_bytes(wheel("greeting"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    manifest = manifest_of(package_of(b"another", Registry.PYPI))
    with pytest.raises(PackageError, match="sha256"):
        fetch(manifest.pages["page"], manifest, tmp_path / "home")
    assert missing(manifest.pages["page"], manifest, tmp_path / "home")


def test_verify_takes_the_very_archive(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(b"data")
    verify(tmp_path / "archive", package_of(b"data", Registry.NPM))
    with pytest.raises(PackageError, match="sha256"):
        verify(tmp_path / "archive", package_of(b"datA", Registry.NPM))


@pytest.mark.parametrize("name", ["package/../../outside", "package//etc/../../outside"])
def test_a_member_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "a.tgz"
    archive.write_bytes(tarball({name: b"data"}))
    with pytest.raises(PackageError, match="outside"):
        unpack(archive, package_of(b"", Registry.NPM), tmp_path / "unpacked")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("registry", [Registry.NPM, Registry.PYPI])
def test_what_is_no_archive_is_an_error(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "archive").write_bytes(b"<html>not found</html>")
    with pytest.raises(PackageError, match="cannot be unpacked"):
        unpack(tmp_path / "archive", package_of(b"", registry), tmp_path / "unpacked")


def test_a_wheel_is_unpacked_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "w.whl").write_bytes(wheel("greeting"))
    unpack(tmp_path / "w.whl", package_of(b"", Registry.PYPI), tmp_path / "unpacked")
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
    unpack(tmp_path / "a.deb", package_of(b"", Registry.DEBIAN), tmp_path / "unpacked")
    assert (tmp_path / "unpacked/usr/page.html").read_text() == "<p>hello"


def test_home_is_the_variables_else_in_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path / "h"))
    assert home_folder() == tmp_path / "h"
    monkeypatch.delenv("PERCEPTION_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    assert home_folder() == tmp_path / "c/perception"
