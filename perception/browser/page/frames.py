"""The frame tree of one tab, and which DevTools session each frame answers on.

Frames of other processes have sessions of their own, attached as they appear (flattened auto-attach). Bookkeeping
alone: nothing here asks the browser.
"""

from __future__ import annotations

from typing import Any

from perception.browser.cdp.cdp_link import CdpSession


class FrameTree:
    """Frames, their documents and their sessions, from the events of the page domain."""

    def __init__(self, session: CdpSession, target_id: str) -> None:
        self._session = session
        self._target_id = target_id
        self._main_frame = target_id
        self._loaders: dict[str, str] = {}
        self._sessions: dict[str, CdpSession] = {}
        self._parents: dict[str, str] = {}
        self._targets: dict[str, str] = {session.session_id: target_id}

    @property
    def main_frame(self) -> str:
        """Id of the top frame."""
        return self._main_frame

    @property
    def frames(self) -> tuple[str, ...]:
        """Ids of all frames, the top one first."""
        return (self._main_frame, *(frame for frame in self._loaders if frame != self._main_frame))

    @property
    def loaders(self) -> frozenset[str]:
        """LoaderIds of the documents that are shown, in all frames."""
        return frozenset(self._loaders.values())

    @property
    def sessions(self) -> list[CdpSession]:
        """One session for each process that the tab's frames live in, the tab's own first."""
        return list({id(each): each for each in (self._session, *self._sessions.values())}.values())

    def loader_of(self, frame: str) -> str:
        """LoaderId of a frame's document; empty for a frame that is gone or has none yet."""
        return self._loaders.get(frame, "")

    def frame_of(self, loader: str) -> str | None:
        """The frame that shows a document; None where none does."""
        return next((frame for frame, known in self._loaders.items() if known == loader), None)

    def parent_of(self, frame: str) -> str | None:
        """Id of the frame that holds a frame; None for the top one, and for one that is gone."""
        return self._parents.get(frame)

    def session_of(self, frame: str) -> CdpSession:
        """The session that a frame answers on; the tab's own for an unknown frame."""
        return self._sessions.get(frame, self._session)

    def knows(self, frame: str) -> bool:
        """Whether an event has told of the frame, and the session that it answers on is there."""
        return frame in self._sessions

    def target_of(self, frame: str) -> str:
        """TargetId of the process that a frame lives in: the tab's, or that of a frame further up."""
        return self._targets.get(self.session_of(frame).session_id, self._target_id)

    def add_tree(self, session: CdpSession, tree: dict[str, Any]) -> None:
        """Adds a target's frames as `Page.getFrameTree` lists them."""
        frame = tree["frame"]
        if session is self._session and "parentId" not in frame:
            self._main_frame = frame["id"]
        self._add(session, frame)
        for child in tree.get("childFrames", ()):
            self.add_tree(session, child)

    def add_target(self, session: CdpSession, target_id: str) -> None:
        """A frame moved into a process of its own; its target has the frame's id."""
        self._sessions[target_id] = session
        self._targets[session.session_id] = target_id

    def drop_session(self, session_id: str) -> None:
        """A target is gone, with its frames and those in them."""
        self._targets.pop(session_id, None)
        gone = {frame for frame, session in self._sessions.items() if session.session_id == session_id}
        while inner := {frame for frame, parent in self._parents.items() if parent in gone} - gone:
            gone |= inner
        for frame in gone:
            self._sessions.pop(frame, None)

    def attach(self, session: CdpSession, frame: str, parent: str) -> None:
        """A frame was put into another one."""
        self._sessions.setdefault(frame, session)
        self._parents[frame] = parent

    def commit(self, session: CdpSession, frame: dict[str, Any]) -> None:
        """A frame shows another document. That of the top frame takes all other frames away."""
        if frame["id"] == self._main_frame:
            self._loaders = {}
        self._add(session, frame)

    def remove(self, frame: str) -> None:
        """A frame is gone."""
        for known in (self._loaders, self._sessions, self._parents):
            known.pop(frame, None)

    def _add(self, session: CdpSession, frame: dict[str, Any]) -> None:
        self._sessions[frame["id"]] = session
        self._loaders[frame["id"]] = frame["loaderId"]
        if parent := frame.get("parentId"):
            self._parents[frame["id"]] = parent
