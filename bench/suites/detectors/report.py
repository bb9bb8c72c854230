"""The report of `detectors`: boxes, text, time and memory, a row for each detector."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.box_matching import BoxCounts, average_precision, summarize
from perception.bench.metrics.line_matching import summarize_lines
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.report.run_notes import memory_chart
from perception.bench.run_store import Run
from perception.bench.stats import cluster_interval, spread_of
from perception.bench.suites.detectors.detector_scores import TOGETHER, DetectorScore


def detectors_report(
    scores: dict[str, DetectorScore], skipped: Sequence[str], runs: Sequence[Run], command: str
) -> Report:
    """Compares the detectors."""
    facts = runs[0].facts
    return Report(
        title="Detectors",
        summary=tuple(_say(name, score) for name, score in scores.items()),
        facts={
            "data sets": ", ".join(facts.datasets),
            "images": str(next(iter(scores.values())).seen),
            **facts.machine,
            "runs": ", ".join(run.facts.id for run in runs),
        },
        tables=tuple(
            table for table in (_boxes_table(scores), _lines_table(scores), _cost_table(scores)) if table.rows
        ),
        charts=(memory_chart(runs),),
        skipped=tuple(skipped),
        command=command,
        made=facts.started,
    )


def _say(name: str, score: DetectorScore) -> str:
    said = f"{name}: {score.seen:,} images, {score.found:,} boxes"
    if not score.boxes.images:
        return f"{said}; no truth to judge them by."
    found = summarize(score.boxes)
    recall = _say_interval(score.pages, lambda counts: (counts.centers_hit, counts.truth))
    precision = _say_interval(score.pages, lambda counts: (counts.centers_right, counts.found))
    return (
        f"{said}; center recall {_percent(found.center_recall)}{recall}, "
        f"center precision {_percent(found.center_precision)}{precision}."
    )


def _say_interval(pages: Sequence[tuple[str, BoxCounts]], share_of: Callable[[BoxCounts], tuple[int, int]]) -> str:
    """The interval of a share over pages; empty for too few pages."""
    sums: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(2))
    for page, counts in pages:
        sums[page] += share_of(counts)
    interval = cluster_interval(np.asarray(list(sums.values())), lambda of: of[..., 0] / of[..., 1])
    return f" ({interval.low:.1%} to {interval.high:.1%})" if interval else ""


def _boxes_table(scores: dict[str, DetectorScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    notes = []
    for name, score in scores.items():
        if not score.boxes.images:
            continue
        found, precision = summarize(score.boxes), average_precision(score.images)
        if precision.value is None:
            notes.append(f"{name} has no AP50: {precision.reason}.")
        rows.append(
            (
                name,
                found.truth,
                found.found,
                found.precision,
                found.recall,
                found.f1,
                precision.value,
                found.center_recall,
                found.center_precision,
                found.boxes_per_image,
            )
        )
    shares = ("precision", "recall", "F1", "AP50", "center recall", "center precision")
    columns = (
        Column("detector"),
        Column("true", ColumnUnit.COUNT),
        Column("boxes", ColumnUnit.COUNT),
        *(Column(each, ColumnUnit.SHARE) for each in shares),
        Column("boxes an image", ColumnUnit.NUMBER),
    )
    about = (
        "Against what Chromium's hit test reaches, at an intersection over union of 0.5; AP50 by faster-coco-eval with "
        "10,000 detections an image. Center: the middle of a box is in a true one. A reader of text is judged by "
        "controls here, too: its boxes are words, not buttons. "
    )
    return Table("boxes", "User-interface elements", columns, tuple(rows), about + " ".join(notes))


def _lines_table(scores: dict[str, DetectorScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, score in scores.items():
        if score.reads and name != TOGETHER:
            found = summarize_lines(score.lines)
            of_found, of_all = found.of_found_lines, found.of_all_lines
            rows.append(
                (
                    name,
                    found.lines,
                    found.line_recall,
                    found.exact_lines,
                    found.exact_lines_without_spaces,
                    of_found.cer,
                    of_found.cer_without_spaces,
                    of_found.wer,
                    of_found.wer_without_spaces,
                    of_all.cer,
                    found.stray_pieces,
                )
            )
    titles = (
        "line recall",
        "exact lines",
        "exact, no spaces",
        "CER",
        "CER, no spaces",
        "WER",
        "WER, no spaces",
        "CER, missed lines too",
        "stray pieces",
    )
    columns = (
        Column("detector"),
        Column("lines", ColumnUnit.COUNT),
        *(Column(each, ColumnUnit.SHARE) for each in titles),
    )
    note = "Error rates by jiwer after NFKC; of found lines unless it says otherwise. Stray: read where no line is."
    return Table("lines", "Text", columns, tuple(rows), note)


def _cost_table(scores: dict[str, DetectorScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, score in scores.items():
        for stage, costs in score.costs.items() if name != TOGETHER else ():
            spread = spread_of(cost.milliseconds for cost in costs)
            times = (spread.minimum, spread.lower, spread.median, spread.upper, spread.maximum)
            peaks = [cost.peak_bytes for cost in costs if cost.peak_bytes is not None]
            resident = max(cost.resident_bytes for cost in costs) / 2**20
            rows.append((name, stage, *times, resident, max(peaks) / 2**20 if peaks else None))
    titles = ("least", "lower quartile", "median", "upper quartile", "most")
    columns = (
        Column("detector"),
        Column("stage"),
        *(Column(each, ColumnUnit.MILLISECONDS) for each in titles),
        Column("memory after it", ColumnUnit.MEBIBYTES, "the most over images"),
        Column("peak in it", ColumnUnit.MEBIBYTES, "the most over images"),
    )
    note = (
        "A whole screenshot, one thread. Memory (RSS) is that of a process that holds this detector and nothing else; "
        "load is once in each of the processes."
    )
    return Table("cost", "Time and memory by stage", columns, tuple(rows), note)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
