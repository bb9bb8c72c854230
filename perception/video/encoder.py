"""Pictures with times become a WebM or MP4 file, by PyAV.

Rule 1: a picture stands until the next one: a page that does not change has few pictures, and its file is small.
Rule 2: what was written stays playable when the rest is never written: the file is a row of short parts, each of which
stands by itself.
Rule 3: the file is never larger than its limit. What would exceed it is not written, and the video ends there.
Rule 4: importing this module needs no PyAV, which is an extra.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import IO, Any

from perception.errors import VideoUnavailableError
from perception.types import Pixels
from perception.video.options import Chapter, VideoEnd, VideoFormat, VideoOptions
from perception.video.pictures import fit, video_size

INSTALL = "pip install 'perception-service[video]'"

CODECS = {VideoFormat.WEBM: ("libvpx-vp9", "libvpx"), VideoFormat.MP4: ("libvpx-vp9",)}
"""Encoders of FFmpeg, the best first: VP9 and VP8, by libvpx (BSD). H.264 by x264 is GPL, and not used."""

ENCODER_OPTIONS = {
    "deadline": "realtime",
    "cpu-used": "8",
    "lag-in-frames": "0",  # each picture is in the file at once
    "crf": "30",
}
"""Options of libvpx: one quality, in as many bytes as it takes. With a bit rate it writes the whole picture again every
ten pictures, also of a page that stands still. A picture of 1280 × 800 takes about 10 ms of a core. Chosen by hand."""

VP9_OPTIONS = {"row-mt": "1", "tune-content": "screen"}

CONTAINER_OPTIONS = {
    VideoFormat.WEBM: {"cluster_time_limit": "1000", "flush_packets": "1"},
    VideoFormat.MP4: {"movflags": "hybrid_fragmented", "frag_duration": "1000000", "flush_packets": "1"},
}
"""Parts of about a second: what a killed service loses of a video at the most."""

KEY_SECONDS = 5.0
"""At least this often, where pictures come, a picture is written that needs no earlier one: players jump to these.
Chosen by hand."""

TICKS = 1000
"""Units of time in a second, as WebM has them."""

PACKET_OVERHEAD = 32
"""Bytes that a container adds to a picture, at most."""

CLOSING_BYTES = 2**17
"""Room that is kept for the end of a file: chapters, of which there are at most MAX_CHAPTERS, and the index."""

MAX_CHAPTERS, MAX_TITLE = 200, 120


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What a finished video is.

    Attributes:
        width, height: px.
        duration_s: of all of it.
        pictures: how many it has, without repeated ones.
        chapters: that its file has.
    """

    width: int
    height: int
    duration_s: float
    pictures: int
    chapters: tuple[Chapter, ...]


