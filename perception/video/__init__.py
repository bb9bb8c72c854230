"""Videos of tabs: pictures with times become a file that players open."""

from perception.video.encoder import VideoEncoder, VideoFacts, require_encoder
from perception.video.options import Chapter, VideoEnd, VideoFormat, VideoOptions

__all__ = [
    "Chapter",
    "VideoEncoder",
    "VideoEnd",
    "VideoFacts",
    "VideoFormat",
    "VideoOptions",
    "require_encoder",
]
