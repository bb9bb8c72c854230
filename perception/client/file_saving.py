"""A file that is received in parts: it gets its name when it is complete and proved to be the same."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import grpc

from perception.client.errors import RemoteError
from perception.errors import BadInputError
from perception.v1 import file_service_pb2 as pb
from perception.v1 import types_pb2
from perception.v1 import video_service_pb2 as video_pb

BROKEN = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,
)
"""What a stream ends with whose connection broke, or that took longer than its call may."""


class SavedFile:
    """A file on its way. A context manager that removes what is not complete.

    Attributes:
        size: bytes received so far.
        download: what the service says of it; None before the first part.
        path: where it is once it is complete.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """
        Args:
            path: of the file, which is replaced; or an existing folder, where it gets the download's own name.

        Raises:
            BadInputError: there is no such folder, or it cannot be written to.
        """
        self.path = Path(path)
        self.size = 0
        self.download: types_pb2.Download | None = None
        self._into_folder = self.path.is_dir()
        folder = self.path if self._into_folder else self.path.parent
        self._partial = folder / f".{os.urandom(4).hex()}.part"
        try:
            self._file = self._partial.open("xb", buffering=0)
        except OSError as exc:
            raise BadInputError(f"{path} cannot be written: {exc.strerror or exc}", field="path") from exc
        self._digest = hashlib.sha256()
        self._expected = ""

    @property
    def total(self) -> int:
        """Bytes of the whole file; 0 before the first part."""
        return self.download.size_bytes if self.download is not None else 0

    def take(self, part: pb.ReadDownloadResponse) -> None:
        """Writes a part. Raises RemoteError where it does not follow what is there."""
        if part.HasField("download"):
            self.download = part.download
        if part.offset != self.size:
            raise _damaged(f"a part begins at byte {part.offset}, {self.size} are there")
        left = memoryview(part.data)
        while left:
            left = left[self._file.write(left) :]
        self._digest.update(part.data)
        self.size += len(part.data)
        self._expected = part.sha256

    def finish(self) -> Path:
        """Gives the file its name. Raises RemoteError where it is not the one that the service has."""
        if self._digest.hexdigest() != self._expected:
            raise _damaged("its SHA-256 is not that of the service's file")
        self._file.close()
        if self._into_folder and self.download is not None:
            self.path = _free(self.path / (Path(self.download.name).name or "download"))
        os.replace(self._partial, self.path)
        return self.path

    def __enter__(self) -> SavedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._partial.unlink(missing_ok=True)


def is_worth_continuing(error: RemoteError, received: int) -> bool:
    """Whether a stream that brought so many bytes and then ended with this error is continued."""
    return received > 0 and error.code in BROKEN and not error.reason.startswith(("SESSION", "UNKNOWN", "INTERNAL"))


def download_part(part: video_pb.ReadVideoResponse) -> pb.ReadDownloadResponse:
    """A part of a video as one of a download."""
    video = part.video
    described = types_pb2.Download(name=video.name, size_bytes=video.size_bytes) if part.HasField("video") else None
    return pb.ReadDownloadResponse(data=part.data, offset=part.offset, sha256=part.sha256, download=described)


def _free(path: Path) -> Path:
    """The path, or one with a number before the ending where there is such a file."""
    free, count = path, 1
    while free.exists():
        count += 1
        free = path.with_name(f"{path.stem} ({count}){path.suffix}")
    return free


def _damaged(what: str) -> RemoteError:
    return RemoteError(
        grpc.StatusCode.DATA_LOSS, f"the file did not arrive as the service has it ({what}): read it again", "", {}
    )
