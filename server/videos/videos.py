"""The videos of a service: what is kept, and how many may be made at once."""

from __future__ import annotations

from dataclasses import dataclass

from perception.errors import VideoLimitError
from perception.server.environment import how_to_set
from perception.server.settings import Settings
from perception.server.videos.store import VideoStore


@dataclass(slots=True)
class Videos:
    """The videos of one service.

    Attributes:
        store: those that are kept.
        limit: of those that are made at once.
        taken: how many are being made.
    """

    store: VideoStore
    limit: int
    taken: int = 0

    @classmethod
    def of(cls, settings: Settings) -> Videos:
        folder = settings.data_folder / "videos"
        return cls(VideoStore(folder, settings.videos_mib * 2**20, settings.video_days), settings.max_videos)

    def take_place(self) -> None:
        """Raises VideoLimitError where there is none left."""
        if self.taken >= self.limit:
            raise VideoLimitError(
                f"the service makes {self.taken} videos, its limit: stop one, or start it with more "
                f"({how_to_set('max_videos')})",
                limit=str(self.limit),
            )
        self.taken += 1

    def give_place_back(self, _: object = None) -> None:
        self.taken -= 1
