"""ExtractInteractables: what is in the list, selectors that find their element again, and the one-step workflow."""

# ruff: noqa: E501  pages read better unbroken

from __future__ import annotations

from urllib.parse import quote

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToJson

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.render.untrusted import unmarked
from perception.v1 import extraction_service_pb2 as pb
from perception.v1 import session_service_pb2 as session_pb
from tests.support.live import Show
from tests.support.waiting import title_of

KINDS = """<!doctype html><title>kinds</title>
<button id=save>Save</button><input type=email name=mail placeholder="Your mail" required>
<input type=password name=pw value=hunter2><textarea name=note>Dear</textarea><select name=land><option>No</select>
<a href="/about">About</a><a href="#">Top</a><div onclick="1" class=card>Handler</div><div data-action=go>Action</div>
<div aria-expanded=false>Expands</div><div contenteditable id=editor>Words</div><span style="cursor:pointer">Pointed</span>
<input type=checkbox id=ok checked><label for=ok>Fine</label><details><summary>More</summary>x</details>
<button disabled>Off</button><p>Plain</p>
<div hidden><button id=menu>In a menu</button><input type=hidden name=token value=t0k3n></div>
<style>body>*{margin:2px;display:inline-block}[hidden]{display:none}</style>"""


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def show(write: Show) -> Show:
    return write


def by_name(found: list[pb.Interactable]) -> dict[str, pb.Interactable]:
    return {each.name or each.placeholder or each.selector: each for each in found}


async def test_every_kind_of_control_is_listed_with_what_it_is(page: AsyncPage, show: Show) -> None:
    await show(KINDS)
    found = by_name(await page.interactables())
    kinds = {name: (each.type, each.role) for name, each in found.items()}
    assert kinds == {
        "Save": ("button", "button"),
        "Your mail": ("input", "textbox"),
        'input[name="pw"]': ("input", "textbox"),
        'textarea[name="note"]': ("textarea", "textbox"),
        'select[name="land"]': ("select", "combobox"),
        "About": ("link", "link"),
        "Top": ("link", "link"),
        "Handler": ("generic", "generic"),
        "Action": ("generic", "generic"),
        "Expands": ("generic", "generic"),
        "#editor": ("contenteditable", "textbox"),
        "Pointed": ("generic", "generic"),
        "Fine": ("input", "checkbox"),
        "More": ("summary", "button"),
        "Off": ("button", "button"),
    }
    assert (found["Your mail"].input_type, list(found["Your mail"].states)) == ("email", ["required"])
    assert found["Fine"].states == ["checked"]
    assert not found["Off"].enabled
    assert found["Save"].enabled
    assert found['textarea[name="note"]'].value == "Dear"


async def test_a_password_is_in_no_part_of_the_answer(page: AsyncPage, show: Show, client: AsyncClient) -> None:
    await show(KINDS)
    request = pb.ExtractInteractablesRequest(session_id=page.session_id, include_hidden=True)
    answer = await client.call(client.extraction.ExtractInteractables, request)
    assert b"hunter2" not in answer.SerializeToString()
    assert b"t0k3n" not in answer.SerializeToString()


async def test_hidden_controls_are_listed_in_place_only_when_requested(page: AsyncPage, show: Show) -> None:
    await show(KINDS)
    assert "In a menu" not in by_name(await page.interactables())
    hidden = await page.interactables(hidden=True)
    assert [each.name for each in hidden][-2:] == ["Off", "In a menu"]
    last = hidden[-1]
    assert (last.selector, last.visible, last.reachable, last.ref) == ("#menu", False, False, "")


async def test_only_wanted_roles_and_only_the_scope_content(page: AsyncPage, show: Show) -> None:
    await show("<nav id=a><a href=/x>X</a><button>B</button></nav><button>C</button>")
    assert [each.name for each in await page.interactables(roles=["button"])] == ["B", "C"]
    assert [each.name for each in await page.interactables("#a")] == ["X", "B"]
    assert [each.name for each in await page.interactables("#a", roles=["button"])] == ["B"]


async def test_the_scope_holds_hidden_ones_too_and_no_others(page: AsyncPage, show: Show) -> None:
    await show("<div id=a><button>B</button><button hidden>H</button></div><button hidden>Out</button>")
    assert [each.name for each in await page.interactables("#a", hidden=True)] == ["B", "H"]


