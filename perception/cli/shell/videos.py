"""`perception video`: videos of the session's tabs, and those that the service keeps."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result
from perception.errors import BadInputError
from perception.interaction.answers import lines
from perception.v1 import video_service_pb2 as pb

if TYPE_CHECKING:
    from perception.client._async.connection import AsyncClient

OF_START = ("container", "max_width", "max_fps", "minutes")
"""Options that only the beginning of a video takes."""


async def video(context: Context) -> Result:
    """Begins or ends a video, lists them, or saves one on this machine."""
    values = context.values
    action, value = values["action"], values["value"] or ""
    if given := [f"--{name.replace('_', '-')}" for name in OF_START if values[name] and action != "start"]:
        raise BadInputError(f"video {action}: {', '.join(given)} is for `video start`")
    if action in ("start", "list") and value:
        raise BadInputError(f"video {action}: it takes no {value[:40]!r}")
    doing = {"start": _start, "stop": _stop, "list": _list, "save": _save}[action]
    return await doing(context, value)


async def _start(context: Context, _: str) -> Result:
    values = context.values
    names = {"container": "format", "max_width": "max_width", "max_fps": "max_fps"}
    given = {field: values[name] for name, field in names.items() if values[name]}
    if values["minutes"]:
        given["max_duration"] = values["minutes"] * 60
    video_id = await context.session().page.start_video(timeout_s=context.left_s, **given)
    text = f"video {video_id} is being made: `perception video stop OUT.webm` ends and saves it"
    return Result(text, data={"videoId": video_id})


async def _stop(context: Context, out: str) -> Result:
    page = context.session().page
    stopped = await page.stop_video(timeout_s=context.left_s)
    path = await page.save_download(Path(out or "."), stopped.download, timeout_s=context.left_s)
    early = "" if stopped.video.end == pb.VIDEO_END_STOPPED else f"\n{stopped.video.message}"
    text = f"{path}: {_facts(stopped.video)}, {len(stopped.chapters)} chapters{early}"
    return Result(text, data={"path": str(path), "videoId": stopped.video.video_id})


async def _list(context: Context, _: str) -> Result:
    found = await _client(context).videos(timeout_s=context.left_s)
    told = lines(*map(_line, found))
    return Result(told or "there is no video: `perception video start` makes one", pb.ListVideosResponse(videos=found))


async def _save(context: Context, video_id: str) -> Result:
    if not video_id:
        raise BadInputError("video save: give the id of a video, of `perception video list`")
    out = Path(context.values["out"] or ".")
    path = await _client(context).save_video(out, video_id, timeout_s=context.left_s)
    size = path.stat().st_size
    return Result(f"{path}: {size} bytes", data={"path": str(path), "sizeBytes": size})


def _client(context: Context) -> AsyncClient:
    """A client of the session's service; of the user's own one where no session is open."""
    from perception.client._async.connection import AsyncClient

    known = context.known()
    address = known.address if known else context.own_service().find_or_start(context.end_s)
    calls = context.calls(address, known.access if known else {})
    return AsyncClient(calls.channel, None, calls.timeout_s)


def _line(video: pb.Video) -> str:
    return f"{video.video_id}  {_began(video)}  {_facts(video)}  {video.message or 'being made'}"


def _facts(video: pb.Video) -> str:
    """`12.5 s, 42 pictures, 300 KiB`."""
    lasted = f"{video.duration.ToTimedelta().total_seconds():.1f} s, " if video.HasField("duration") else ""
    return f"{lasted}{video.frames} pictures, {max(1, video.size_bytes // 1024)} KiB"


def _began(video: pb.Video) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(video.start_time.seconds))
