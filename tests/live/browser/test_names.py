"""Roles and names of snippets that between them use every rule there is: as Chromium's own tree has them, word for
word.

Where we say otherwise on purpose, a test of its own says what and why.
"""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from perception.bench.suites.agreement.judgment import ComparedNode, NodeKind
from perception.bench.suites.agreement.run import read_tab
from perception.deadline import Deadline
from tests.support.sheet import Sheet

ICON = "<svg width=2 height=4>{}</svg>"


async def read(sheet: Sheet, body: str) -> tuple[ComparedNode, ...]:
    await sheet.write(f"<!doctype html>{body}")
    page = await read_tab(sheet.tab, "snippet", Deadline.of(60))
    return page.nodes


def said(nodes: tuple[ComparedNode, ...], role: str) -> list[str]:
    """Our names of the nodes to which we give a role."""
    return [node.our_name for node in nodes if node.our_role == role]


SNIPPETS = {
    "inline-parts": "<button>Save <b>all</b> now</button><button><span>a</span><span>b</span></button>",
    "blocks-part-words": "<button><div>a</div><div>b</div></button><button>a<br>b</button><button>/api<wbr>/v1</button>",
    "inline-blocks": "<button><span style='display:inline-block;margin-right:9px'>a</span><span>b</span></button>"
    "<button>a<span style='display:inline-block'></span>b</button><button style='display:flex'><i>a</i><i>b</i></button>",
    "pictures": "<button>x<img alt=I>y</button><button>x<img alt=''>y</button><button title=T><i></i></button>",
    "drawings": "".join(
        f"<button>a{each}b</button>"
        for each in (
            ICON.format(""),
            ICON.format("<title>T</title>"),
            "<svg width=2 height=4 aria-label=L></svg>",
            ICON.format("<text y=4>txt</text>"),
            ICON.format("<desc>D</desc>"),
            "<svg width=2 height=4 aria-hidden=true><title>T</title></svg>",
        )
    ),
    "drawn-things": "<svg width=9 height=9><g><title>G</title><rect width=5 height=5 aria-label=R /></g>"
    "<circle r=2><title>C</title></circle><use href=#u aria-label=U /><svg><title>N</title><path d='M0 0h5'/></svg>"
    "<a href=#><text y=9>link</text></a><image href='data:,' aria-label=I width=5 height=5 /></svg>",
    "hidden-parts": "<button>a<div aria-hidden=true>h</div>b</button>"
    "<button>a<b hidden>h</b>c</button><button>a<i style='visibility:hidden;font-size:0'>h<b style='visibility:visible;font-size:13px'>v</b></i></button>"
    "<button>a<span style='display:contents'>c</span>b</button>",
    "labels-of-parts": "<button>a<span aria-label=L>x</span>b</button><button>a<span title=T></span>b</button>",
    "blank-labels": "<button aria-label=' ' title=T>c</button><button aria-label=''>c</button><button title=c>c</button>",
    "references": "<b id=p>One</b><b id=q>Two</b><button aria-labelledby='q p'>x</button>"
    "<button id=s aria-label=Self aria-labelledby='s p'>x</button><button aria-labelledby=no aria-label=L>x</button>"
    "<div id=chain aria-labelledby=p>Chain</div><button aria-labelledby=chain>x</button>",
    "hidden-references": "<p id=h1 hidden>Hid <b hidden>den</b><i aria-hidden=true>k</i></p><p id=h2>V<b hidden>no</b></p>"
    "<p id=h3 aria-hidden=true>AH</p><button aria-labelledby=h1>x</button><button aria-labelledby=h2>x</button>"
    "<button aria-labelledby=h3>x</button>",
    "references-to-anything": "<nav id=n>nav <table><tr><th>th<td>td</table></nav><button aria-labelledby=n>x</button>"
    "<img id=i alt=Alt><button aria-labelledby=i>x</button><input id=v value=7><button aria-labelledby=v>x</button>",
    "labels": "<label>Lab <input></label><label>Lab<input>after</label><label for=a>A</label><label for=a>B</label><input id=a>"
    "<label aria-label=AL for=b>t</label><input id=b><label for=c><img alt=pic></label><input id=c>"
    "<label for=d>bl</label><button id=d>bc</button><label for=e>m</label><meter id=e value=1></meter>",
    "values-in-labels": "<label><input type=checkbox> Flash <input value=3 aria-label=n> times</label>"
    "<label for=k>Pick <select><option>o1<option selected>o2</select><input id=k type=checkbox></label>"
    "<label>Vol <input type=range value=7 max=10> <input type=checkbox></label>",
    "values-in-buttons": "<div role=button>x<div role=textbox>tv</div></div><div role=button>s<div role=slider aria-valuenow=5 "
    "aria-valuetext=five></div></div><div role=button>l<div role=listbox><div role=option aria-selected=true>sel</div>"
    "<div role=option>un</div></div></div><a href=#><i role=progressbar aria-valuenow=42></i>p</a>",
    "native-buttons": "<input type=submit><input type=submit value=Go><input type=reset><input type=button value=B>"
    "<input type=image alt=A><input type=image value=V><input type=image title=T><input type=image>"
    "<input type=file><input type=file multiple><input type=file aria-label=F>",
    "tooltips-and-placeholders": "<input title=T placeholder=P><input placeholder=P><input role=searchbox aria-placeholder=A>"
    "<textarea placeholder=P></textarea><input type=number placeholder=N><input type=date title=D><select title=S></select>",
    "input-types": "".join(
        f"<input type={each} aria-label={each}>"
        for each in "text search email tel url password number range checkbox radio color date time month week".split()
    )
    + "<input list=l aria-label=list><input type=range list=l aria-label=r><datalist id=l><option>o</datalist>",
    "selects": "<select aria-label=a><optgroup label=G><option label=L>x<option>y</optgroup></select>"
    "<select size=3 aria-label=b><option>a<option title=t></select><select multiple aria-label=c><option>d</select>",
    "groups": "<fieldset><legend>Le <b>g</b></legend></fieldset><fieldset aria-label=F><legend>Leg</legend></fieldset>"
    "<table><caption>C <i>x</i></caption><tr><td>1</table><table summary=S><tr><td>1</table><figure aria-label=F>f</figure>",
    "links": "<a href=#>a <em>b</em>c<strong> d</strong></a><a href=#><h3>Head</h3><p>para</p></a><a href=#><ul><li>i1<li>i2</ul></a>"
    "<a href=#><nav>nav</nav><section>sec</section><article>art</article>z</a><a href=#><div role=group>g</div>z</a>"
    "<a href=#><blockquote>bq</blockquote>z</a><a href=#><q>quo</q></a><a href=#><ruby>漢<rt>kan</rt></ruby></a>",
    "links-without-an-address": "<a>plain</a><a onclick=1>attribute</a><a id=x>listener</a>"
    "<script>document.getElementById('x').addEventListener('click', () => 1)</script>",
    "tables-in-links": "<a href=#><table><tr><td>c1<td>c2</table></a><a href=#>z<table border=1><tr><th>c1<td>c2</table></a>",
    "details": "<details><summary>s</summary>x</details><details open><summary>s</summary>x<summary>2</summary></details>"
    "<a href=#><details><summary>s</summary>closed</details></a><summary>lone</summary>",
    "generated": "<style>.b::before{content:'B '}.a::after{content:' A'}.k::before{content:'K';display:block}"
    ".d::before{content:attr(data-d)}.u::before{content:url(data:,) / 'alt'}.s::before{content:'★' / 'star'}"
    ".n::before{content:counter(z) 'c'}.e::before{content:'\\22 q'}.o::before{content:open-quote 'z' close-quote}"
    ".g::before{content:'g';display:none}.v::before{content:'v';visibility:hidden}</style>"
    + "".join(f"<button class={each} data-d=D>x</button>" for each in "bakdusneogv")
    + "<button>a<i class=b></i>b</button><button><i class=b></i><i class=a></i></button><h2 class=b>h</h2>",
    "generated-anywhere": "<style>@media all{[data-m]::before{content:'M'}}@layer x{div>button#i::after{content:'I'}}"
    ".p{&::before{content:'N'}}.q:is(.r)::before{content:'R'}h3 i:not(.z)::after{content:'T'}.w\\:x::before{content:'W'}</style>"
    "<button data-m>x</button><button id=i>x</button><button class=p>x</button><button class='q r'>x</button>"
    "<h3>x<i>y</i></h3><button class=w:x>x</button><script>const s = new CSSStyleSheet();"
    "s.replaceSync('.ad::before{content:\"AD\"}');document.adoptedStyleSheets.push(s)</script><button class=ad>x</button>",
    "nested-roles": "<div role=tree><div role=treeitem>T1 <button>b</button><div role=group><div role=treeitem>T2</div></div></div></div>"
    "<div role=tablist><div role=tab>Tab <button aria-label=Close>x</button></div></div>",
    "roles-in-their-place": "<div role=listitem>l</div><div role=listbox aria-owns=w></div>"
    "<div id=w role=option>w</div><ul role=listbox><li role=option>li</ul><ul role=tablist><li>zz</ul><ul role=none><li>n</ul>",
    "grids": "<div role=grid><div role=row><div role=gridcell>g1</div><div role=gridcell><button>g2</button></div></div></div>"
    "<table role=grid><tr><th>h<td>1<td><input type=checkbox aria-label=cb></table><table role=none><tr><td>x</table>",
    "table-headers": "<table><thead><tr><th>A<th>B<tbody><tr><th>r<td>v<tr><td>v<th>r</table>"
    "<table><tr><th scope=row>r<th scope=col>c<th>n</table><table><tr><th>only</table>",
    "none-that-is-some": "<h1 role=none>n</h1><h1 role=none aria-label=z>n</h1><h1 role=presentation tabindex=0>n</h1>"
    "<h1 role=none aria-hidden=false>n</h1><a href=# role=presentation>ap</a><img role=none alt=x><img alt='' aria-label=L>",
    "role-tokens": "<div role='bogus button'>b</div><div role=BUTTON>u</div><div role='widget link'>w</div><div role='region heading'>h</div>"
    "<div role=form>f</div><div role=form aria-label=F>f</div><div role=region title=R>r</div><div role=directory>d</div>",
    "sections": "<header>h</header><footer>f</footer><main><header>h</header><aside>a</aside></main><section>s</section>"
    "<section aria-label=S><footer>f</footer><aside>a</aside><aside title=A>a</aside></section><form></form><search>s</search>",
    "text-levels": "<p>p</p><em>e</em><strong>s</strong><mark>m</mark><del>d</del><ins>i</ins><code>c</code><time>t</time>"
    "<sub>b</sub><sup>p</sup><dl><dt>t<dd>d</dl><dfn>d</dfn><abbr title=T>a</abbr><address>a</address><hr><blockquote>q</blockquote>",
    "names-where-none-may-be": "<p aria-label=N>x</p><span aria-label=N>x</span><div aria-label=N tabindex=0>x</div>"
    "<x-foo aria-label=C>x</x-foo><code aria-label=c>x</code><li aria-label=L>x</li><ul title=T><li>1</ul>",
    "shadow-and-slots": "<x-a><template shadowrootmode=open><button><slot></slot>!</button><label for=q>In</label><input id=q>"
    "<style>b::before{content:'S '}</style><h2><b>x</b></h2></template>Slotted <i>text</i></x-a>",
    "map": "<img usemap=#m alt=map width=10 height=10><map name=m><area href=# alt=Area><area href=# title=T></map>",
    "popovers": "<button popovertarget=p>open</button><div popover id=p>P</div><dialog open aria-labelledby=d><h2 id=d>DH</h2></dialog>",
    "scripts-and-scripts": "<button dir=rtl>שלום</button><button>日本</button><button>😀 ok</button><button>a&shy;b&nbsp;c</button>"
    "<button style='text-transform:uppercase'>shout</button><button>&#xe001; Home</button>",
    "out-of-use": "<button inert>in</button><div aria-hidden=true><button>ah</button></div><button disabled title=dt>d</button>"
    "<details><summary>z</summary><button>closed</button></details>",
    "labels-inside": "<h2><label for=q>Search</label> <input id=q></h2><h3><label>Find <input></label></h3><h4><label for=c>Agree</label>"
    "<input type=checkbox id=c></h4><div role=button tabindex=0><label for=z>Zip</label><input id=z></div><h5><input id=o></h5><label for=o>Out</label>",
}


