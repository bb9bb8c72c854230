"""Generated pages with any number of controls: rows of a text, a button, a link and a field, a tenth of them in view.

They show how cost grows with a page. Real pages cannot show that, since they differ in more than their size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import Page

from perception.datasets.sources.site_server import serve_folder

IN_VIEW_SHARE = 0.1

MOST_IN_VIEW = 400
"""Controls that fill a screen of 1280 × 800: 4 columns of 33 rows of 3."""

COLUMNS = 4
ROW_PX = 24
"""Height of a line with controls of Chromium's own size (21 px and a margin)."""

VIEWPORT_PX = 800
"""Height of a session's default viewport."""

IN_ROW = 3


def controls_html(count: int) -> str:
    """A page of `count` controls, at least 1."""
    rows = max(1.0, min(count * IN_VIEW_SHARE, MOST_IN_VIEW) / IN_ROW)
    columns = 1 if rows * ROW_PX <= VIEWPORT_PX else COLUMNS
    height = max(ROW_PX, VIEWPORT_PX * columns / rows)
    style = (
        f"body {{ margin: 0; display: grid; grid-template-columns: repeat({columns}, 1fr); "
        f"grid-auto-rows: {height:.2f}px }} div {{ overflow: hidden; white-space: nowrap }} input {{ width: 40px }}"
    )
    body = "".join(_row(first, min(first + IN_ROW, count)) for first in range(0, count, IN_ROW))
    head = f"<!doctype html><html lang=en><title>{count} controls</title><style>{style}</style>"
    return f"{head}<body>{body}</body></html>\n"


def _row(first: int, end: int) -> str:
    controls = "".join(_control(number) for number in range(first, end))
    return f"<div><span>Order {first // IN_ROW}</span> {controls}</div>"


def _control(number: int) -> str:
    match number % IN_ROW:
        case 0:
            return f"<button>Pay {number}</button>"
        case 1:
            return f'<a href="#{number}">Details {number}</a>'
        case _:
            return f'<input aria-label="Amount {number}" value="{number}">'


@contextmanager
def serve_controls(counts: Sequence[int]) -> Iterator[dict[int, str]]:
    """Serves a page for each count on loopback within the context; addresses by count."""
    with TemporaryDirectory(prefix="controls-") as folder:
        for count in counts:
            Path(folder, f"{count}.html").write_text(controls_html(count), "utf-8")
        with serve_folder(Path(folder)) as origin:
            yield {count: f"{origin}/{count}.html" for count in counts}


async def change_controls(page: Page, count: int, number: int) -> None:
    """The page's own script changes the words of `count` texts, buttons and links, spread evenly over the page; then
    two animation frames pass.

    Args:
        number: a different number gives different words.

    Raises:
        ValueError: the page has fewer of them.
    """
    there = await page.evaluate(_CHANGE, [count, number])
    if there < count:
        raise ValueError(f"the page has {there} texts, buttons and links, and {count} were to be changed")


# A page in the background has no frames to wait for.
_CHANGE = """async ([count, number]) => {
  const there = document.querySelectorAll("span, button, a");
  for (let at = 0; at < Math.min(count, there.length); at++) {
    const text = there[Math.floor(at * there.length / count)].firstChild;
    text.data = text.data.replace(/ changed .*|$/, ` changed ${number}`);
  }
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  await Promise.race([frame().then(frame), new Promise((next) => setTimeout(next, 500))]);
  return there.length;
}"""
