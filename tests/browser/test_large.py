"""Pages of a hundred thousand nodes."""

from __future__ import annotations

from perception.browser.browser_session import BrowserSession
from perception.deadline import Deadline
from perception.types import Capture, Engine, Scope

BUILD = """() => {
  const rows = document.createDocumentFragment();
  for (let i = 0; i < 20000; i++) {
    const row = document.createElement('div');
    row.innerHTML = `<span>Item ${i}</span> <button>Edit ${i}</button>`;
    rows.append(row);
  }
  document.body.replaceChildren(rows);
}"""


async def look(browser: BrowserSession) -> Capture:
    return await browser.tab().capturer.capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=False, deadline=Deadline.of(60)
    )


async def test_a_page_of_100000_nodes_is_looked_at_by_what_is_in_view(browser: BrowserSession) -> None:
    page = browser.tab().page
    await page.evaluate(BUILD)
    first = await look(browser)
    assert 20 < len(first.elements) < 200
    assert await look(browser) is first
    await page.evaluate("document.querySelectorAll('button')[3].textContent = 'Changed'")
    again = await look(browser)
    assert [each.name for each in again.elements if each.role == "button"][3] == "Changed"
    assert [each.node for each in again.elements] == [each.node for each in first.elements]
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    end = await look(browser)
    assert end.elements[-1].name == "Edit 19999"
    assert end.elements[-1].reachable