@pytest.mark.parametrize("html", [pytest.param(html, id=name) for name, html in SNIPPETS.items()])
async def test_roles_and_names_are_those_of_chromiums_tree(sheet: Sheet, html: str) -> None:
    nodes = [node for node in await read(sheet, html) if node.role != "generic" or node.our_role != "generic"]
    assert nodes
    assert [(node.our_role, node.our_name) for node in nodes if not (node.same_role and node.same_name)] == [], [
        (node.role, node.name, node.markup) for node in nodes if not (node.same_role and node.same_name)
    ]


@pytest.mark.parametrize("name", ["generated", "generated-anywhere"])
async def test_generated_words_are_found_on_large_pages_too(sheet: Sheet, name: str) -> None:
    # By then style sheets are read to find out which elements have any.
    many = f"<script>document.write('<button>x</button>'.repeat({MANY}))</script>"
    nodes = await read(sheet, many + SNIPPETS[name])
    assert len(nodes) > MANY
    assert not [node for node in nodes if node.kind is NodeKind.CONTROL and not node.same_name]


MANY = 1100

ARIA = """alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
comment complementary contentinfo definition deletion dialog directory doc-abstract doc-backlink doc-chapter doc-endnote
doc-noteref doc-pagebreak doc-subtitle doc-tip document emphasis feed figure generic graphics-document graphics-object
graphics-symbol grid gridcell group heading image img insertion link list listbox listitem log main mark marquee math menu
menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio
radiogroup row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton
status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip
tree treegrid treeitem widget command section label legend""".split()


