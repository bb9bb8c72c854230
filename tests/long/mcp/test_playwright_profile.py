"""The tools by Playwright MCP's names: its parameters are taken, and answered in our words."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
from mcp import types

from perception.server.app import Service
from perception.tools.backend import Backend, BackendOptions
from perception.tools.offer import make_offer
from tests.long.mcp.conftest import InProcess, text_of

pytestmark = pytest.mark.usefixtures("kept_contexts", "patient_service")

BODY = """<title>Form</title><h1>Form</h1><p id=told>Ready</p><input id=name aria-label=Name>
<label><input type=checkbox id=terms> Terms</label><select aria-label=Size><option>S</option><option>M</option></select>
<button onclick="told.textContent = [name_.value, terms.checked, size_.value].join(' ')">Send</button>
<button onclick="setTimeout(() => late.remove(), 300)">Drop</button><b id=late>Late words</b>
<button onclick="told.textContent = prompt('Who?')">Ask</button>
<p style="margin-top:3000px"><button>Deep</button></p>
<script>name_ = document.querySelector('#name'); size_ = document.querySelector('select')
fetch('/status?code=200&key=hidden')</script>"""


def ref_of(shown: str, label: str) -> str:
    found = re.search(rf"^ *(e\d+) \w+ {label}\b", shown, re.MULTILINE)
    assert found, shown
    return found[1]


async def test_a_form_is_filled_as_with_playwright(in_process: InProcess, site: str) -> None:
    async with in_process.connect("playwright", ()) as tools:
        listed = [each.name for each in (await tools.client.list_tools()).tools]
        assert len(listed) == 23
        assert all(name.startswith("browser_") for name in listed)
        assert "call browser_navigate" in await tools.refused("browser_snapshot")
        assert "800×600" in await tools("browser_resize", width=800, height=600)
        shown = await tools("browser_navigate", url=f"{site}/html?body={quote(BODY)}")
        assert "button Deep" in shown
        assert "800" in await tools("browser_evaluate", function="() => innerWidth")
        assert "button Deep" in await tools("browser_resize", width=500, height=700)
        assert "500" in await tools("browser_evaluate", function="() => innerWidth")
        name, send = ref_of(shown, "Name"), ref_of(shown, "Send")
        fields = [
            {"name": "Name", "type": "textbox", "target": name, "value": "Ana"},
            {"name": "Terms", "type": "checkbox", "ref": ref_of(shown, "Terms"), "value": True},
            {"name": "Size", "type": "combobox", "target": ref_of(shown, "Size"), "value": "M"},
        ]
        await tools("browser_fill_form", fields=fields)
        assert '"Ana true M"' in await tools("browser_click", element="the Send button", target=send)
        await tools("browser_type", target=name, text="Bo", slowly=True)
        assert '"Bo true M"' in await tools("browser_click", ref=send)
        await tools("browser_select_option", target=ref_of(shown, "Size"), values=["S"])
        await tools("browser_hover", target=send)
        await tools("browser_press_key", key="Enter")
        assert await tools("browser_evaluate", function="() => innerWidth") == await tools(
            "browser_evaluate", function="(each) => innerWidth", target=send
        )
        assert "there is no argument filename" in await tools.refused("browser_snapshot", filename="out.md")
        found = await tools("browser_find", text="Send")
        assert f"{send} button" in found.splitlines()[1]
        assert f"{send} button" in await tools("browser_find", text="/^s.nd$/i")
        assert "nothing on the page fits" in await tools("browser_find", text="/^s.nd$/")
        assert "is not a regular expression" in await tools.refused("browser_find", text="/(/")


async def test_a_regular_expression_that_backtracks_without_end_is_refused(
    in_recorded_sessions: InProcess, site: str
) -> None:
    async with in_recorded_sessions.connect("playwright", ()) as tools:
        words = "a" * 60 + "b"
        await tools("browser_navigate", url=f"{site}/html?body={quote(f'<button>{words}</button>')}")
        refused = await tools.refused("browser_find", text="/^(a|aa)+$/")
        assert "browser_find: text takes more than 2 s to search with" in refused
        await tools("browser_evaluate", function=f"() => fetch('/status?code=200&{words}').then(() => 1)")
        refused = await tools.refused("browser_network_requests", filter="(a|aa)+$")
        assert "browser_network_requests: filter takes more than 2 s" in refused


async def test_pages_tabs_waits_and_dialogs_go_as_with_playwright(in_process: InProcess, site: str) -> None:
    async with in_process.connect("playwright", ()) as tools:
        shown = await tools("browser_navigate", url=f"{site}/html?body={quote(BODY)}")
        await tools("browser_click", target=ref_of(shown, "Drop"))
        assert "Late words" not in await tools("browser_wait_for", textGone="Late words")
        assert "was not seen to go" in await tools.refused("browser_wait_for", textGone="Ready", time=0.4)
        assert "(prompt)" in await tools("browser_click", target=ref_of(shown, "Ask"))
        await tools("browser_handle_dialog", accept=True, promptText="Ana")
        assert '"Ana"' in await tools("browser_snapshot", boxes=True)
        result = await tools.client.call_tool("browser_take_screenshot", {"type": "png", "fullPage": True})
        image = next(each for each in result.content if isinstance(each, types.ImageContent))
        assert (image.mime_type, "the whole page" in text_of(result)) == ("image/png", True)
        assert "Worked" not in await tools("browser_tabs", action="new", url=f"{site}/form.html")
        assert [line[:3] for line in (await tools("browser_tabs", action="list")).splitlines()] == ["  0", "* 1"]
        assert "there is no tab 7" in await tools.refused("browser_tabs", action="select", index=7)
        await tools("browser_tabs", action="close", index=1)
        assert '"Ana"' in await tools("browser_snapshot")
        await tools("browser_navigate", url=f"{site}/form.html")
        assert "Form" in await tools("browser_navigate_back")
        await tools("browser_close")


LOGGING = """<title>Logs</title><script>console.log('first words'); console.debug('small words')
console.warn('be careful'); fetch('/status?code=404&of=missing', { method: 'POST', body: 'sent=1' })
  .then((answer) => answer.text()).then(() => setTimeout(() => { told.textContent = 'All is logged' }))
