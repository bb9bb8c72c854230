"""Videos: what is written is what is seen, when it was."""

from __future__ import annotations

import builtins
import errno
import io
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from perception.errors import BadImageError, BadInputError, VideoUnavailableError
from perception.types import Pixels
from perception.video import Chapter, VideoEncoder, VideoEnd, VideoFormat, VideoOptions, require_encoder
from perception.video.encoder import MAX_CHAPTERS, end_of_error
from perception.video.pictures import BACKDROP, card, decode_picture, fit, video_size
from tests.support.video_reading import color_at, is_near, read_video

RED, GREEN, BLUE, WHITE = (210, 30, 40), (20, 160, 60), (30, 60, 200), (255, 255, 255)


def plain(color: tuple[int, int, int], width: int = 320, height: int = 200) -> Pixels:
    return np.full((height, width, 3), color[::-1], np.uint8)


def noise(seed: int, width: int = 640, height: int = 480) -> Pixels:
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)


def encode(
    shown: Sequence[tuple[Pixels, float]],
    until_s: float,
    chapters: Sequence[Chapter] = (),
    options: VideoOptions | None = None,
) -> bytes:
    file = io.BytesIO()
    encoder = VideoEncoder(file, options or VideoOptions())
    for picture, at_s in shown:
        assert encoder.add(picture, at_s) is None
    encoder.finish(until_s, chapters)
    return file.getvalue()


@pytest.mark.parametrize("kind", list(VideoFormat), ids=lambda each: each.value)
def test_each_picture_is_shown_from_its_time_to_the_next_one(kind: VideoFormat) -> None:
    data = encode(
        [(plain(RED), 100.0), (plain(GREEN), 100.25), (plain(BLUE), 107.5)], 109.0, options=VideoOptions(kind)
    )
    seen = read_video(data)
    assert (seen.codec, seen.size) == ("libvpx-vp9" if seen.codec.startswith("lib") else "vp9", (320, 200))
    for second, color in ((0, RED), (0.24, RED), (0.25, GREEN), (7.49, GREEN), (7.5, BLUE), (9, BLUE)):
        assert is_near(color_at(seen.at(second), 160, 100), color), second
    assert seen.times[:3] == pytest.approx([0, 0.25, 7.5], abs=0.002)
    assert seen.duration_s == pytest.approx(9.0, abs=0.1)


def test_colors_stay_what_they_are() -> None:
    shown = np.concatenate([plain(each, 64, 64) for each in (RED, GREEN, BLUE, WHITE, (0, 0, 0), (255, 220, 0))], 1)
    seen = read_video(encode([(shown, 0.0)], 1.0))
    for number, color in enumerate((RED, GREEN, BLUE, WHITE, (0, 0, 0), (255, 220, 0))):
        assert is_near(color_at(seen.at(0), 32 + 64 * number, 32), color, by=8), color


@pytest.mark.parametrize("kind", list(VideoFormat), ids=lambda each: each.value)
def test_chapters_lie_where_they_began_and_end_where_the_next_begins(kind: VideoFormat) -> None:
    chapters = [Chapter(0.0, "Navigate to a.example"), Chapter(1.5, 'Click button "Pay – 5 €"'), Chapter(2.0, "Look")]
    seen = read_video(encode([(plain(RED), 0.0)], 4.0, chapters, VideoOptions(kind)))
    assert [each[2] for each in seen.chapters] == [each.title for each in chapters]
    assert [each[0] for each in seen.chapters] == pytest.approx([0, 1.5, 2.0])
    assert [each[1] for each in seen.chapters] == pytest.approx([1.5, 2.0, 4.0], abs=0.1)


def test_the_last_chapters_are_kept_when_there_are_too_many() -> None:
    chapters = [Chapter(number / 1000, f"call {number}") for number in range(MAX_CHAPTERS + 50)]
    seen = read_video(encode([(plain(RED), 0.0)], 4.0, [*chapters, Chapter(9.0, "after its end")]))
    assert len(seen.chapters) == MAX_CHAPTERS
    assert (seen.chapters[0][2], seen.chapters[-1][2]) == ("call 50", "call 249")


