"""Parts of composed pages, as HTML: bars, tables, forms, cards, trees, menus, dialogs, calendars, sheets."""

from __future__ import annotations

from perception.datasets.sources.composed.controls import (
    FIELDS,
    Pen,
    button,
    checkbox,
    combobox,
    icon_button,
    link,
    radio,
    slider,
    switch,
    tabs,
    textbox,
)


def row(pen: Pen, items: list[str], style: str = "") -> str:
    """Items beside each other."""
    gap = pen.rng.choice([0, 2, 4, 8, 12, 20])
    return f"<div style='display:flex;flex-wrap:wrap;align-items:center;gap:{gap}px;{style}'>{''.join(items)}</div>"


def top_bar(pen: Pen) -> str:
    """A name, places to go, a search field, icons."""
    places = [f"<a href=#{pen.id()}{pen.kit.of('nav')}>{pen.words.noun()}</a>" for _ in range(pen.rng.randint(2, 7))]
    search = [textbox(pen)] if pen.chance(0.5) else []
    more = [icon_button(pen) for _ in range(pen.rng.randint(0, 4))] + ([button(pen)] if pen.chance(0.4) else [])
    name = f"<b style='font-size:1.2em'>{pen.icons.any() if pen.chance(0.5) else ''} {pen.words.noun()}</b>"
    ground = pen.rng.choice(
        ["", "", "background:#1e293b;color:#fff", "background:#8881", "border-bottom:1px solid #8884"]
    )
    return f"<header style='padding:{pen.rng.choice([4, 8, 12])}px 16px;{ground}'>{row(pen, [name, *places, *search, *more])}</header>"


def side_bar(pen: Pen) -> str:
    """Places to go, below each other."""
    icons = pen.chance(0.6)
    entries = [
        f"<a href=#{pen.id()}{pen.kit.of('item')} style='display:block;padding:{pen.rng.choice([3, 6, 9])}px 12px'>"
        f"{pen.icons.any() if icons else ''} {pen.words.noun()}"
        f"{_count(pen) if pen.chance(0.15) else ''}</a>"
        for _ in range(pen.rng.randint(4, 12))
    ]
    return f"<nav{pen.kit.of('menu')} style='width:{pen.rng.randint(130, 260)}px'>{''.join(entries)}</nav>"


def _count(pen: Pen) -> str:
    return f" <span{pen.kit.of('badge')}>{pen.rng.randint(1, 99)}</span>"


def tool_bar(pen: Pen) -> str:
    """Icons without words, in groups."""
    groups = []
    for _ in range(pen.rng.randint(1, 5)):
        inner = "".join(icon_button(pen) for _ in range(pen.rng.randint(2, 7)))
        groups.append(f"<div role=group{pen.kit.of('group')} style='display:inline-flex'>{inner}</div>")
        if pen.chance(0.4):
            groups.append("<span style='border-inline-start:1px solid #8886;height:20px'></span>")
        if pen.chance(0.2):
            groups.append(combobox(pen))
    return (
        f"<div role=toolbar style='padding:4px;border:{pen.rng.choice([0, 1])}px solid #8884'>{row(pen, groups)}</div>"
    )


def table(pen: Pen) -> str:
    """Rows of values, some with links, boxes to tick and buttons."""
    columns = pen.rng.randint(3, 8)
    ticks, acts, links, sorts = pen.chance(0.3), pen.chance(0.45), pen.chance(0.4), pen.chance(0.25)
    kinds = [button(pen, kind) for kind in pen.rng.choices(["words", "icon"], k=2)] if pen.chance(0.5) else []
    head = "".join(f"<th>{_sorter(pen) if sorts else pen.words.noun()}</th>" for _ in range(columns))
    body = []
    for _ in range(pen.rng.randint(3, 14)):
        cells = [f"<td>{pen.words.value()}</td>" for _ in range(columns)]
        if links:
            cells[0] = f"<td>{link(pen, pen.words.value())}</td>"
        if pen.chance(0.1):
            cells[-1] = f"<td><span{pen.kit.of('badge')}>{pen.words.noun()}</span></td>"
        tick = "<td><input type=checkbox></td>" if ticks else ""
        act = f"<td>{''.join(kinds) or icon_button(pen) + icon_button(pen)}</td>" if acts else ""
        body.append(f"<tr>{tick}{''.join(cells)}{act}</tr>")
    top = f"<tr>{'<th></th>' if ticks else ''}{head}{'<th></th>' if acts else ''}</tr>"
    return f"<table{pen.kit.of('table')}><thead>{top}</thead><tbody>{''.join(body)}</tbody></table>"


