"""Profiles on disk: encrypted, whole after any crash, one writer at a time, apart by principal."""

from __future__ import annotations

import base64
import contextlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest

from perception.browser.storage.state import BrowserState, Cookie, OriginStorage, StorageItem
from perception.errors import (
    BadInputError,
    ProfileDamagedError,
    ProfileInUseError,
    ProfileKeyWrongError,
    ProfileLimitError,
    ProfileNotFoundError,
)
from perception.server.files.stored_file import MAX_STORED_BYTES
from perception.server.profiles import store as store_module
from perception.server.profiles.keys import ProfileKey, load_key
from perception.server.profiles.sealed_file import read_header
from perception.server.profiles.store import ProfileStore
from tests.paths import ROOT

KEY = ProfileKey(bytes(range(32)))
OTHER_KEY = ProfileKey(bytes(range(1, 33)))


def _state(value: str) -> BrowserState:
    storage = OriginStorage("https://a.example", [StorageItem("token", value)])
    return BrowserState([Cookie(name="sid", value=value, domain="a.example", same_site="Lax")], [storage])


@pytest.fixture
def store(tmp_path: Path) -> ProfileStore:
    return ProfileStore(tmp_path, lambda: KEY)


def _save(store: ProfileStore, value: str, name: str = "shop", principal: str = "ada") -> None:
    held = store.open(principal, name, "s1")
    held.save(_state(value))
    held.release()


def _value(store: ProfileStore, name: str = "shop") -> str:
    return store.open("ada", name, "reader", read_only=True).state.cookies[0].value


def test_profile_comes_back_as_it_was_saved(store: ProfileStore) -> None:
    first = store.open("ada", "shop", "s0")
    assert first.state == BrowserState()
    first.release()
    _save(store, "s3cret")
    assert store.open("ada", "shop", "s2", read_only=True).state == _state("s3cret")


def test_nothing_of_a_state_is_readable_on_disk(store: ProfileStore, tmp_path: Path) -> None:
    _save(store, "s3cret")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert b"s3cret" not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.rglob("*"))


def test_second_session_is_told_who_has_the_profile(store: ProfileStore) -> None:
    held = store.open("ada", "shop", "s1")
    with pytest.raises(ProfileInUseError, match=rf"session s1 \(process {os.getpid()}") as raised:
        store.open("ada", "shop", "s2")
    assert raised.value.metadata["session"] == "s1"
    held.release()
    store.open("ada", "shop", "s2").release()


def test_profile_that_is_only_read_keeps_nobody_out(store: ProfileStore) -> None:
    _save(store, "s3cret")
    held = store.open("ada", "shop", "s1")
    assert store.open("ada", "shop", "s2", read_only=True).state == _state("s3cret")
    held.release()
    with pytest.raises(ProfileNotFoundError, match="there are shop"):
        store.open("ada", "shoop", "s2", read_only=True)


def test_profiles_of_others_do_not_exist(store: ProfileStore) -> None:
    _save(store, "s3cret")
    held = store.open("bob", "shop", "s2")
    assert held.state == BrowserState()
    held.release()
    assert store.list("bob") == []
    with pytest.raises(ProfileNotFoundError, match="there are none"):
        store.delete("bob", "shop")


def test_wrong_key_is_one_clear_error_and_the_profile_stays(store: ProfileStore, tmp_path: Path) -> None:
    _save(store, "s3cret")
    wrong = ProfileStore(tmp_path, lambda: OTHER_KEY)
    with pytest.raises(ProfileKeyWrongError, match=f"key {KEY.key_id}.*key {OTHER_KEY.key_id}"):
        wrong.open("ada", "shop", "s2")
    assert _value(store) == "s3cret"
    wrong.delete("ada", "shop")
    assert store.list("ada") == []


@pytest.mark.parametrize("where", [3, 60, -1], ids=["magic", "header", "content"])
def test_changed_file_is_refused(store: ProfileStore, tmp_path: Path, where: int) -> None:
    _save(store, "s3cret")
    [path] = tmp_path.rglob("*.profile")
    data = bytearray(path.read_bytes())
    data[where] ^= 1
    path.write_bytes(data)
    with pytest.raises((ProfileDamagedError, ProfileKeyWrongError)):
        store.open("ada", "shop", "s2")


@pytest.mark.parametrize("length", [0, 10, 100, 400])
def test_truncated_file_is_refused(store: ProfileStore, tmp_path: Path, length: int) -> None:
    _save(store, "s3cret")
    [path] = tmp_path.rglob("*.profile")
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ProfileDamagedError):
        store.open("ada", "shop", "s2")


def _put(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(b"")
        os.truncate(path, MAX_STORED_BYTES + 1)


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "large"])
@pytest.mark.parametrize("ending", ["", ".lock", ".part"])
def test_what_is_no_file_in_place_of_a_profiles_is_one_clear_error(
    store: ProfileStore, tmp_path: Path, kind: str, ending: str
) -> None:
    _save(store, "s3cret")
    [path] = tmp_path.rglob("*.profile")
    _put(path.with_name(path.name + ending), kind)
    refused = not ending or (kind, ending) in ((kind, ".lock"), ("folder", ".part"))
    one_error = pytest.raises(ProfileDamagedError, match="remove what is not a profile")
    with contextlib.nullcontext() if not refused or (kind, ending) == ("large", ".lock") else one_error:
        store.open("ada", "shop", "s2").release()
    with one_error if not ending else contextlib.nullcontext():
        store.open("ada", "shop", "s2", read_only=True).release()
    assert len(store.list("ada")) <= 1
    with contextlib.suppress(ProfileDamagedError):
        store.delete("ada", "shop")
    _save(store, "other", name="other")
    assert _value(store, "other") == "other"