STRANGE = r"""<!doctype html><title>strange</title><div id=all></div><script>
const values = ['1st', '-', '--x', 'a:b', 'a.b#c', 'q"uo\'te', 'back\\slash', 'new\nline', 'héllo wörld', '日本', 'a]b', 'x >>> y', '\u202eoverride', '🙂', 'tab\tin', 'a b', '[', ')', '*', '>', 'é'];
for (const value of values) for (const name of ['id', 'name', 'aria-label', 'class', 'data-testid', 'title']) {
  const made = document.createElement('button');
  made.setAttribute(name, value); made.textContent = 'Go';
  made.onclick = () => { document.title = `${name} ${JSON.stringify(value)}`; made.remove(); };
  all.append(made);
}
</script>"""


async def test_strange_ids_names_and_classes_are_written_so_that_they_find_their_element(
    page: AsyncPage, show: Show
) -> None:
    await show(STRANGE)
    found = await page.interactables()
    assert len(found) == 21 * 6
    assert len({each.selector for each in found}) == len(found)
    assert all(each.selector.isprintable() for each in found)
    for each in found[::17]:
        assert (await page.click(each.selector, skip_diff=True)).point
    assert len(await page.interactables()) == len(found) - len(found[::17])


GENERATED = """<!doctype html><title>generated</title>
<input id=":r1:" name=mail><button id="ember1042" class="css-1x2y3z jss12" aria-label="Close">x</button>
<button id="5f0c8d1e-9b1a-4c3d-8e2f-000000000001" data-testid=buy>Buy</button>
<a id="mui-7" class="sc-bdVaJa fxKbxX" href="/help">Help</a><div id=login><input type=text id="radix-:r3:-x" placeholder=Name></div>
<button id="mat-input-3" class="Button_root__h4Sh5 primary-action">Go</button><button class="flex mt-4 btn-danger">No</button>"""


async def test_what_looks_generated_is_not_relied_on(page: AsyncPage, show: Show) -> None:
    await show(GENERATED)
    found = {each.name or each.placeholder or each.selector: each for each in await page.interactables()}
    assert [each.selector for each in found.values()] == [
        'input[name="mail"]',
        'button[aria-label="Close"]',
        '[data-testid="buy"]',
        'a[href="/help"]',
        'input[placeholder="Name"]',
        "button.primary-action",
        "button.btn-danger",
    ]
    assert [each.stability_reason for each in found.values()][:4] == ["name", "aria-label", "test id", "href"]


MEANT = "save login-form nav-item-settings user_name billing-zip id_username searchInput step2-next h1-title main-menu:open übersicht".split()
MADE = (
    ":r1: «r0» _r_3_ ember1042 ext-gen1001 mat-input-0 ui-id-3 radix-:r3:-trigger mui-27 yui_3_18_1_1 __BVID__12 el-id-4 headlessui-menu-7 "
    "5f0c8d1e-9b1a-4c3d-8e2f-000000000001 item-1699999999999 a1b2c3d4 x-9f8e7d6c sc-bdVaJa fxKbxX-id btn-h4Sh5x kqzxwvb field-3f2a91"
).split()


async def test_authored_ids_are_distinguished_from_generated_ones(page: AsyncPage, show: Show) -> None:
    await show("".join(f'<button id="{each}">{n}</button>' for n, each in enumerate([*MEANT, *MADE])))
    by_id = [each.stability_reason == "id" for each in await page.interactables()]
    relied_on = [each for each, used in zip([*MEANT, *MADE], by_id, strict=True) if used]
    assert relied_on == MEANT


async def test_a_class_that_says_a_state_is_in_no_selector(page: AsyncPage, show: Show) -> None:
    await show("<div class='calendar calendarHover'><b onclick=1 class='dayChecked next'>x</b></div><b onclick=1>y</b>")
    found = {each.name: each.selector for each in await page.interactables()}
    assert found["x"] == "b.next"


async def test_an_id_that_two_elements_have_is_no_selector(page: AsyncPage, show: Show) -> None:
    await show("<form><button id=go>A</button></form><section><button id=go>B</button></section>")
    first, second = await page.interactables()
    assert "#go" not in (first.selector, second.selector)
    await page.click(second.selector)


async def test_similar_rows_are_identified_by_their_own_content(page: AsyncPage, show: Show) -> None:
    rows = "".join(f"<tr><td><a href=/item/{n}>Item</a><td><button>Delete</button>" for n in "abc")
    await show(f"<table>{rows}</table>")
    found = [each.selector for each in await page.interactables(roles=["button"])]
    assert found == [f'tr:has(a[href="/item/{n}"]) button' for n in "abc"]


