"""Recordings and subroutines on disk."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from perception.errors import (
    SubroutineBrokenError,
    SubroutineExistsError,
    UnknownRecordingError,
    UnknownSubroutineError,
)
from perception.server.subroutines.subroutine_store import SubroutineStore
from perception.subroutines.stored import MANIFEST, Stored
from tests.support.fakes import SITE


def stored(subroutine_id: str = "site-add", name: str = "add", origin: str = SITE, body: str = "1") -> Stored:
    return Stored(subroutine_id, name, "", origin, "input", "", {}, 0.0, (), body=body, context="")


@pytest.fixture
def store(tmp_path: Path) -> SubroutineStore:
    return SubroutineStore(tmp_path)


def test_what_is_kept_is_read_back(store: SubroutineStore, tmp_path: Path) -> None:
    store.keep(stored(body="async () => 1"))
    assert store.get("site-add").body == "async () => 1"
    assert SubroutineStore(tmp_path).list() == store.list()


def test_a_name_is_given_once_and_the_first_one_stays(store: SubroutineStore, tmp_path: Path) -> None:
    store.keep(stored(body="1"))
    with pytest.raises(SubroutineExistsError, match="has a subroutine 'add' already"):
        store.keep(stored(body="2"))
    assert store.get("site-add").body == "1"
    assert [path.name for path in (tmp_path / "subroutines").iterdir()] == ["site-add"], "nothing else is left"


def test_subroutines_are_listed_by_origin_and_name(store: SubroutineStore) -> None:
    store.keep(stored("b", "zoo"))
    store.keep(stored("a", "add"))
    store.keep(stored("c", "add", "https://another.test"))
    assert [each.subroutine_id for each in store.list()] == ["c", "a", "b"]
    assert [each.subroutine_id for each in store.list(f"{SITE}/")] == ["a", "b"]


def test_what_is_deleted_is_gone_and_its_name_is_free(store: SubroutineStore, tmp_path: Path) -> None:
    store.keep(stored())
    store.delete("site-add")
    assert list((tmp_path / "subroutines").iterdir()) == []
    store.keep(stored())


@pytest.mark.parametrize("subroutine_id", ["nothing", "../subroutines/site-add", "", ".new-1", "a/b", "a" * 100])
def test_no_id_leads_to_anything_but_a_subroutine(store: SubroutineStore, subroutine_id: str) -> None:
    store.keep(stored())
    for ask in (store.get, store.delete):
        with pytest.raises(UnknownSubroutineError, match="there is site-add"):
            ask(subroutine_id)
    assert store.get("site-add")


def test_a_folder_with_the_files_of_another_is_broken(store: SubroutineStore, tmp_path: Path) -> None:
    store.keep(stored())
    (tmp_path / "subroutines" / "site-add").rename(tmp_path / "subroutines" / "renamed")
    with pytest.raises(SubroutineBrokenError, match="the files of renamed are of 'site-add'"):
        store.get("renamed")


def test_broken_ones_are_left_out_of_the_list(store: SubroutineStore, tmp_path: Path) -> None:
    for name in ("a", "b"):
        store.keep(stored(name, name))
    (tmp_path / "subroutines" / "a" / MANIFEST).write_text("{")
    assert [each.subroutine_id for each in store.list()] == ["b"]


def test_each_principal_has_their_own(tmp_path: Path) -> None:
    for name in ("", "ann", "Ann", "ann "):
        SubroutineStore(tmp_path, name).keep(stored(body=repr(name)))
    for name in ("", "ann", "Ann", "ann "):
        (own,) = SubroutineStore(tmp_path, name).list()
        assert own.body == repr(name)


@pytest.mark.parametrize("principal", ["../../x", "CN=ann/O=x", "..", "ü"])
def test_no_principal_leads_out_of_the_folder(tmp_path: Path, principal: str) -> None:
    SubroutineStore(tmp_path / "data", principal).keep(stored())
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    (folder,) = (tmp_path / "data" / "principals").iterdir()
    assert (folder / "subroutines" / "site-add").is_dir()


@pytest.mark.parametrize("recording_id", ["nothing", "../x", ""])
def test_an_unknown_recording_is_said_to_be(store: SubroutineStore, recording_id: str) -> None:
    with pytest.raises(UnknownRecordingError, match="start one with StartRecording"):
        store.recording(recording_id)


def test_a_recording_of_another_version_is_to_be_made_again(store: SubroutineStore, tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings" / "r1.json").write_text("{}")
    with pytest.raises(UnknownRecordingError, match="of another version: record the task again"):
        store.recording("r1")


@pytest.mark.parametrize("change", [False, True])
def test_an_update_that_takes_long_between_its_two_renames_is_waited_for(
    store: SubroutineStore, tmp_path: Path, change: bool
) -> None:
    store.keep(stored())
    folder = tmp_path / "subroutines" / "site-add"
    old = folder.with_name(".old-site-add-1")
    folder.rename(old)
    end = threading.Timer(0.2, lambda: old.rename(folder))
    end.start()
    if change:
        store.replace(stored(body="2"), etag="")
    assert store.get("site-add").body == ("2" if change else "1")
    end.join()
