"""Painted twins: pages that show a screenshot of another page in one canvas.

The accessibility tree contains nothing of the canvas, so that everything has to be found in pixels; the ground truth is
that of the original. A twin logs every click: `window.clicks` holds `[x, y]`, CSS px of the viewport.
"""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from perception.browser.browser_session import SessionOptions, Tab
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sample import DatasetError, GroundingTask, Item, Sample, Stratum, TruthElement
from perception.datasets.sample_store import Store
from perception.datasets.sources.arrival import arrive
from perception.datasets.sources.build import BuildJob, code_digest, digest_of, made_facts
from perception.datasets.sources.peer_snapshots import Peer
from perception.datasets.sources.rendering import VISIT_SECONDS, Renderer
from perception.deadline import Deadline
from perception.errors import first_line

_TWIN_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>
  html, body {{ margin: 0; overflow: hidden }}
  canvas {{ display: block; width: {width}px; height: {height}px }}
</style>
<canvas></canvas>
<script>
  window.clicks = [];
  const canvas = document.querySelector("canvas");
  const image = new Image();
  image.src = "{image}";
  window.painted = image.decode().then(() => {{
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0);
  }});
  canvas.addEventListener("click", (event) => window.clicks.push([event.clientX, event.clientY]));
</script>
"""

PAINTED = "async () => { await window.painted; return true; }"


def write_twin(item: Item, folder: Path) -> str:
    """Writes a twin of a sample into a served folder and returns its file name."""
    name = item.id[:24]
    image = name + item.image.suffix
    shutil.copyfile(item.image, folder / image)
    viewport = item.sample.viewport
    page = _TWIN_PAGE.format(title="Painted twin", width=viewport.width, height=viewport.height, image=image)
    (folder / f"{name}.html").write_text(page, "utf-8")
    return f"{name}.html"


def twin_jobs(
    items: Iterable[Item], folder: Path, address: str, renderer: Renderer, peers: Sequence[Peer], store: Store
) -> list[BuildJob]:
    """A job for each sample of a page; samples of twins are skipped."""
    jobs = []
    for item in items:
        if item.sample.source != "twins" and item.sample.capture is not None:
            parts = [item.id, renderer.version, *(f"{peer.name} {peer.version}" for peer in peers), code_digest()]
            name = f"painted-{item.sample.name}"
            jobs.append(BuildJob(name, digest_of(parts), _maker(item, name, folder, address, renderer, store)))
    return jobs


def _maker(
    item: Item, name: str, folder: Path, address: str, renderer: Renderer, store: Store
) -> Callable[[], Awaitable[Sample]]:
    async def make() -> Sample:
        deadline = Deadline.of(VISIT_SECONDS)
        url = f"{address}/{write_twin(item, folder)}"

        async def prepare(tab: Tab) -> None:
            await navigate(tab.link, url, WaitUntil.SETTLED, deadline)
            await arrive(tab, deadline)
            try:
                await tab.page.evaluate(PAINTED)
            except Exception as exc:  # Playwright's errors may only be named in perception.browser
                raise DatasetError(f"the twin's picture could not be painted: {first_line(exc)}") from exc

        original = item.sample
        look = await renderer.look(SessionOptions(viewport=original.viewport), prepare, deadline)
        elements, tasks = painted_truth(original.truth, original.tasks)
        return replace(
            original,
            name=name,
            source="twins",
            stratum=Stratum.AX_POOR,
            image_sha256=store.put_image(look.png),
            truth=elements,
            ax=(),
            tasks=tasks,
            capture=look.capture,
            peers=look.peers,
            made={**made_facts(look, renderer.version), "original": item.id},
            milliseconds=look.milliseconds,
        )

    return make


def painted_truth(
    truth: Sequence[TruthElement], tasks: Sequence[GroundingTask]
) -> tuple[tuple[TruthElement, ...], tuple[GroundingTask, ...]]:
    """The part of a page's ground truth that its screenshot shows: reachable elements, without node ids."""
    kept = {index: place for place, index in enumerate(i for i, each in enumerate(truth) if each.reachable)}
    elements = tuple(replace(truth[index], backend_node_id=None, frame="") for index in kept)
    shown = tuple(replace(task, target=kept[task.target]) for task in tasks if task.target in kept)
    return elements, shown
