"""Videos on disk: whose they are, how long they stay, and what a killed service leaves."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from perception.errors import UnknownVideoError, VideoEmptyError
from perception.server.videos.store import KeptVideo, OpenVideo, VideoRecord, VideoStore
from perception.video import VideoEnd

DAY_S = 86400.0


@pytest.fixture
def store(tmp_path: Path) -> VideoStore:
    return VideoStore(tmp_path / "videos", max_bytes=1000, days=7)


def made(store: VideoStore, size: int = 100, principal: str = "ann", start_s: float | None = None) -> KeptVideo:
    opened = store.create(principal, "S", "t1", "webm")
    opened.file.write(b"x" * size)
    return store.finish(opened, ended(opened, start_s))


def ended(opened: OpenVideo, start_s: float | None = None) -> VideoRecord:
    start_s = opened.record.start_s if start_s is None else start_s
    return msgspec.structs.replace(opened.record, end="STOPPED", frames=3, duration_s=1.5, start_s=start_s)


def ids(store: VideoStore, principal: str = "ann") -> list[str]:
    return [each.record.video_id for each in store.list(principal)]


def test_a_finished_video_is_as_it_was_written_and_for_its_owner_alone(store: VideoStore) -> None:
    kept = made(store)
    assert kept.path.read_bytes() == b"x" * 100
    assert (kept.size_bytes, kept.end, kept.record.frames) == (100, VideoEnd.STOPPED, 3)
    assert kept.expires_s == pytest.approx(kept.path.stat().st_mtime + 7 * DAY_S)
    assert store.find("ann", kept.record.video_id).record == kept.record
    files = list(kept.path.parent.iterdir())
    assert len(files) == 2
    assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700
    assert ids(store, "bob") == []
    for act in (store.find, store.delete):
        with pytest.raises(UnknownVideoError, match="ListVideos"):
            act("bob", kept.record.video_id)
    assert store.list("ann")[0].record == kept.record


def test_a_video_that_is_made_is_listed_without_an_end(store: VideoStore) -> None:
    opened = store.create("ann", "S", "", "mp4")
    opened.file.write(b"x" * 10)
    (listed,) = store.list("ann")
    assert (listed.end, listed.size_bytes, listed.expires_s) == (None, 10, None)
    store.finish(opened, ended(opened))


def test_what_a_killed_service_was_making_is_kept(store: VideoStore, tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom perception.server.videos.store import VideoStore\n"
        "opened = VideoStore(Path(sys.argv[1]), 1000, 7).create('ann', 'S', '', 'webm')\n"
        "opened.file.write(b'half')\nos.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "videos")], check=False)
    (listed,) = store.list("ann")
    assert listed.end is VideoEnd.SERVICE_ENDED
    assert listed.path.read_bytes() == b"half"
    assert listed.record.duration_s is None
    store.delete("ann", listed.record.video_id)
    assert list(listed.path.parent.iterdir()) == []


def test_a_video_without_a_picture_leaves_nothing(store: VideoStore) -> None:
    opened = store.create("ann", "S", "", "webm")
    with pytest.raises(VideoEmptyError, match="no picture"):
        store.finish(opened, msgspec.structs.replace(opened.record, end="STOPPED"))
    assert list(opened.path.parent.iterdir()) == []


def test_the_oldest_make_way_and_never_the_newest(store: VideoStore) -> None:
    first, second = made(store, 600, start_s=1.0), made(store, 300, "bob", start_s=2.0)
    third = made(store, 300, start_s=3.0)
    assert ids(store) == [third.record.video_id]
    assert ids(store, "bob") == [second.record.video_id]
    assert not first.path.exists()
    large = made(store, 5000, start_s=4.0)
    assert large.path.exists()


def test_an_old_video_is_deleted_and_one_for_ever_is_not(store: VideoStore, tmp_path: Path) -> None:
    kept = made(store)
    old_s = kept.path.stat().st_mtime - 8 * DAY_S
    os.utime(kept.path, (old_s, old_s))
    assert VideoStore(tmp_path / "videos", 1000, 0).list("ann")[0].expires_s is None
    assert ids(store) == []
    assert not kept.path.exists()


def test_what_is_no_record_is_passed_over(store: VideoStore) -> None:
    folder = made(store).path.parent
    (folder / "v1234.json").write_text("{")
    evil = {"video_id": "../../etc/passwd", "session_id": "", "tab_id": "", "ending": "webm", "start_s": 0.0}
    (folder / "v0000000000000000.json").write_bytes(msgspec.json.encode(evil))
    assert len(store.list("ann")) == 1