async def test_every_role_of_aria_is_known_and_named_by_what_names_it(sheet: Sheet) -> None:
    body = "".join(
        f"<div role={role}>T</div><div role={role} aria-label=L>T</div><div role={role} tabindex=0 title=I></div>"
        for role in ARIA
    )
    nodes = await read(sheet, body)
    assert {node.role for node in nodes} >= set(ARIA) - {
        *("none presentation image directory option listitem treeitem widget command section label legend".split())
    }
    differing = [node for node in nodes if not (node.same_role and node.same_name)]
    # Chromium knows these only in a list and a tree; a person sees and clicks them anywhere.
    assert {(node.role, node.our_role) for node in differing} == {("generic", "option"), ("generic", "treeitem")}


async def test_a_password_is_in_no_name_though_chromium_has_its_dots(sheet: Sheet) -> None:
    nodes = await read(sheet, "<label>Pin <input type=password value=secret> <input type=checkbox></label>")
    assert all("secret" not in node.our_name and "•" not in node.our_name for node in nodes)


async def test_a_name_is_in_the_pages_own_case_and_not_in_that_of_its_style(sheet: Sheet) -> None:
    nodes = await read(sheet, "<button style='text-transform:uppercase'>Sign in</button>")
    assert said(nodes, "button") == ["Sign in"]
    assert [node.name for node in nodes if node.role == "button"] == ["SIGN IN"]


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<svg aria-label=Settings role=img width=16 height=16></svg> Settings", "Settings"),
        ("<img alt=settings>Settings", "Settings"),
        ("Settings <svg width=16 height=16><title>Settings</title></svg>", "Settings"),
        ("<x-icon aria-label=Home></x-icon><span>Home</span>", "Home"),
        ("<img alt=Home> <span>Home page</span>", "Home Home page"),
        ("<img alt=One><img alt=Two>Two", "One Two"),
        ("<img alt=Star><img alt=Star><img alt=Star>", "Star Star Star"),
        ("<img alt=Yes> Yes Yes", "Yes Yes Yes"),
        ("<span>Yes</span> <span>Yes</span>", "Yes Yes"),
    ],
)
async def test_an_icon_that_says_the_same_as_the_words_beside_it_is_no_word(sheet: Sheet, html: str, name: str) -> None:
    assert (await sheet.text(f"<button>{html}</button>")).splitlines()[0] == f'- button "{name}" [ref=e1]'


