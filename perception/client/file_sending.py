"""A file of this machine that is sent in parts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import grpc

from perception.client.errors import RemoteError
from perception.errors import BadInputError
from perception.v1 import file_service_pb2 as pb

PART_BYTES = 256 * 1024
"""Size of a message's part of the file, as of a download."""


class SentFile:
    """A file that is sent. A context manager that closes it.

    Attributes:
        size: bytes sent so far.
        total: bytes of the whole file.
    """

    def __init__(self, path: str | os.PathLike[str], name: str = "") -> None:
        """Raises BadInputError: the file cannot be read."""
        self._name = name or Path(path).name
        try:
            self._file = Path(path).open("rb", buffering=0)  # noqa: SIM115 - closed by the context
        except OSError as exc:
            raise BadInputError(f"{path} cannot be read: {exc.strerror or exc}", field="path") from exc
        self.size = 0
        self.total = os.fstat(self._file.fileno()).st_size
        self._digest = hashlib.sha256()

    def requests(self, session_id: str) -> Iterator[pb.StreamUploadRequest]:
        """The messages of the stream, at least one."""
        request = pb.StreamUploadRequest(session_id=session_id, name=self._name, size_bytes=self.total)
        while True:
            request.data = self._file.read(PART_BYTES) or b""
            self._digest.update(request.data)
            self.size += len(request.data)
            if not request.data and self.size:
                return
            yield request
            if not request.data:
                return
            request = pb.StreamUploadRequest()

    def check(self, reply: pb.StreamUploadResponse) -> None:
        """Raises RemoteError where the service received another file."""
        if reply.sha256 != self._digest.hexdigest():
            raise RemoteError(
                grpc.StatusCode.DATA_LOSS, "the service received another file than was sent: send it again", "", {}
            )

    def __enter__(self) -> SentFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
