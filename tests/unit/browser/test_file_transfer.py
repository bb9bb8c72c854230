"""Files that somebody tries to exchange, to send elsewhere, or to let grow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.browser.page.file_transfer import (
    TooLargeError,
    copy_out,
    is_plain_name,
    keep_file,
    open_inside,
    safe_name,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "in" / "a.txt").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    return root


def test_a_file_below_the_folder_is_opened(root: Path, tmp_path: Path) -> None:
    assert copy_out(open_inside(root, ("in", "a.txt")), tmp_path / "copy", 6) == 6
    assert (tmp_path / "copy").read_text() == "inside"


def test_what_became_a_link_a_pipe_or_a_folder_is_not_opened(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "way").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    for parts in (("link",), ("way", "secret"), ("pipe",), ("in",), ("gone",)):
        with pytest.raises(OSError, match=r"."):
            open_inside(root, parts)


def test_a_file_that_grew_is_not_copied_and_leaves_nothing(root: Path, tmp_path: Path) -> None:
    opened = open_inside(root, ("in", "a.txt"))
    (root / "in" / "a.txt").write_text("inside and more")
    with pytest.raises(TooLargeError):
        copy_out(opened, tmp_path / "copy", 6)
    assert not (tmp_path / "copy").exists()


def test_a_download_is_kept_beside_others_of_its_name(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    names = []
    for number in range(3):
        (tmp_path / "inbox").write_text(str(number))
        path, size = keep_file(tmp_path / "inbox", kept, "a.txt")
        names.append((path.name, path.read_text(), size))
    assert names == [("a.txt", "0", 1), ("a (2).txt", "1", 1), ("a (3).txt", "2", 1)]


def test_what_a_browser_left_in_place_of_a_download_is_not_kept(tmp_path: Path) -> None:
    secret, inbox, kept = tmp_path / "secret", tmp_path / "inbox", tmp_path / "kept"
    secret.write_text("outside")
    for make in (lambda: inbox.symlink_to(secret), lambda: os.link(secret, inbox), lambda: os.mkfifo(inbox)):
        make()
        with pytest.raises(OSError, match=r"."):
            keep_file(inbox, kept, "a.txt")
        inbox.unlink()
    assert list(kept.iterdir()) == []
    assert secret.read_text() == "outside"


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        pytest.param("../../etc/passwd", "passwd", id="folders"),
        pytest.param("..\\..\\a.txt", "a.txt", id="backslashes"),
        pytest.param("..", "download", id="dots"),
        pytest.param("", "download", id="empty"),
        pytest.param(".bashrc", "bashrc", id="hidden"),
        pytest.param("a\x00b\nc.txt", "a_b_c.txt", id="nul-and-line-end"),
        pytest.param("a\u202egnp.exe", "a_gnp.exe", id="turned-around"),
        pytest.param("😀 a:b, c+d@e.txt", "😀 a:b, c+d@e.txt", id="no-letters"),
        pytest.param("$(id);`id`.sh", "_(id)_id_.sh", id="shell"),
    ],
)
def test_names_that_pages_suggest(suggested: str, name: str) -> None:
    assert safe_name(suggested) == name


@pytest.mark.parametrize("name", ["😀.txt", "a:b.txt", "it's 100%.pdf", ".env", "👩‍💻.md"])
def test_plain_names(name: str) -> None:
    assert is_plain_name(name)


@pytest.mark.parametrize("name", ["", ".", "..", " ", "a/b", "a\\b", "a\0", "a\n", "a\u202egnp.exe", "a" * 201])
def test_names_that_are_not_plain(name: str) -> None:
    assert not is_plain_name(name)


@given(st.text(max_size=400))
def test_any_name_is_one_that_file_systems_take(suggested: str) -> None:
    name = safe_name(suggested)
    assert 0 < len(name.encode()) <= 200
    assert "/" not in name
    assert name not in (".", "..")
    assert name == safe_name(name)