@pytest.mark.parametrize(
    ("size", "limits", "wanted"),
    [
        ((1280, 800), (1280, 1280), (1280, 800)),
        ((1281, 801), (1920, 1920), (1280, 800)),
        ((2560, 1600), (1280, 1280), (1280, 800)),
        ((390, 844), (1280, 422), (194, 422)),
        ((1, 1), (1280, 1280), (2, 2)),
        ((20000, 10), (1280, 1280), (1280, 2)),
    ],
)
def test_a_video_is_even_in_size_and_never_enlarged(
    size: tuple[int, int], limits: tuple[int, int], wanted: tuple[int, int]
) -> None:
    assert video_size(*size, *limits) == wanted
    assert fit(noise(1, *size), *wanted).shape == (wanted[1], wanted[0], 3)


def test_a_picture_of_an_odd_size_has_no_edge() -> None:
    seen = read_video(encode([(plain(RED, 321, 201), 0.0)], 1.0))
    assert seen.size == (320, 200)
    assert all(is_near(color_at(seen.at(0), x, y), RED) for x in (3, 316) for y in (3, 196))


def test_a_viewport_that_changes_keeps_its_proportions_in_the_middle() -> None:
    phone = plain(GREEN, 100, 200)
    seen = read_video(encode([(plain(RED, 400, 200), 0.0), (phone, 1.0), (plain(BLUE, 800, 400), 2.0)], 3.0))
    assert seen.size == (400, 200)
    assert is_near(color_at(seen.at(1), 200, 100), GREEN)
    assert is_near(color_at(seen.at(1), 60, 100), BACKDROP[::-1])
    assert all(is_near(color_at(seen.at(2), x, y), BLUE) for x in (5, 394) for y in (5, 194))


def test_times_that_go_back_or_stand_still_keep_the_order() -> None:
    shown = [(plain(RED), 5.0), (plain(GREEN), 5.0), (plain(BLUE), 4.0), (plain(WHITE), 6.0)]
    seen = read_video(encode(shown, 7.0))
    assert seen.times == sorted(set(seen.times))
    assert is_near(color_at(seen.at(0.5), 160, 100), BLUE)
    assert is_near(color_at(seen.at(1.0), 160, 100), WHITE)


def test_a_page_that_stands_still_is_held_in_few_bytes() -> None:
    file = io.BytesIO()
    encoder = VideoEncoder(file, VideoOptions())
    picture = cv2.GaussianBlur(noise(1, 1280, 800), (0, 0), 3)
    encoder.add(picture, 0.0)
    for second in range(2, 600, 2):
        assert encoder.hold(float(second)) is None
    facts = encoder.finish(600.0)
    assert (facts.pictures, facts.duration_s) == (1, 600.0)
    first = len(encode([(picture, 0.0)], 0.1))
    assert len(file.getvalue()) < first + 300 * 300


def test_players_can_jump_into_a_page_that_changes() -> None:
    seen = read_video(encode([(plain((number, 90, 90)), number / 4) for number in range(100)], 25.0))
    keys = [time for time, is_key in zip(seen.times, seen.keys, strict=True) if is_key]
    assert keys == pytest.approx([0, 5, 10, 15, 20], abs=0.002)


def test_a_video_never_exceeds_its_bytes_and_plays_to_its_end() -> None:
    file = io.BytesIO()
    options = VideoOptions(max_bytes=2**20)
    encoder = VideoEncoder(file, options)
    ends = [encoder.add(noise(number), number / 10) for number in range(100)]
    number = ends.index(VideoEnd.MAX_BYTES)
    facts = encoder.finish(99.0, [Chapter(0.0, "x" * 200)] * 500)
    assert len(file.getvalue()) <= options.max_bytes
    seen = read_video(file.getvalue())
    assert facts.pictures == number > 1
    assert seen.times[number - 1] == pytest.approx((number - 1) / 10, abs=0.002)


def test_a_video_ends_at_its_longest_duration() -> None:
    file = io.BytesIO()
    encoder = VideoEncoder(file, VideoOptions(max_duration_s=2.0))
    assert encoder.add(plain(RED), 10.0) is None
    assert encoder.hold(11.0) is None
    assert encoder.hold(12.5) is VideoEnd.MAX_DURATION
    assert encoder.add(plain(GREEN), 12.5) is VideoEnd.MAX_DURATION
    assert encoder.finish(20.0).duration_s == 2.0
    assert is_near(color_at(read_video(file.getvalue()).pictures[-1], 160, 100), RED)


def test_a_video_without_a_picture_has_no_file() -> None:
    file = io.BytesIO()
    facts = VideoEncoder(file, VideoOptions()).finish(5.0, [Chapter(0.0, "Look")])
    assert (facts.pictures, facts.duration_s, file.getvalue()) == (0, 0.0, b"")


