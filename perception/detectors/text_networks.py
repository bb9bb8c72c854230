"""The networks of text detectors, on ONNX Runtime, each call in one thread.

Rule 1: memory that a call used is kept for the next call, until `free_memory`. Without that, a network that looks at a
screenshot spends as much time in page faults as in its layers: a megapixel of 832x1312 pixels takes detection 0.40 s
of user and 0.40 s of system time without an arena, 0.32 s and 0.01 s with one (one thread, onnxruntime 1.32).
Rule 2: importing this module loads neither model nor runtime.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SHRINK = "memory.enable_memory_arena_shrinkage"
"""Run option of ONNX Runtime: at the end of the call, free chunks of the named arenas go back to the system."""


class TextNetwork:
    """A network with one image as its input. Thread-safe.

    Args:
        path: an ONNX file.
        smallest: (height, width) of the smallest image that it takes, px.
    """

    def __init__(self, path: Path, smallest: tuple[int, int]) -> None:
        from onnxruntime import InferenceSession, RunOptions, SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Keeps a plan for every input size: after 250 lines of a tall page 938 MB with it and 431 MB without.
        options.enable_mem_pattern = False
        self._session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name
        self._smallest = np.zeros((1, 3, *smallest), np.float32)
        self._shrink = RunOptions()
        self._shrink.add_run_config_entry(SHRINK, "cpu:0")

    def metadata(self, key: str) -> str:
        """A text in the model file. Raises KeyError: there is none."""
        return str(self._session.get_modelmeta().custom_metadata_map[key])

    def run(self, image: NDArray[np.float32]) -> NDArray[np.float32]:
        """The first output for an image of (1, 3, H, W)."""
        return self._first(self._session.run(None, {self._input: image}))

    def free_memory(self) -> None:
        """Returns the memory of earlier calls to the system. Takes as long as a call on the smallest image."""
        self._session.run(None, {self._input: self._smallest}, self._shrink)

    @staticmethod
    def _first(outputs: Sequence[object]) -> NDArray[np.float32]:
        return np.asarray(outputs[0], np.float32)
