"""What a session did, as a file for people."""

from __future__ import annotations

import os
import time
from pathlib import Path

import grpc

from perception.client._sync.live import Live
from perception.client.errors import RemoteError
from perception.client.message_fields import timeout_of
from perception.errors import UnknownCallError
from perception.v1 import live_service_pb2 as pb


class Traces(Live):
    """A session whose calls can be written down."""

    def save_trace(self, path: str | os.PathLike[str], *, timeout_s: float | None = None) -> Path:
        """Writes the session's calls to one HTML file, which opens without a server: what was asked, what came of it,
        what the client read, how the page changed; with pictures if the session was opened with
        `keep_call_pictures=True`, or somebody watched.

        Args:
            path: of the file, which is replaced.
            timeout_s: seconds for all of it; the client's when None.
        """
        from perception.client.trace.document import trace_html  # it loads what no command of the shell needs
        from perception.client.trace.reading import trace_of, write_whole

        ends_s = time.monotonic() + timeout_of(timeout_s, self._client.timeout_s)
        found = []
        for call in self._kept_calls(ends_s):
            try:
                found.append(self.get_call(call.number, timeout_s=max(0.001, ends_s - time.monotonic())))
            except RemoteError as exc:
                if exc.reason != UnknownCallError.reason:
                    raise
        page = trace_html(trace_of(self.session_id, found, time.time()))
        return write_whole(Path(path), page)

    def _kept_calls(self, ends_s: float) -> list[pb.Call]:
        request = pb.WatchCallsRequest(session_id=self.session_id, kept_only=True)
        left_s = max(0.001, ends_s - time.monotonic())
        stream = self._client.live.WatchCalls(request, timeout=left_s, metadata=self._client.metadata)
        try:
            return [reply.call for reply in stream]
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()
