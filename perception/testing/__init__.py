"""Helpers for tests of this project and of plug-ins: ScriptedDetector, FakeClock and PageServer."""

from perception.testing.fake_clock import FakeClock
from perception.testing.page_server import PageServer
from perception.testing.scripted_detector import ScriptedDetection, ScriptedDetector

__all__ = ["FakeClock", "PageServer", "ScriptedDetection", "ScriptedDetector"]