async def test_a_class_of_how_text_looks_is_no_hint(sheet: Sheet) -> None:
    text = await sheet.text("<button class=bold><svg width=9 height=9></svg></button><button class=ql-bold></button>")
    assert text.splitlines()[:2] == ["- button [ref=e1]", '- button [ref=e2] [hint="bold"]']


async def test_a_control_that_chromium_leaves_nameless_is_called_by_its_tooltip_or_placeholder(sheet: Sheet) -> None:
    body = "<a href=#><i title=Calendar>&#xe001;</i></a><label hidden for=q>h</label><input id=q placeholder=Search>"
    nodes = await read(sheet, body + "<button title=Trash>&#xe002;</button>")
    assert (said(nodes, "textbox"), said(nodes, "button")) == (["Search"], ["Trash"])
    assert not [node for node in nodes if node.role in ("textbox", "button") and node.name]


async def test_what_one_types_into_is_a_textbox_with_or_without_a_role(sheet: Sheet) -> None:
    nodes = await read(sheet, "<div contenteditable aria-label=Body>hi</div>")
    assert said(nodes, "textbox") == ["Body"]


@pytest.mark.parametrize(
    ("html", "is_data"),
    [
        pytest.param("<table><tr><td>a<td>b</table>", False, id="bare"),
        pytest.param("<table><tr><td>a</table>", False, id="one-cell"),
        pytest.param("<table><tr><th>a<td>b</table>", True, id="header-cell"),
        pytest.param("<table><caption>c</caption><tr><td>a</table>", True, id="caption"),
        pytest.param("<table border=1><tr><td>a<td>b<tr><td>a<td>b</table>", True, id="borders"),
        pytest.param("<table><colgroup><col></colgroup><tr><td>a<td>b</table>", True, id="columns"),
        pytest.param("<table><tr><td headers=x>a<td>b</table>", True, id="headers"),
        pytest.param(f"<table>{'<tr><td>a<td>b' * 20}</table>", True, id="many-rows"),
        pytest.param(f"<table>{'<tr><td>a<td>b' * 19}</table>", False, id="fewer-rows"),
        pytest.param(
            "<table>" + "<tr><td>a<td>b<tr style='background:#eee'><td>a<td>b" * 2 + "</table>", True, id="stripes"
        ),
        pytest.param(
            "<table><tr><td style='background:red'>a<td style='background:tan'>b</table>", True, id="colored-cells"
        ),
        pytest.param("<table aria-label=L><tr><td>a<td>b</table>", False, id="a-label-makes-no-table"),
        pytest.param("<table role=table><tr><td>a<td>b</table>", True, id="role"),
    ],
)
async def test_a_layout_table_is_no_table(sheet: Sheet, html: str, is_data: bool) -> None:
    nodes = await read(sheet, html)
    assert ("table" in [node.our_role for node in nodes]) is is_data
    assert ("table" in [node.role for node in nodes]) is is_data


