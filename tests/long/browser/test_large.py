"""Pages of tens of thousands of nodes."""

from __future__ import annotations

from perception.types import Scope
from tests.support.sheet import Sheet

BUILD = """() => {
  const rows = document.createDocumentFragment();
  for (let i = 0; i < 4000; i++) {
    const row = document.createElement('div');
    row.innerHTML = `<span>Item ${i}</span> <button>Edit ${i}</button>`;
    rows.append(row);
  }
  document.body.replaceChildren(rows);
}"""


async def test_a_page_of_24000_nodes_is_looked_at_by_what_is_in_view(sheet: Sheet) -> None:
    page = sheet.tab.page
    await sheet.write("<!doctype html>")
    await page.evaluate(BUILD)
    await sheet.collect_garbage()
    first = await sheet.look(scope=Scope.VIEWPORT)
    assert 20 < len(first.elements) < 200
    assert await sheet.look(scope=Scope.VIEWPORT) is first
    await page.evaluate("document.querySelectorAll('button')[3].textContent = 'Changed'")
    again = await sheet.look(scope=Scope.VIEWPORT)
    assert [each.name for each in again.elements if each.role == "button"][3] == "Changed"
    assert [each.node for each in again.elements] == [each.node for each in first.elements]
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    end = await sheet.look(scope=Scope.VIEWPORT)
    assert end.elements[-1].name == "Edit 3999"
    assert end.elements[-1].reachable