class _FullDisk(io.BytesIO):
    """Takes some bytes, and then none any more."""

    room = 600_000

    def write(self, data: Any, /) -> int:
        if self.tell() + len(data) > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


@pytest.mark.parametrize("kind", list(VideoFormat), ids=lambda each: each.value)
def test_a_full_disk_leaves_what_was_written_before(kind: VideoFormat) -> None:
    file = _FullDisk()
    encoder = VideoEncoder(file, VideoOptions(kind))

    def write() -> None:
        for number in range(100):
            encoder.add(noise(number, 320, 240), number / 5)

    with pytest.raises(OSError, match="No space left") as full:
        write()
    assert end_of_error(full.value) is VideoEnd.DISK_FULL
    with pytest.raises(OSError, match="No space left"):
        encoder.finish(20.0)
    seen = read_video(file.getvalue())
    assert len(seen.times) >= 5


KILLED = """
import sys, numpy as np
from pathlib import Path
from perception.video import VideoEncoder, VideoFormat, VideoOptions
with open(sys.argv[1], "xb", buffering=0) as file:
    encoder = VideoEncoder(file, VideoOptions(VideoFormat(sys.argv[2])))
    for number in range(80):
        picture = np.full((200, 320, 3), (40, 60, 200) if number < 40 else (200, 60, 40), np.uint8)
        picture[number % 150:number % 150 + 20, 20:200] = 255
        encoder.add(picture, number / 8)
    print("written", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("kind", list(VideoFormat), ids=lambda each: each.value)
def test_a_killed_process_loses_less_than_the_last_seconds(kind: VideoFormat, tmp_path: Path) -> None:
    path = tmp_path / f"video.{kind.value}"
    command = [sys.executable, "-c", KILLED, str(path), kind.value]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        process.send_signal(signal.SIGKILL)
    seen = read_video(path)
    assert seen.times[-1] > 10 - 2.5
    assert is_near(color_at(seen.at(1), 300, 190), (200, 60, 40))
    assert is_near(color_at(seen.at(7), 300, 190), (40, 60, 200))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_width", 63),
        ("max_height", 1921),
        ("max_fps", 31),
        ("max_fps", float("nan")),
        ("max_duration_s", 0.5),
        ("max_bytes", 2**20 - 1),
    ],
)
def test_an_option_out_of_range_says_what_it_takes(field: str, value: float) -> None:
    with pytest.raises(BadInputError, match="it takes") as refused:
        VideoOptions(**{field: value})  # type: ignore[arg-type]
    assert refused.value.field == field.removesuffix("_s")


def test_without_pyav_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without_av(name: str, *args: Any, **options: Any) -> Any:
        if name.split(".")[0] == "av":
            raise ImportError(name)
        return importing(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_av)
    with pytest.raises(VideoUnavailableError, match=r"pip install 'perception-service\[video\]'"):
        require_encoder()


def test_an_ffmpeg_without_vp9_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import av

    monkeypatch.setattr(av, "codecs_available", {"libvpx", "mpeg4"})
    assert require_encoder(VideoFormat.WEBM) is av
    with pytest.raises(VideoUnavailableError, match="no encoder for MP4"):
        require_encoder(VideoFormat.MP4)


def test_vp8_takes_the_place_of_vp9(monkeypatch: pytest.MonkeyPatch) -> None:
    import av

    monkeypatch.setattr(av, "codecs_available", {"libvpx"})
    seen = read_video(encode([(plain(RED), 0.0), (plain(GREEN), 1.0)], 2.0))
    assert seen.codec in ("vp8", "libvpx")
    assert is_near(color_at(seen.at(1.5), 160, 100), GREEN)


def test_what_is_no_picture_is_an_error() -> None:
    for data in (b"", b"no picture"):
        with pytest.raises(BadImageError):
            decode_picture(data)


def test_a_card_has_its_words_in_the_middle() -> None:
    for width, height in ((1280, 800), (64, 64)):
        drawn = card("A person has control: not recorded", width, height)
        rows, columns = np.nonzero(np.any(drawn != BACKDROP, axis=2))
        assert drawn.shape == (height, width, 3)
        assert abs(columns.mean() - width / 2) < width * 0.1
        assert 0 < rows.min() <= rows.max() < height