@pytest.mark.parametrize(
    ("html", "hint"),
    [
        pytest.param("<input type=date aria-label=D>", "yyyy-mm-dd", id="date"),
        pytest.param("<input type=date min=2024-01-01 aria-label=D>", "yyyy-mm-dd 2024-01-01…", id="date-from"),
        pytest.param("<input type=datetime-local>", "yyyy-mm-ddThh:mm", id="datetime"),
        pytest.param("<input type=week>", "yyyy-Www", id="week"),
        pytest.param("<input type=number min=1 max=9 step=2 aria-label=N>", "1…9 step 2", id="range-of-numbers"),
        pytest.param("<input type=file accept=.pdf>", ".pdf", id="kinds-of-files"),
        pytest.param("<input pattern='[0-9]{5}' aria-label=Zip>", "/[0-9]{5}/", id="pattern"),
        pytest.param("<input aria-label=Name name=first>", "", id="a-named-field-without-a-format"),
    ],
)
async def test_a_field_shows_how_it_is_filled_in(sheet: Sheet, html: str, hint: str) -> None:
    await read(sheet, html)
    capture = await sheet.look()
    assert [element.hint for element in capture.elements if element.interactive] == [hint]


async def test_names_hold_on_a_page_that_bends_the_dom(sheet: Sheet) -> None:
    body = "<img name=querySelectorAll><img name=getElementById><img name=styleSheets><form aria-labelledby=t>"
    body += "<input name=attributes><input name=checkVisibility><b id=t>Form</b><label>In <input name=children></label></form>"
    nodes = await read(sheet, body)
    assert "Form" in said(nodes, "form")
    assert "In" in said(nodes, "textbox")


