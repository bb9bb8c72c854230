from __future__ import annotations

import http.client
import threading
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from perception.testing import PageServer


def read(url: str) -> str:
    with urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())


def test_pages_take_precedence_over_files_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("file a")
    (tmp_path / "b.html").write_text("file b")
    with PageServer(tmp_path, pages={"/b.html": "page b — ü"}) as server:
        assert read(server.url("/a.html")) == "file a"
        assert read(server.url("/b.html?x=1")) == "page b — ü"
        assert server.requests == ["/a.html", "/b.html?x=1"]


def test_a_test_can_change_the_pages_while_the_server_runs() -> None:
    pages = {"/": "first"}
    with PageServer(pages=pages) as server:
        assert read(server.url("/")) == "first"
        pages["/"] = "second"
        assert read(server.url("/")) == "second"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/missing.html", id="missing"),
        pytest.param("/", id="no-listing"),
        pytest.param("/../secret.txt", id="parent"),
        pytest.param("/%2e%2e/secret.txt", id="escaped-parent"),
    ],
)
def test_what_is_not_in_the_folder_is_not_found(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "pages").mkdir()
    with PageServer(tmp_path / "pages") as server, pytest.raises(HTTPError) as caught:
        read(server.url(path))
    assert caught.value.code == 404
    caught.value.close()


def test_a_stalled_path_does_not_block_other_paths_and_ends_with_the_server() -> None:
    with PageServer(pages={"/": "here"}, stalled=frozenset({"/never"})) as server:
        stalled = http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=30)
        stalled.request("GET", "/never")
        assert read(server.url("/")) == "here"
    with pytest.raises((http.client.HTTPException, OSError)):
        stalled.getresponse()
    stalled.close()


def test_closing_twice_is_harmless_and_frees_the_port_and_the_thread() -> None:
    before = threading.active_count()
    server = PageServer(pages={"/": "here"}).start()
    url = server.url("/")
    server.close()
    server.close()
    with pytest.raises(URLError):
        read(url)
    assert threading.active_count() == before


def test_a_server_that_never_started_can_be_closed() -> None:
    PageServer().close()


def test_misuse_is_refused_with_a_reason() -> None:
    with PageServer() as server:
        with pytest.raises(ValueError, match="does not begin with a slash"):
            server.url("shop")
        with pytest.raises(RuntimeError, match="was started before"):
            server.start()