SHADOWS = """<title>shadows</title><button id=a>Light</button><div id=open></div><div id=closed></div><iframe name=f
srcdoc="<button id=a>Framed</button><div id=inner></div><script>inner.attachShadow({mode:'open'}).innerHTML='<button>Deep</button>'</script>"></iframe>
<script>for (const mode of ['open', 'closed']) document.getElementById(mode).attachShadow({mode}).innerHTML = `<button id=a>In ${mode}</button>`;
const hear = (at) => (event) => document.title = `${at} ${event.composedPath()[0].textContent || event.target.id}`;
addEventListener('click', hear('clicked'))</script>"""


async def test_steps_lead_into_shadow_roots_and_frames(page: AsyncPage, show: Show) -> None:
    await show(SHADOWS)
    found = {each.name: each for each in await page.interactables()}
    assert {name: each.selector for name, each in found.items()} == {
        "Light": "#a",
        "In open": "#open >>> #a",
        "In closed": "#closed >>> #a",
        "Framed": 'iframe[name="f"] >>> #a',
        "Deep": 'iframe[name="f"] >>> #inner >>> button',
    }
    assert found["In closed"].playwright_selector == ""
    assert found["Light"].playwright_selector == "css:light=#a"
    assert found["Framed"].frame
    await page.click("#open >>> #a")
    assert await title_of(page) == "clicked In open"
    await page.click("#a")
    assert await title_of(page) == "clicked Light"
    for selector in ("#closed >>> #a", 'iframe[name="f"] >>> #inner >>> button'):
        assert (await page.click(selector)).point.x > 0


BARE = """<title>bare</title><x-list id=list></x-list><div><button>Out</button></div><script>
list.attachShadow({mode: 'open'}).innerHTML = '<div><button>A</button></div><div><div><button>B</button></div><button>C</button></div>'</script>"""


async def test_what_has_nothing_but_its_place_in_a_shadow_root_is_found_by_that(page: AsyncPage, show: Show) -> None:
    await show(
        f"{BARE}<script>addEventListener('click', (event) => document.title = event.composedPath()[0].textContent)</script>"
    )
    found = await page.interactables()
    assert [each.name for each in found] == ["A", "B", "C", "Out"]
    for each in found:
        await page.click(each.selector)
        assert await title_of(page) == each.name


async def test_a_step_into_a_closed_root_needs_no_look_before(page: AsyncPage, show: Show) -> None:
    await show(SHADOWS)
    assert (await page.click("#closed >>> #a", skip_diff=True)).point.x > 0


async def test_a_selector_from_the_list_is_acted_on_after_a_reload(
    page: AsyncPage, site: str, client: AsyncClient
) -> None:
    script = "<script>addEventListener('click', (event) => document.title = event.target.id)</script>"
    await page.navigate(f"{site}/html?body={quote(KINDS + script)}")
    found = by_name(await page.interactables())
    await client.call(client.sessions.Reload, session_pb.ReloadRequest(session_id=page.session_id))
    await page.type_text(found["Your mail"].selector, "ana@example.org")
    await page.click(found["Save"].selector)
    assert await title_of(page) == "save"
    assert by_name(await page.interactables())["Your mail"].value == "ana@example.org"


async def test_what_is_private_is_in_no_selector(page: AsyncPage, show: Show) -> None:
    await show("<div data-private><button aria-label='Ms Secret' title='Ms Secret'>Ms Secret</button></div>")
    (only,) = await page.interactables()
    assert "Secret" not in str(only)


async def test_an_answer_is_paged_and_its_pages_make_the_whole(
    page: AsyncPage, show: Show, client: AsyncClient
) -> None:
    await show(
        "<div id=list></div><script>for (let i = 0; i < 25; i++) list.innerHTML += `<button>B${i}</button>`</script>"
    )
    request = pb.ExtractInteractablesRequest(session_id=page.session_id, page_size=10)
    pages = [await client.call(client.extraction.ExtractInteractables, request)]
    while pages[-1].next_page_token:
        request.page_token = pages[-1].next_page_token
        pages.append(await client.call(client.extraction.ExtractInteractables, request))
    assert [len(each.interactables) for each in pages] == [10, 10, 5]
    assert {each.total_count for each in pages} == {25}
    assert [each.name for reply in pages for each in reply.interactables] == [f"B{i}" for i in range(25)]
    as_json = [MessageToJson(each, indent=None) for each in pages[0].interactables]
    assert pages[0].byte_count == sum(len(each.encode()) for each in as_json)
    assert pages[0].token_count > 0
    assert unmarked(pages[0].text).startswith('- button "B0" `')