def _sorter(pen: Pen) -> str:
    arrow = pen.rng.choice(["", " ▲", " ↓", " " + pen.icons.one("sort")])
    return f"<button type=button style='all:unset;cursor:pointer;font-weight:bold'>{pen.words.noun()}{arrow}</button>"


def form(pen: Pen) -> str:
    """Fields with their labels, and buttons."""
    columns = pen.rng.choice([1, 1, 2, 3])
    fields = []
    for _ in range(pen.rng.randint(3, 10)):
        maker = pen.rng.choice(FIELDS)
        label = "" if maker in (checkbox, radio, switch) else f"<label>{pen.words.noun()}</label><br>"
        fields.append(f"<div style='margin:{pen.rng.choice([2, 6, 10])}px 0'>{label}{maker(pen)}</div>")
    ends = "".join(button(pen) + " " for _ in range(pen.rng.randint(1, 3)))
    grid = f"display:grid;grid-template-columns:repeat({columns},1fr);gap:8px"
    return f"<form{pen.kit.of('form')}><div style='{grid}'>{''.join(fields)}</div><div style='padding:8px 0'>{ends}</div></form>"


def card(pen: Pen) -> str:
    """A title, words, and what can be done."""
    picture = photo(pen, pen.rng.randint(60, 140)) if pen.chance(0.25) else ""
    acts = "".join(pen.rng.choice([button, button, icon_button, link])(pen) + " " for _ in range(pen.rng.randint(0, 3)))
    close = f"<span style='float:inline-end'>{icon_button(pen)}</span>" if pen.chance(0.2) else ""
    return (
        f"<div{pen.kit.of('card')}>{close}{picture}<h4>{pen.words.noun()}</h4><p>{pen.words.sentence()}</p>{acts}</div>"
    )


def cards(pen: Pen) -> str:
    """Cards beside each other."""
    made = "".join(f"<div>{card(pen)}</div>" for _ in range(pen.rng.randint(2, 6)))
    return f"<div style='display:grid;grid-template-columns:repeat({pen.rng.randint(2, 4)},1fr);gap:12px'>{made}</div>"


def stats(pen: Pen) -> str:
    """Numbers that nothing can be done with."""
    boxes = [
        f"<div{pen.kit.of('card')} style='min-width:120px'><div>{pen.icons.any() if pen.chance(0.5) else ''} {pen.words.noun()}</div>"
        f"<b style='font-size:1.6em'>{pen.words.value()}</b><div>{pen.rng.choice('+-')}{pen.rng.randint(1, 40)}% {pen.words.sentence(2, 4)}</div></div>"
        for _ in range(pen.rng.randint(2, 5))
    ]
    return row(pen, boxes)


def listing(pen: Pen) -> str:
    """Items below each other, each with a few controls."""
    clickable, entries = pen.chance(0.4), []
    for _ in range(pen.rng.randint(3, 9)):
        face = f"<span style='display:inline-block;width:28px;height:28px;border-radius:50%;background:hsl({pen.rng.randint(0, 359)} 50% 60%)'></span>"
        words = f"<span style='flex:1'><b>{pen.words.name()}</b><br>{pen.words.sentence()}</span>"
        acts = [pen.rng.choice([icon_button, button, switch])(pen) for _ in range(pen.rng.choice([0, 0, 1, 2]))]
        inner = row(pen, [face if pen.chance(0.6) else "", words, *acts])
        entries.append(
            f"<a href=# style='display:block;color:inherit;padding:6px'>{inner}</a>"
            if clickable and not acts
            else f"<li style='padding:6px;list-style:none;border-bottom:1px solid #8883'>{inner}</li>"
        )
    return f"<div>{''.join(entries)}</div>"


