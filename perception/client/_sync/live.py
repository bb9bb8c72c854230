"""What people see who watch a session: pictures of its tabs, and its calls."""

from __future__ import annotations

from collections.abc import Generator
from typing import Unpack

import grpc

from perception.client._sync.session import Session
from perception.client.errors import RemoteError
from perception.client.fields import FrameFields
from perception.client.frame_requests import FrameRequests
from perception.client.message_fields import message_of, timeout_of
from perception.v1 import live_service_pb2 as pb


class Live(Session):
    """A session that is watched. Watching does not keep it open."""

    def watch_frames(
        self, *, timeout_s: float | None = None, **fields: Unpack[FrameFields]
    ) -> Generator[pb.WatchFramesResponse, None]:
        """Pictures of a tab as it changes, the newest each time the next one is asked for.

        `note` says why a picture is missing, for example that a dialog is open.

        Args:
            timeout_s: seconds for all of it; no limit when None.
            fields: `max_width`, `max_height` (px), `quality` (1 to 100), `max_fps`; `tab_id` for another tab than
                whichever is selected; `lease_id` of who controls the session.
        """
        requests = FrameRequests(message_of(pb.WatchFramesRequest, {"session_id": self.session_id} | fields))
        timeout_s = None if timeout_s is None else timeout_of(timeout_s, 0.0)
        stream = self._client.live.WatchFrames(requests, timeout=timeout_s, metadata=self._client.metadata)
        try:
            for reply in stream:
                yield reply
                requests.acknowledge(reply.number)
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            requests.close()
            stream.cancel()

    def watch_calls(
        self, *, after: int = 0, pictures: bool = False, timeout_s: float | None = None
    ) -> Generator[pb.Call, None]:
        """The session's calls: those that are kept, then each as it begins, ends, and has its pictures.

        Args:
            after: only calls with higher numbers.
            pictures: has small pictures taken before and after each call; see `get_call`.
            timeout_s: seconds for all of it; no limit when None.
        """
        request = pb.WatchCallsRequest(session_id=self.session_id, after_number=after, pictures=pictures)
        timeout_s = None if timeout_s is None else timeout_of(timeout_s, 0.0)
        stream = self._client.live.WatchCalls(request, timeout=timeout_s, metadata=self._client.metadata)
        try:
            for reply in stream:
                yield reply.call
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()