async def test_pages_of_a_page_that_was_left_are_refused(page: AsyncPage, site: str, client: AsyncClient) -> None:
    await page.navigate(f"{site}/html?body=<button>A</button><button>B</button>")
    request = pb.ExtractInteractablesRequest(session_id=page.session_id, page_size=1)
    request.page_token = (await client.call(client.extraction.ExtractInteractables, request)).next_page_token
    await page.navigate(f"{site}/html?body=<button>C</button>")
    with pytest.raises(RemoteError, match="left") as refused:
        await client.call(client.extraction.ExtractInteractables, request)
    assert refused.value.reason == "STALE_REF"


@pytest.mark.parametrize(
    ("fields", "reason", "says"),
    [
        pytest.param({"scope_selector": "#nope"}, "NO_MATCH", "matches nothing", id="scope-of-nothing"),
        pytest.param({"scope_selector": "button"}, "AMBIGUOUS_TARGET", "matches 2", id="scope-of-two"),
        pytest.param({"scope_selector": "a[["}, "BAD_SELECTOR", "not a valid CSS", id="scope-that-is-no-css"),
        pytest.param({"scope_selector": "div >>> a"}, "NO_MATCH", "neither a shadow root nor a frame", id="no-root"),
        pytest.param({"scope_selector": "div >>>"}, "BAD_SELECTOR", "empty", id="empty-step"),
        pytest.param({"roles": ["buton"]}, "BAD_INPUT", "'buton'", id="role-that-is-none"),
        pytest.param({"page_size": -1}, "BAD_INPUT", "0 to 1000", id="page-size"),
        pytest.param({"page_token": "s1.2"}, "BAD_INPUT", "next_page_token", id="no-token"),
        pytest.param({"page_token": "x999999.2"}, "UNKNOWN_CURSOR", "not known", id="old-token"),
        pytest.param({"settle_timeout": Duration(seconds=-1)}, "BAD_INPUT", "0 or more", id="negative-wait"),
    ],
)
async def test_bad_requests_are_answered_with_what_to_do(
    page: AsyncPage, show: Show, client: AsyncClient, fields: dict[str, object], reason: str, says: str
) -> None:
    await show("<div><button>A</button><button>B</button></div>")
    request = pb.ExtractInteractablesRequest(session_id=page.session_id, **fields)  # type: ignore[arg-type]
    with pytest.raises(RemoteError, match=says) as refused:
        await client.call(client.extraction.ExtractInteractables, request)
    assert refused.value.reason == reason


async def test_media_can_be_asked_for_by_role(page: AsyncPage, show: Show) -> None:
    await show("<video controls aria-label=Film></video><button>A</button>")
    assert {each.role for each in await page.interactables(roles=["video"])} <= {"video"}
    with pytest.raises(RemoteError, match="not an ARIA role"):
        await page.interactables(roles=["video)"])


async def test_an_empty_page_has_an_empty_list(page: AsyncPage, show: Show) -> None:
    await show("<!doctype html>")
    assert await page.interactables() == []


async def test_a_snapshot_has_the_same_selectors_when_asked_for(page: AsyncPage, show: Show) -> None:
    await show(SHADOWS)
    listed = {each.ref: each.selector for each in await page.interactables()}
    snapshot = await page.snapshot(mode="text", include_selectors=True)
    assert {each.ref: each.selector for each in snapshot.elements if each.ref in listed} == listed
    assert not any(each.selector for each in (await page.snapshot(mode="text")).elements)


TWO_BUTTONS = """<body onclick="document.title = event.composedPath()[0].textContent"><button id=a>A</button><button id=b>B</button>"""