def test_profile_of_another_name_is_refused_under_this_one(store: ProfileStore, tmp_path: Path) -> None:
    _save(store, "s3cret")
    [path] = tmp_path.rglob("*.profile")
    path.rename(path.with_name("bank.profile"))
    with pytest.raises(ProfileDamagedError):
        store.open("ada", "bank", "s2")


def test_list_says_what_there_is_without_a_key(store: ProfileStore, tmp_path: Path) -> None:
    _save(store, "s3cret", "b")
    _save(store, "s3cret", "a")
    held = store.open("ada", "b", "s9")

    def no_key() -> ProfileKey:
        raise AssertionError("the key was read")

    first, second = ProfileStore(tmp_path, no_key, days=2).list("ada")
    assert (first.header.name, first.header.cookies, first.header.origins, first.holder) == ("a", 1, 1, None)
    assert second.holder is not None
    assert second.holder.session_id == "s9"
    assert first.expires_s == pytest.approx(first.header.saved_s + 2 * 86400)
    held.release()


def test_profile_that_was_not_saved_for_long_expires(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path, lambda: KEY, days=-1)
    _save(store, "s3cret")
    held = store.open("ada", "kept", "s1")
    held.save(_state("k"))
    assert [each.header.name for each in store.list("ada")] == ["kept"]  # in use
    held.release()
    assert store.list("ada") == []
    held = store.open("ada", "shop", "s1")
    assert held.state == BrowserState()
    held.release()


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "-x", "x" * 65, "a\n", "é", "a.", "a b"])
def test_name_that_is_none_is_refused(store: ProfileStore, name: str) -> None:
    with pytest.raises(BadInputError, match="is not a profile name"):
        store.open("ada", name, "s1")


def test_profiles_are_limited(store: ProfileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_PROFILES", 1)
    _save(store, "s3cret")
    _save(store, "again")
    with pytest.raises(ProfileLimitError, match="delete one"):
        store.open("ada", "second", "s1")


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from perception.browser.storage.state import BrowserState, Cookie
    from perception.server.profiles.keys import ProfileKey
    from perception.server.profiles.store import ProfileStore

    left = int(sys.argv[2])

    def step(function):
        def run(*args, **kwargs):
            global left
            left -= 1
            if left < 0:
                if function is os_write:
                    os_write(args[0], bytes(args[1])[: len(args[1]) // 2])  # half of it gets to the disk
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)
        return run

    held = ProfileStore(Path(sys.argv[1]), lambda: ProfileKey(bytes(range(32)))).open("ada", "shop", "killed")
    os_write = os.write
    for name in ("open", "write", "fsync", "close", "replace"):
        setattr(os, name, step(getattr(os, name)))
    held.save(BrowserState([Cookie(name="sid", value="new", domain="a.example")]))
    print("saved")
"""


def test_save_that_is_killed_at_any_step_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path, lambda: KEY)
    seen = []
    for steps in range(20):
        _save(store, "old")
        run = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path), str(steps)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        seen.append(_value(store))
        held = store.open("ada", "shop", "next")  # the lock went with the process
        assert not list(tmp_path.rglob("*.part"))
        held.release()
        if run.returncode == 0:
            break
        assert run.returncode == -9, run.stderr
    assert run.stdout == "saved\n"
    assert len(seen) >= 7
    assert seen == sorted(seen, reverse=True)  # old, old, …, new
    assert {"old", "new"} == set(seen)


def test_own_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    first = load_key("", tmp_path)
    assert load_key("", tmp_path) == first
    assert (tmp_path / "profiles.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["profiles.key"]
    assert first.secret.hex() not in repr(first)


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [(None, 0o600, "cannot be read"), ("short", 0o600, "holds no key"), ("00" * 32, 0o644, "chmod 600")],
    ids=["missing", "short", "open"],
)
def test_key_file_that_is_none_is_one_clear_error(tmp_path: Path, text: str | None, mode: int, says: str) -> None:
    path = tmp_path / "key"
    if text is not None:
        path.write_text(text)
        path.chmod(mode)
    with pytest.raises(ProfileKeyWrongError, match=says) as raised:
        load_key(str(path), tmp_path)
    assert "PERCEPTION_PROFILE_KEY" in str(raised.value)


def test_key_is_taken_in_hexadecimal_and_base64(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_text(KEY.secret.hex() + "\n")
    assert load_key(str(path), tmp_path) == KEY
    path.write_text(base64.b64encode(KEY.secret).decode())
    assert load_key(str(path), tmp_path) == KEY


def test_header_is_bound_to_the_content(store: ProfileStore, tmp_path: Path) -> None:
    _save(store, "s3cret")
    [path] = tmp_path.rglob("*.profile")
    header = read_header(path)
    changed = path.read_bytes().replace(b'"cookies":1', b'"cookies":2')
    path.write_bytes(changed)
    with pytest.raises(ProfileDamagedError):
        store.open("ada", "shop", "s2")
    assert msgspec.structs.replace(header, cookies=2) == read_header(path)
