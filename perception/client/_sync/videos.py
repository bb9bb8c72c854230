"""Videos of a session's tabs."""

from __future__ import annotations

import os

from perception.client._sync.files import Files
from perception.client.message_fields import message_of
from perception.v1 import video_service_pb2 as pb


class Videos(Files):
    """A session that can be filmed. The service needs the extra `perception-service[video]`."""

    def stop_video(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        video_id: str = "",
        timeout_s: float | None = None,
    ) -> pb.StopVideoResponse:
        """Ends a video, and saves it on this machine if a path is given.

        Args:
            path: of the file, which is replaced; or an existing folder, where it gets the video's own name.
            video_id: the only one that is being made when empty.
            timeout_s: seconds for the call, and for each connection of the transfer; the client's when None.

        Raises:
            RemoteError: UNKNOWN_VIDEO; VIDEO_EMPTY: the tab showed nothing.
        """
        request = message_of(pb.StopVideoRequest, {"session_id": self.session_id, "video_id": video_id})
        reply: pb.StopVideoResponse = self._client.call(self._client.video.StopVideo, request, timeout_s)
        if path is not None:
            self.save_download(path, reply.download, timeout_s=timeout_s)
        return reply