def tree(pen: Pen, depth: int = 0) -> str:
    """Folders and files."""
    items = []
    for _ in range(pen.rng.randint(2, 5)):
        is_open = depth < 2 and pen.chance(0.4)
        arrow = pen.icons.one("chevron-down" if is_open else "chevron-right", 12) or ("▾" if is_open else "▸")
        below = tree(pen, depth + 1) if is_open else ""
        items.append(
            f"<div role=treeitem aria-expanded={str(is_open).lower()} tabindex=-1 style='padding-inline-start:{depth * 16}px;cursor:pointer'>"
            f"{arrow} {pen.icons.one('folder', 14)} {pen.words.noun()}</div>{below}"
        )
    return f"<div role={'group' if depth else 'tree'}>{''.join(items)}</div>"


def menu(pen: Pen) -> str:
    """An open menu."""
    entries = []
    for _ in range(pen.rng.randint(3, 8)):
        keys = (
            f"<span style='float:inline-end;opacity:.6'>Ctrl+{pen.rng.choice('ABCSVXZ')}</span>"
            if pen.chance(0.3)
            else ""
        )
        icon = pen.icons.any() + " " if pen.chance(0.4) else ""
        entries.append(
            f"<div role=menuitem tabindex=-1{pen.kit.of('item')} style='cursor:pointer;padding:4px 12px'>{keys}{icon}{pen.words.label()}</div>"
        )
        if pen.chance(0.12):
            entries.append("<hr style='margin:4px 0'>")
    return f"<div role=menu{pen.kit.of('menu')} style='width:{pen.rng.randint(140, 260)}px'>{''.join(entries)}</div>"


def dialog(pen: Pen) -> str:
    """A dialog over the page."""
    body = form(pen) if pen.chance(0.4) else f"<p>{pen.words.paragraph()}</p>"
    ground = "#23262d" if pen.is_dark else "#fff"
    ends = "".join(button(pen, "words") + " " for _ in range(pen.rng.randint(1, 3)))
    return (
        f"<div style='position:fixed;inset:0;background:{pen.rng.choice(['#0006', '#0009', '#fff8', 'none'])};z-index:9'><div role=dialog aria-modal=true "
        f"style='position:absolute;left:50%;top:{pen.rng.randint(5, 30)}%;transform:translateX(-50%);width:{pen.rng.randint(260, 560)}px;"
        f"max-width:94%;background:{ground};padding:20px;border-radius:{pen.rng.choice([0, 4, 8, 16])}px;box-shadow:0 8px 30px #0006'>"
        f"<span style='float:inline-end'>{icon_button(pen)}</span><h3>{pen.words.noun()}</h3>{body}{ends}</div></div>"
    )


def breadcrumbs(pen: Pen) -> str:
    """Where one is."""
    mark = pen.rng.choice([" / ", " › ", " » ", " > ", " " + (pen.icons.one("chevron-right", 10) or "›") + " "])
    places = [link(pen, pen.words.noun()) for _ in range(pen.rng.randint(1, 4))]
    return f"<nav>{mark.join([*places, pen.words.noun()])}</nav>"


def pages(pen: Pen) -> str:
    """Numbers of pages."""
    numbers = [f"<a href=#{index}{pen.kit.of('page')}>{index}</a>" for index in range(1, pen.rng.randint(3, 9))]
    before, after = pen.rng.choice([("‹", "›"), ("«", "»"), (pen.words.label(), pen.words.label()), ("&lt;", "&gt;")])
    ends = [f"<a href=#{pen.kit.of('page')}>{before}</a>"], [f"<a href=#{pen.kit.of('page')}>{after}</a>"]
    return row(pen, [*ends[0], *numbers, *ends[1]])


def chat(pen: Pen) -> str:
    """Messages, and a field to answer."""
    lines = []
    for _ in range(pen.rng.randint(3, 8)):
        mine = pen.chance(0.5)
        lines.append(
            f"<div style='margin:6px;text-align:{'end' if mine else 'start'}'><span style='display:inline-block;max-width:70%;padding:6px 10px;"
            f"border-radius:{pen.rng.choice([0, 8, 16])}px;background:{'#2563eb' if mine else '#8882'};color:{'#fff' if mine else 'inherit'}'>{pen.words.sentence()}</span></div>"
        )
    return f"<div{pen.kit.of('card')}>{''.join(lines)}{row(pen, [icon_button(pen), textbox(pen), button(pen)])}</div>"