setTimeout(() => { throw new Error('nobody caught it') })</script><img src=/never.png><p id=told>Busy</p>
<button style="width:200px;height:50px;margin-top:2000px">Far</button>"""


@pytest.fixture
async def in_recorded_sessions(service: Service) -> AsyncIterator[InProcess]:
    """The sessions that the profile asks for."""
    session = make_offer("playwright", (), 30.0).session
    backend = Backend(BackendOptions(service.context.settings.address, timeout_s=30.0, session=session))
    yield InProcess(backend)
    await backend.close()


async def test_the_console_and_the_requests_since_the_page_was_loaded(
    in_recorded_sessions: InProcess, site: str
) -> None:
    async with in_recorded_sessions.connect("playwright", ()) as tools:
        await tools("browser_navigate", url=f"{site}/html?body={quote('<script>console.log(`earlier`)</script>')}")
        await tools("browser_navigate", url=f"{site}/html?body={quote(LOGGING)}")
        await tools("browser_wait_for", text="All is logged")
        told = await tools("browser_console_messages", level="")
        assert {"info first words", "warning be careful"} <= {line[3:].split(" (")[0] for line in told.splitlines()}
        assert "nobody caught it" in told
        assert "small words" not in told
        assert "earlier" not in told
        assert "small words" in await tools("browser_console_messages", level="debug")
        assert "first words" not in await tools("browser_console_messages", level="error")
        assert "earlier" in await tools("browser_console_messages", all=True)
        requests = await tools("browser_network_requests")
        assert "POST 404 fetch" in requests
        assert "earlier" not in requests
        assert "never.png" in requests  # it failed
        filtered = await tools("browser_network_requests", filter="of=miss")
        assert "never.png" not in filtered
        number = re.search(r"^(r\d+) POST", filtered, re.MULTILINE)
        assert number
        whole = await tools("browser_network_request", index=number[1])
        assert "sent=1" in whole
        assert whole == await tools("browser_network_request", index=int(number[1][1:]))
        assert "is not a regular expression" in await tools.refused("browser_network_requests", filter="(")


async def test_a_picture_of_one_element(in_process: InProcess, site: str) -> None:
    async with in_process.connect("playwright", ()) as tools:
        shown = await tools("browser_navigate", url=f"{site}/html?body={quote(LOGGING)}")
        target = ref_of(shown, "Far")
        result = await tools.client.call_tool("browser_take_screenshot", {"target": target, "element": "the button"})
        assert text_of(result) == "200×50 px of the element"
        assert "not both" in await tools.refused("browser_take_screenshot", target=target, fullPage=True)