class VideoEncoder:
    """Writes one video. Its methods take a while, and belong in a thread, one at a time.

    Attributes:
        pictures: written so far, without repeated ones.
        last_s: the time of the last one, seconds after the first.
    """

    def __init__(self, file: IO[bytes], options: VideoOptions) -> None:
        """
        Args:
            file: a new one without a buffer that can be written and sought; the caller closes it.

        Raises:
            VideoUnavailableError: PyAV is not installed, or has no encoder.
        """
        self._av, self._codec = require_encoder(options.format), pick_codec(options.format)
        self._file, self._options = _NotedFile(file), options
        self._container: Any = None
        self._stream: Any = None
        self._begin_s: float | None = None
        self._last_tick = -1
        self._key_tick = 0
        self._bytes = 0
        self._size = (0, 0)
        self._shown: Pixels | None = None
        self.pictures = 0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px; 0 before the first picture."""
        return self._size

    @property
    def last_s(self) -> float:
        return max(0, self._last_tick) / TICKS

    def elapsed_s(self, at_s: float) -> float:
        """Seconds of a time after the first picture."""
        return max(0.0, at_s - self._begin_s) if self._begin_s is not None else 0.0

    def add(self, picture: Pixels, at_s: float) -> VideoEnd | None:
        """Writes a picture. Returns why the video has ended, if it has with this one: then it is not written.

        Args:
            picture: (H, W, 3) BGR of any size; the first one decides that of the video.
            at_s: when it was shown, seconds of any clock. Earlier than the last one counts as just after it.

        Raises:
            OSError: it cannot be written.
        """
        if self._begin_s is None:
            self._open(picture, at_s)
        if self.elapsed_s(at_s) > self._options.max_duration_s:
            return VideoEnd.MAX_DURATION
        self._shown = fit(picture, *self._size)
        tick = max(self._last_tick + 1, round(self.elapsed_s(at_s) * TICKS))
        is_key = self._last_tick < 0 or tick - self._key_tick >= KEY_SECONDS * TICKS
        if not self._write(self._shown, tick, is_key):
            return VideoEnd.MAX_BYTES
        self._key_tick = tick if is_key else self._key_tick
        self.pictures += 1
        return None

    def hold(self, at_s: float) -> VideoEnd | None:
        """Repeats the last picture, so that the file reaches this time even if nothing more is written. As `add`."""
        tick = round(self.elapsed_s(at_s) * TICKS)
        if self._shown is None or tick <= self._last_tick:
            return None
        if tick > self._options.max_duration_s * TICKS:
            return VideoEnd.MAX_DURATION
        return None if self._write(self._shown, tick, False) else VideoEnd.MAX_BYTES

    def finish(self, at_s: float, chapters: Sequence[Chapter] = ()) -> VideoFacts:
        """Ends the file. The last picture stands until this time, within the limits.

        Raises:
            OSError: the rest cannot be written; what was written before is playable.
        """
        if self._container is None:
            return VideoFacts(0, 0, 0.0, 0, ())
        try:
            self.hold(min(at_s, (self._begin_s or 0.0) + self._options.max_duration_s))
            kept = _kept_chapters(chapters, self.last_s)
            self._container.set_chapters(_chapter_rows(kept, self._last_tick))
        finally:
            self.close()
        return VideoFacts(*self._size, self.last_s, self.pictures, kept)

    def close(self) -> None:
        """Ends the file without more. Raises OSError."""
        container, self._container = self._container, None
        if container is None:
            return
        with self._file.own_errors():
            try:
                for packet in self._stream.encode(None):
                    container.mux(packet)
            finally:
                container.close()

    def _open(self, picture: Pixels, at_s: float) -> None:
        options = self._options
        high, wide = picture.shape[:2]
        self._size = video_size(wide, high, options.max_width, options.max_height)
        self._container = self._av.open(
            self._file, "w", format=options.format.value, container_options=CONTAINER_OPTIONS[options.format]
        )
        tuned = VP9_OPTIONS if self._codec == "libvpx-vp9" else {}
        rate = Fraction(options.max_fps).limit_denominator(100)
        self._stream = self._container.add_stream(self._codec, rate=rate, options=ENCODER_OPTIONS | tuned)
        self._stream.width, self._stream.height = self._size
        self._stream.pix_fmt = "yuv420p"
        context = self._stream.codec_context
        context.time_base = self._stream.time_base = Fraction(1, TICKS)
        context.bit_rate = 0
        context.thread_count = 1  # of one core: a video must not take the browser's
        context.gop_size = 2**20  # `add` says which pictures are keys
        context.colorspace = context.color_primaries = 1  # BT.709, as the pictures are converted
        context.color_range = 1
        self._begin_s = at_s

    def _write(self, picture: Pixels, tick: int, is_key: bool) -> bool:
        """Whether there was room."""
        frame = self._av.VideoFrame.from_ndarray(picture, format="bgr24")
        frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709")
        frame.pts, frame.time_base = tick, Fraction(1, TICKS)
        if is_key:
            frame.pict_type = self._av.video.frame.PictureType.I
        for packet in self._stream.encode(frame):
            size = packet.size + PACKET_OVERHEAD
            if self._bytes and self._bytes + size + CLOSING_BYTES > self._options.max_bytes:
                return False
            with self._file.own_errors():
                self._container.mux(packet)
            self._bytes += size
        self._last_tick = tick
        return True


class _NotedFile:
    """A file for PyAV, which names no error of it: the first one is kept."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._error: OSError | None = None
        self.seek, self.tell = file.seek, file.tell

    def write(self, data: bytes) -> int:
        try:
            return self._file.write(data)
        except OSError as exc:
            self._error = self._error or exc
            raise

    @contextmanager
    def own_errors(self) -> Iterator[None]:
        """Raises the file's own error in place of PyAV's, and OSError in place of what is not an error of PyAV."""
        try:
            yield
        except Exception as exc:
            if self._error is not None:
                raise self._error from exc
            if isinstance(exc, OSError):
                raise
            raise OSError(errno.EIO, f"PyAV: {exc}") from exc


def require_encoder(format: VideoFormat = VideoFormat.WEBM) -> Any:  # noqa: A002  (its name on the wire)
    """PyAV. Raises VideoUnavailableError where it is not installed, or has no encoder for this format."""
    try:
        import av
        import av.video.frame
    except ImportError as exc:
        raise VideoUnavailableError(f"videos need PyAV, which the service's machine does not have: {INSTALL}") from exc
    if not any(name in av.codecs_available for name in CODECS[format]):
        raise VideoUnavailableError(
            f"the FFmpeg of the PyAV on the service's machine has no encoder for {format.name} "
            f"({' or '.join(CODECS[format])}): install the wheel of PyPI, {INSTALL}"
        )
    return av


def pick_codec(format: VideoFormat) -> str:  # noqa: A002
    """The best encoder that there is. Raises as `require_encoder`."""
    av = require_encoder(format)
    return next(name for name in CODECS[format] if name in av.codecs_available)


def end_of_error(error: OSError) -> VideoEnd:
    """Why a video ended that an error of its file has ended."""
    return VideoEnd.DISK_FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else VideoEnd.FAILED


def _kept_chapters(chapters: Sequence[Chapter], duration_s: float) -> tuple[Chapter, ...]:
    """The chapters that begin in the video, in order; the last MAX_CHAPTERS of them."""
    inside = sorted((each for each in chapters if each.start_s <= duration_s), key=lambda each: each.start_s)
    return tuple(Chapter(max(0.0, each.start_s), each.title[:MAX_TITLE]) for each in inside[-MAX_CHAPTERS:])


def _chapter_rows(chapters: Sequence[Chapter], end_tick: int) -> list[dict[str, Any]]:
    """The chapters as PyAV takes them: each ends where the next begins."""
    starts = [round(each.start_s * TICKS) for each in chapters]
    ends = [*starts[1:], max(end_tick, *starts)] if starts else []
    return [
        {
            "id": number,
            "start": start,
            "end": end,
            "time_base": Fraction(1, TICKS),
            "metadata": {"title": chapter.title},
        }
        for number, (chapter, start, end) in enumerate(zip(chapters, starts, ends, strict=True), 1)
    ]