@pytest.mark.parametrize(
    ("change", "names"),
    [
        pytest.param("0", ["A", "B"], id="nothing"),
        pytest.param("a.textContent = 'Other'; b.style.color = 'red'", ["Other", "B"], id="text-and-style"),
        pytest.param("b.id = 'c'", ["A", "B"], id="an-id"),
        pytest.param("b.id = 'a'", ["A", "B"], id="the-same-id"),
        pytest.param("b.insertAdjacentHTML('afterend', '<p id=a>P</p>')", ["A", "B"], id="another-element"),
        pytest.param(
            "const host = document.createElement('p'); document.body.append(host); host.attachShadow({mode: 'open'})"
            ".innerHTML = '<button id=a>In</button>'",
            ["A", "B", "In"],
            id="a-shadow-root",
        ),
    ],
)
async def test_selectors_of_an_earlier_list_are_not_reused_for_a_changed_page(
    shared_scripted: AsyncPage, write_scripted: Show, change: str, names: list[str]
) -> None:
    await write_scripted(TWO_BUTTONS)
    assert [each.selector for each in await shared_scripted.interactables()] == ["#a", "#b"]
    await shared_scripted.evaluate(f"{{ {change}; }} 0")
    found = await shared_scripted.interactables()
    assert [each.name for each in found] == names
    for each in found:
        await shared_scripted.click(each.selector, skip_diff=True)
        assert await title_of(shared_scripted) == each.name


ICONS = """<!doctype html><title>icons</title>
<button aria-label=Close><svg width=20 height=20 tabindex=0 style="cursor:pointer"><path d="M0 0h20v20z"/></svg></button>
<a href=/home><svg width=20 height=20><title>Home</title><path d="M0 0h20v20z"/></svg></a>
<div role=tab>Report <svg width=20 height=20><title>Shut</title><path d="M0 0h20v20z"/></svg></div>
<svg width=90 height=20><path aria-label=Area d="M0 0h20v20z"/></svg>
<script>for (const each of document.querySelectorAll('svg, path')) each.addEventListener('click', () => {})</script>"""


async def test_the_drawing_of_a_control_without_text_is_not_listed_beside_it(page: AsyncPage, show: Show) -> None:
    await show(ICONS)
    found = [(each.role, each.name) for each in await page.interactables()]
    assert found.count(("button", "Close")) == 1
    assert [role for role, _ in found[:3]] == ["button", "link", "tab"]
    # A drawing beside text may do something else, and so may a part of a drawing that is in no control.
    assert [role for role, _ in found[3:]] == ["graphics-symbol", "graphics-symbol"]


UNSEEN = """<!doctype html><title>unseen</title>
<div style="height:40px"><div style="overflow:hidden;position:relative;width:3px;height:0"><textarea tabindex=0
 style="position:absolute;bottom:-1em;padding:0;width:1px;height:1em"></textarea></div><pre>code</pre></div>
<div tabindex=0 data-testid=sentinelStart></div><div role=dialog aria-label=D><button>Ok</button></div>
<div tabindex=0 data-testid=sentinelEnd></div>
<span data-focus-guard tabindex=0 style="opacity:0;position:fixed;pointer-events:none"></span>"""


async def test_what_only_scripts_focus_is_listed_only_with_hidden_ones(page: AsyncPage, show: Show) -> None:
    await show(UNSEEN)
    assert [each.name for each in await page.interactables()] == ["Ok"]
    hidden = await page.interactables(hidden=True)
    assert [(each.role, each.visible) for each in hidden] == [
        ("textbox", False), ("generic", False), ("button", True), ("generic", False), ("generic", False)]  # fmt: skip


async def test_a_container_is_not_named_by_the_tooltip_of_a_control_in_it(page: AsyncPage, show: Show) -> None:
    await show(
        "<div role=textbox contenteditable id=editor><a href=/a title=First>One</a> <b>two</b></div>"
        "<button id=icon><i title=Save></i></button>"
    )
    found = {each.selector: each.name for each in await page.interactables()}
    assert (found["#editor"], found["#icon"]) == ("", "Save")


COUNTED = "ag-18-input map1_or cell-3-7 row-0-col-2 jqvmap1_us".split()


@pytest.mark.parametrize("made", COUNTED)
async def test_ids_with_a_counter_between_words_yield_to_what_the_author_wrote(
    page: AsyncPage, show: Show, made: str
) -> None:
    await show(f"<input id={made} aria-label=Price><p><button id={made}b>Go</button></p>")
    price, go = await page.interactables()
    assert price.selector == 'input[aria-label="Price"]'
    assert go.stability < 0.7