@pytest.mark.parametrize("named_by", ["o", "l"])
async def test_a_list_that_is_named_by_the_box_that_owns_it_ends(sheet: Sheet, named_by: str) -> None:
    box = f"<span id=b tabindex=0 role=combobox aria-expanded=true aria-owns=l aria-labelledby={named_by}>A</span>"
    option = "<div role=option id=o tabindex=-1 aria-selected=true aria-labelledby=b>Alpha</div>"
    nodes = await read(sheet, f"{box}<ul id=l role=listbox aria-labelledby=b tabindex=0>{option}</ul>")
    assert {"combobox", "listbox", "option"} <= {node.our_role for node in nodes}


HEADER = "<table><tr><th tabindex=0 onclick=1>Name {}<th>Age</table>"
STEADY = {
    "header-with-a-field": ("columnheader", "Name", HEADER.format("<input>"), "input.value = 'Bob'"),
    "header-with-a-list": (
        "columnheader",
        "Name",
        HEADER.format("<select><option>All<option>Ann</select>"),
        "document.querySelector('select').selectedIndex = 1",
    ),
    "row-of-headers": (
        "row",
        "Name Age",
        "<div role=row tabindex=0><i role=columnheader>Name <input></i> <i role=columnheader>Age</i></div>",
        "input.value = 'Bob'",
    ),
    "two-sliders-of-one-label": (
        "slider",
        "Band",
        "<label id=l>Band<input type=range aria-labelledby=l><b role=slider aria-valuenow=3 tabindex=0 aria-labelledby=l>3</b></label>",
        "document.querySelector('b').ariaValueNow = 5",
    ),
    "button-with-an-open-menu": (
        "button",
        "Actions",
        "<button aria-owns=m aria-haspopup=menu>Actions</button>",
        "document.body.insertAdjacentHTML('beforeend', '<div id=m><p>Rename</p></div>')",
    ),
}


@pytest.mark.parametrize(("role", "name", "html", "script"), STEADY.values(), ids=STEADY.keys())
async def test_a_name_stays_while_what_belongs_to_another_control_changes(
    sheet: Sheet, role: str, name: str, html: str, script: str
) -> None:
    await sheet.write(html)
    for each in ("", f"const input = document.querySelector('input'); {script}"):
        await sheet.tab.page.evaluate(f"() => {{ {each} }}")
        named = {element.name for element in (await sheet.look()).elements if element.role == role}
        assert named == {name}


async def test_a_header_that_is_nothing_but_a_list_is_named_by_its_choice(sheet: Sheet) -> None:
    await sheet.write("<div role=columnheader tabindex=0 onclick=1><select><option>All</select></div>")
    assert [each.name for each in (await sheet.look()).elements if each.role == "columnheader"] == ["All"]
