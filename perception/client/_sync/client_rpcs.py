"""Calls of a client that are their requests.

Made from proto/ by .ci/client_methods.py. Not to be edited.
"""

from __future__ import annotations

from perception.client._sync.calls import Calls
from perception.client.message_fields import message_of
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import video_service_pb2 as video_pb


class ClientRpcs(Calls):
    """Calls of a client that are their requests."""

    def open_sessions(self, *, timeout_s: float | None = None) -> list[session_pb.Session]:
        """The caller's open sessions."""
        request = message_of(session_pb.ListSessionsRequest, {})
        reply: session_pb.ListSessionsResponse = self.call(self.sessions.ListSessions, request, timeout_s)
        return list(reply.sessions)

    def devices(self, query: str = "", *, timeout_s: float | None = None) -> list[session_pb.Device]:
        """The devices that SessionOptions.device takes: the list of Playwright.

        Args:
            query: only those whose name contains this, in any case; all when empty.
        """
        request = message_of(session_pb.ListDevicesRequest, {"query": query})
        reply: session_pb.ListDevicesResponse = self.call(self.sessions.ListDevices, request, timeout_s)
        return list(reply.devices)

    def profiles(self, *, timeout_s: float | None = None) -> list[session_pb.Profile]:
        """The caller's profiles."""
        request = message_of(session_pb.ListProfilesRequest, {})
        reply: session_pb.ListProfilesResponse = self.call(self.sessions.ListProfiles, request, timeout_s)
        return list(reply.profiles)

    def delete_profile(self, name: str, *, timeout_s: float | None = None) -> None:
        """Deletes a profile that no session uses (else PROFILE_IN_USE)."""
        request = message_of(session_pb.DeleteProfileRequest, {"name": name})
        self.call(self.sessions.DeleteProfile, request, timeout_s)

    def videos(self, session_id: str = "", *, timeout_s: float | None = None) -> list[video_pb.Video]:
        """The caller's videos, the newest first: those that are being made, and those that are kept, also of sessions
        that have ended.

        Args:
            session_id: only of this session, which may have ended. Of all when empty.
        """
        request = message_of(video_pb.ListVideosRequest, {"of_session_id": session_id})
        reply: video_pb.ListVideosResponse = self.call(self.video.ListVideos, request, timeout_s)
        return list(reply.videos)
