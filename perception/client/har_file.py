"""A HAR file that is being written: it appears when it is complete."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from perception.errors import BadInputError, SessionLostError
from perception.v1 import network_service_pb2 as pb


class HarFile:
    """A context manager: what is not finished is removed.

    Attributes:
        path: of the file.
        entry_count: its requests.
        missing_body_count: bodies that could not be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entry_count = 0
        self.missing_body_count = 0
        self._is_whole = False
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._file = tempfile.NamedTemporaryFile(
                dir=self.path.parent, prefix=f".{self.path.name[:100]}.", delete=False
            )
        except OSError as exc:
            raise BadInputError(f"{self.path} cannot be written: {exc.strerror}", field="path") from exc
        return self

    def take(self, part: pb.ExportHarResponse) -> None:
        """Writes the next part."""
        assert self._file is not None
        self._file.write(part.data)
        if part.is_last:
            self._is_whole = True
            self.entry_count, self.missing_body_count = part.entry_count, part.missing_body_count

    def finish(self) -> Self:
        """Puts the file in its place.

        Raises:
            SessionLostError: the last part did not come.
        """
        assert self._file is not None
        if not self._is_whole:
            raise SessionLostError("the HAR file was cut off: export it again")
        self._file.close()
        os.replace(self._file.name, self.path)
        self._file = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left: Any = self._file
        if left is not None:
            left.close()
            with contextlib.suppress(OSError):
                os.unlink(left.name)
