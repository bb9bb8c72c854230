"""The figures of a simulation as one picture, an SVG that needs nothing else."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import unquote

from playwright.async_api import async_playwright

from perception.bench.suites.placement_simulation.run import SimulationRun
from perception.browser.chromium.launch import LaunchOptions, find_executable, launch
from perception.deadline import Deadline

WIDTH, HEIGHT = 960, 640

BLUE, ORANGE, GREY = "#1f6fb2", "#d9731a", "#888888"


def draw(run: SimulationRun) -> str:
    """The SVG's text. Needs plotly (the extra `bench`) and a Chromium, which draws it."""
    return asyncio.run(_svg_of(_figure(run)))


def _figure(run: SimulationRun) -> dict[str, Any]:
    from plotly.subplots import make_subplots

    workers = [each.workers for each in run.sizes]
    titles = (
        "Processor time of a claim (µs)",
        "Wait for a slot, simulated (ms)",
        "Most loaded workers over the mean (points)",
        "One core of an edge: what workers tell it (%)",
    )
    figure = make_subplots(2, 2, subplot_titles=titles, vertical_spacing=0.16, horizontal_spacing=0.09)

    def line(row: int, column: int, name: str, color: str, values: list[float]) -> None:
        style: dict[str, Any] = {"mode": "lines+markers", "line": {"color": color}, "name": name}
        style["showlegend"] = (row, column) == (1, 1)
        figure.add_scatter(x=workers, y=values, row=row, col=column, **style)

    for place, (name, color) in enumerate((("median", BLUE), ("99th percentile", ORANGE))):
        line(1, 1, name, color, [each.claim_us[place] for each in run.sizes])
        line(1, 2, name, color, [each.waited_ms[place] for each in run.sizes])
    line(2, 1, "mean", GREY, [each.imbalance * 100 for each in run.sizes])
    line(2, 2, "mean", GREY, [each.news_share * 100 for each in run.sizes])
    figure.add_hline(y=100, line_dash="dot", line_color=ORANGE, row=2, col=2)
    figure.update_xaxes(type="log", title_text="workers", tickvals=workers, ticktext=[f"{each:,}" for each in workers])
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(type="log", tickvals=[0.1, 1, 10, 100, 1000], row=2, col=2)  # between two sizes it is linear
    sessions = sum(each.counts.get("sessions", 0) for each in run.sizes)
    figure.update_layout(
        title=f"{sessions:,} simulated sessions, {run.edges} edges, {run.slots} slots a worker",
        template="plotly_white",
        width=WIDTH,
        height=HEIGHT,
        legend={"orientation": "h", "y": 1.12, "x": 0.6},
        margin={"l": 50, "r": 20, "t": 90, "b": 50},
    )
    found: dict[str, Any] = json.loads(figure.to_json())
    return found


async def _svg_of(figure: dict[str, Any]) -> str:
    from plotly.offline import get_plotlyjs

    options = LaunchOptions()
    async with async_playwright() as playwright:
        chromium = await launch(options, find_executable(options, playwright.chromium.executable_path), Deadline.of(60))
        try:
            browser = await playwright.chromium.connect_over_cdp(chromium.ws_url)
            page = await browser.new_page()
            await page.add_script_tag(content=get_plotlyjs())
            drawn = await page.evaluate(
                """async ([figure, width, height]) => Plotly.toImage(figure, {format: 'svg', width, height})""",
                [figure, WIDTH, HEIGHT],
            )
            return unquote(str(drawn).partition(",")[2]) + "\n"
        finally:
            await chromium.close()
