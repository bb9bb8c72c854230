"""Runs of `controls`: which readers read, and what determines what they serve."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from perception.bench.detector_outputs import default_detectors, installed_detectors
from perception.bench.run_store import Run, load_run
from perception.bench.runner import RunReport
from perception.bench.sample_runs import Part, run_readers
from perception.bench.suite import SuiteContext
from perception.bench.suites.controls import ControlsOptions
from perception.bench.suites.controls.parsing import FuseTask, ParseTask, Reader
from perception.datasets.sources.build import Progress
from perception.detectors.onnx import OnnxBoxes
from perception.detectors.onnx_settings import NAME as ONNX
from perception.detectors.onnx_settings import PATH_VARIABLE, OnnxSettings
from perception.detectors.registry import Registry
from perception.errors import BadInputError, DetectorMissingError

KIND = "controls"

SERVED = "served"
"""Name of the reader with the service's default detectors."""

OTHERS = (Reader("RapidOCR, each line", ("rapidocr",), plain=True),)
"""What is compared with: the boxes of contours that a small classifier sorts, and a reader of text alone."""


def parse_samples(options: ControlsOptions, context: SuiteContext, progress: Progress) -> tuple[Run, RunReport]:
    """Lets every reader read every screenshot."""
    readers = readers_of(options, context)
    return run_readers(
        KIND,
        ParseTask(readers),
        {each.name: msgspec.json.encode(each).decode() for each in readers},
        options.dataset or ("packages#dev",),
        context.home,
        workers=options.workers,
        part=Part(options.limit, options.every),
        progress=progress,
    )


def fuse_stored(options: ControlsOptions, context: SuiteContext, progress: Progress) -> tuple[Run, RunReport]:
    """Fuses the detections of a stored run again.

    Raises:
        BadInputError: there is no such run, or it is one of another suite.
    """
    stored = load_run(context.home, options.fuse_again)
    if stored.facts.suite != KIND:
        raise BadInputError(f"run {stored.facts.id} has no detections: name a run of `{KIND}`")
    readers = tuple(msgspec.json.decode(stored.facts.config[name], type=Reader) for name in stored.facts.who)
    return run_readers(
        KIND,
        FuseTask(readers, stored.facts.id, str(context.home)),
        dict(stored.facts.config),
        stored.facts.datasets,
        context.home,
        workers=options.workers,
        part=Part(options.limit, options.every, frozenset(stored.done()), stored.facts.id),
        progress=progress,
    )


def readers_of(options: ControlsOptions, context: SuiteContext) -> tuple[Reader, ...]:
    """The reader that is judged, first, and those that it is compared with.

    Raises:
        BadInputError: a detector that was named cannot be used, or a model.
    """
    named = tuple(options.detector or ())
    for name, why in installed_detectors(named)[1].items() if named else ():
        raise BadInputError(f"detector {name} cannot be used here: {why}")
    readers = [Reader(" + ".join(named) if named else SERVED, named or default_detectors())]
    text = _default_readers_of_text()
    for file in options.model or ():
        _check(file)
        model = str(file.absolute()), hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        readers.append(Reader(f"{file.name} + {' + '.join(text)}", (ONNX, *text), *model))
        readers.append(Reader(f"{file.name}, each box", (ONNX,), *model, plain=True))
    for other in () if options.alone else OTHERS:
        missing = set(other.detectors) - set(Registry.load().names())
        if missing or installed_detectors(other.detectors)[1]:
            context.say(f"without {other.name}: its detectors are not installed")
        elif not any(set(each.detectors) == set(other.detectors) and each.plain == other.plain for each in readers):
            readers.append(other)
    return tuple(readers)


def _default_readers_of_text() -> tuple[str, ...]:
    registry = Registry.load()
    return tuple(name for name in registry.defaults() if "text" in registry.describe(name).info.kinds)


def _check(file: Path) -> None:
    try:
        OnnxBoxes(OnnxSettings.from_environment({PATH_VARIABLE: str(file)}))
    except DetectorMissingError as exc:
        raise BadInputError(f"model {file} cannot be used: {exc}") from exc