async def test_a_step_by_position_counts_siblings_with_the_same_id_and_another_tag(page: AsyncPage, show: Show) -> None:
    await show("<body><button id=a>A</button><p id=a>P</p>")
    assert [each.selector for each in await page.interactables()] == ["body > button#a"]


NESTED = """<!doctype html><title>nested</title><div id=app><section class=first-part><p>Text</p></section>
<section class=second-part><div class=outer-frame><div class=inner-frame><div class=content-area><p>Text</p>
<div class=toolbar-row><span class=item-holder><a class=item-action href=#>One</a></span></div></div></div></div>
<div class=outer-frame><div class=inner-frame><div class=content-area><p>Text</p><div class=toolbar-row><span class=item-holder>
<a class=item-action href=#>Two</a></span><span class=item-holder><a class=item-action href=#>Three</a></span></div></div></div></div>
</section></div>"""


async def test_selectors_leave_out_containers_that_they_do_not_need(page: AsyncPage, show: Show) -> None:
    await show(NESTED)
    found = await page.interactables()
    assert [each.name for each in found] == ["One", "Two", "Three"]
    assert len({each.selector for each in found}) == 3
    assert all(len(each.selector) < 110 for each in found)
    for each in found:
        await page.click(each.selector, skip_diff=True)


COUNTS = (
    "TextField54 checkbox-78 id__99 input-v-62 tab-item-37 component-37 combobox-1052-inputEl row24-0 remove34 item_34_row "
    "uk-accordion-1 __view2-panel id2a Dropdown3 select2-color-uz-container"
).split()


async def test_a_count_promises_little(page: AsyncPage, show: Show) -> None:
    await show("".join(f"<p><button id={each}>{n}</button></p>" for n, each in enumerate(COUNTS)))
    promised = {each.selector: each.stability for each in await page.interactables()}
    assert len(promised) == len(COUNTS)
    assert {selector for selector, stability in promised.items() if stability > 0.5} == set()


async def test_a_class_of_random_letters_promises_little(page: AsyncPage, show: Show) -> None:
    await show(
        "<p class=psiwjT><button class=fakwbO>a</button></p><button class=xzewIhy>b</button><button class=checkout>c</button>"
    )
    assert [each.stability > 0.5 for each in await page.interactables()] == [False, False, True]


ENDS = """<title>ends</title><table id=ctl00_Body_ctl02><tr><td><input id=ctl00_Body_ctl02_txtName><td><a href=# id=ctl00_Body_ctl02_lnkEdit>Edit</a></table>
<ul role=menu><li role=menuitem tabindex=0 data-menu-id=rc-menu-uuid-31921-1-home>Home<li role=menuitem tabindex=0 data-menu-id=rc-menu-uuid-31921-1-team>Team</ul>"""


async def test_what_the_author_wrote_after_a_count_finds_the_element(page: AsyncPage, show: Show) -> None:
    await show(ENDS)
    assert [each.selector for each in await page.interactables(roles=["textbox", "link", "menuitem"])] == [
        'input[id$="_txtName"]',
        'a[id$="_lnkEdit"]',
        'li[data-menu-id$="-home"]',
        'li[data-menu-id$="-team"]',
    ]


async def test_an_end_that_two_elements_have_is_no_selector(page: AsyncPage, show: Show) -> None:
    await show("<button id=list3_pay>A</button><p><button id=other_pay>B</button></p>")
    first, second = await page.interactables()
    assert "$=" not in first.selector
    assert second.selector == "#other_pay"


async def test_a_container_is_no_more_stable_than_what_names_it(page: AsyncPage, show: Show) -> None:
    choice = "<option value=red>Red<option value=blue>Blue"
    await show(f"<select data-select2-id=7>{choice}</select><select data-select2-id=9>{choice}</select>")
    assert all(each.stability <= 0.5 for each in await page.interactables(roles=["combobox"]))


async def test_attributes_that_say_the_id_of_a_thing_are_used(page: AsyncPage, show: Show) -> None:
    rows = "".join(
        f'<div role=row row-id="{name}"><div role=gridcell col-id=price tabindex=0>9</div><div role=gridcell col-id=town tabindex=0>x</div></div>'
        for name in ("polo", "golf")
    )
    await show(f"<div role=grid>{rows}</div>")
    found = await page.interactables(roles=["gridcell"])
    assert [each.selector for each in found][:2] == [
        'div[row-id="polo"] div[col-id="price"]',
        'div[row-id="polo"] div[col-id="town"]',
    ]
