"""Tasks on small applications around component libraries, done by refs alone."""

from __future__ import annotations

from perception.bench.suites.tasks.agent import Agent, LostError
from perception.bench.suites.tasks.task import Task, in_page

TEXT = ("text",)


async def _move_cards(agent: Agent) -> str:
    await agent.look()
    for card, beside in (("Fix login", "Plan"), ("Call Ana", "Ask legal")):
        there = await agent.find("listitem", beside)
        await agent.act_on(await agent.find("listitem", card), agent.page.drag, there.ref)
    return agent.text


async def _book_room(agent: Agent) -> str:
    await agent.look()
    await agent.type("textbox", "Ada Novak", "Guest")
    await agent.type("slider", "5", "Nights", clear=True)
    await agent.click("textbox", "Arrival")
    while 'combobox "Month"' in agent.text and ': "June"' not in agent.text:
        ahead = [each for each in agent.seen if each.ref and "next-month" in each.line]
        if not ahead:
            raise LostError("no text says how the calendar goes on")
        await agent.act_on(ahead[-1], agent.page.click)
    await agent.click("generic", "June 12, 2030")
    await agent.click("button", "color picker")
    await agent.type("textbox", "#FF8800", "color", clear=True, submit=True)
    await agent.click("button", "Save")
    await agent.click("button", "Book")
    await agent.expect("Booked for Ada Novak")
    return agent.text


async def _choose_lamps(agent: Agent) -> str:
    await agent.look()
    await agent.type("searchbox", "lamp")
    await agent.click("columnheader", "Price")
    await agent.look()
    boxes = [at for at, each in enumerate(agent.seen) if each.role == "checkbox"]
    lamps = [at for at, each in enumerate(agent.seen) if "Lamp" in each.name]
    for lamp in lamps[:2]:
        await agent.act_on(agent.seen[max(at for at in boxes if at < lamp)], agent.page.click)
    return agent.text


async def _move_item(agent: Agent) -> str:
    await agent.look()
    there = await agent.find("button", "Move Bread")
    await agent.act_on(await agent.find("button", "Move Milk"), agent.page.drag, there.ref)
    return agent.text


async def _enter_code(agent: Agent) -> str:
    await agent.look()
    await agent.type("textbox", "482913", "Digit 1")
    await agent.expect("Welcome back")
    return agent.text


_MOVED = """cardsOf('Done').includes('Fix login') && cardsOf('To do').includes('Call Ana') &&
  cardsOf('To do').length === 3"""
_BOOKED = """window.booked && booked.guest === 'Ada Novak' && booked.nights === 5 && booked.arrival === '2030-06-12' &&
  booked.color.toUpperCase() === '#FF8800'"""
_CHOSEN = """(() => {
  const lamps = data.filter((each) => each[1].startsWith('Lamp')).sort((one, other) => one[2] - other[2]);
  return JSON.stringify([...rows].sort()) === JSON.stringify(lamps.slice(0, 2).map((each) => each[0]).sort());
})()"""

LIBRARY_TASKS = (
    Task(
        "move cards of a board",
        "Fix login is done, and Call Ana goes back to To do.",
        _move_cards,
        in_page(_MOVED),
        "board",
        modes=TEXT,
    ),
    Task(
        "book a room",
        "Book 5 nights from June 12, 2030 for Ada Novak, with a key card in #FF8800.",
        _book_room,
        in_page(_BOOKED),
        "booking",
        modes=TEXT,
    ),
    Task(
        "choose rows of a grid",
        "Choose the two cheapest lamps.",
        _choose_lamps,
        in_page(_CHOSEN),
        "stock",
        modes=TEXT,
    ),
    Task(
        "order a list",
        "Milk comes first.",
        _move_item,
        in_page("order()[0] === 'Milk' && order().length === 6"),
        "shopping",
        modes=TEXT,
    ),
    Task(
        "enter a one-time code",
        "The code is 482913.",
        _enter_code,
        in_page("document.getElementById('said').textContent === 'Welcome back'"),
        "code",
        modes=TEXT,
    ),
)