def calendar(pen: Pen) -> str:
    """A month: days that can be clicked, or a table of them."""
    clicks = pen.chance(0.6)
    days = [f"<th>{day}</th>" for day in ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")]
    weeks = []
    for week in range(5):
        cells = []
        for day in range(7):
            number = week * 7 + day - 1
            inner = str(number) if 1 <= number <= 31 else ""
            if inner and clicks:
                on = "background:#2563eb;color:#fff;" if pen.chance(0.04) else ""
                inner = f"<button type=button style='all:unset;cursor:pointer;padding:4px 8px;border-radius:50%;{on}'>{inner}</button>"
            cells.append(f"<td style='text-align:center'>{inner}</td>")
        weeks.append(f"<tr>{''.join(cells)}</tr>")
    top = row(pen, [icon_button(pen), f"<b>{pen.words.noun()} 2026</b>", icon_button(pen)])
    return f"<div>{top}<table><tr>{''.join(days)}</tr>{''.join(weeks)}</table></div>"


def player(pen: Pen) -> str:
    """A picture with controls to play it."""
    bar = row(pen, [icon_button(pen), icon_button(pen), slider(pen), "<small>0:42 / 3:10</small>", icon_button(pen)])
    return f"<div{pen.kit.of('card')}>{photo(pen, pen.rng.randint(120, 260))}{bar}</div>"


def settings(pen: Pen) -> str:
    """Words on the left, a control on the right."""
    rows = [
        f"<div style='display:flex;justify-content:space-between;padding:8px 0;border-bottom:1px solid #8883'><span>{pen.words.noun()}<br>"
        f"<small style='opacity:.7'>{pen.words.sentence()}</small></span><span>{pen.rng.choice([switch, combobox, button, slider, checkbox])(pen)}</span></div>"
        for _ in range(pen.rng.randint(3, 8))
    ]
    return f"<div{pen.kit.of('card')}>{''.join(rows)}</div>"


def article(pen: Pen) -> str:
    """Text with a few links in it."""
    texts = []
    for _ in range(pen.rng.randint(1, 4)):
        text = pen.words.paragraph()
        if pen.chance(0.5):
            text += f" {link(pen, pen.words.sentence(1, 3))} {pen.words.sentence()}"
        texts.append(f"<p>{text}</p>")
    size = pen.rng.randint(1, 4)
    return f"<h{size}>{pen.words.sentence(2, 5)}</h{size}>{''.join(texts)}"


def photo(pen: Pen, height: int) -> str:
    """Something like a photo: blurred forms and grain."""
    seed, rng = pen.rng.randint(0, 999), pen.rng
    forms = "".join(
        f"<ellipse cx='{rng.randint(0, 400)}' cy='{rng.randint(0, 300)}' rx='{rng.randint(20, 200)}' ry='{rng.randint(10, 120)}' "
        f"fill='hsl({rng.randint(0, 359)},{rng.randint(10, 70)}%,{rng.randint(20, 80)}%)' filter='url(#b{seed})'/>"
        for _ in range(rng.randint(4, 12))
    )
    return (
        f"<svg viewBox='0 0 400 300' preserveAspectRatio='xMidYMid slice' role=img aria-label=photo style='display:block;width:100%;height:{height}px'>"
        f"<filter id=b{seed}><feGaussianBlur stdDeviation='{rng.choice([2, 6, 14])}'/></filter><filter id=n{seed}><feTurbulence "
        f"baseFrequency='{rng.choice([0.02, 0.1, 0.8])}' numOctaves='4' seed='{seed}'/></filter>"
        f"<rect width='400' height='300' fill='hsl({rng.randint(0, 359)},40%,50%)'/>{forms}<rect width='400' height='300' filter='url(#n{seed})' opacity='.25'/></svg>"
    )


PARTS = (
    tool_bar, tool_bar, table, table, form, form, card, cards, stats, listing, tree, menu, breadcrumbs, pages, chat, calendar, player,
    settings, article, tabs,
)  # fmt: skip
"""Makers of a page's parts."""
