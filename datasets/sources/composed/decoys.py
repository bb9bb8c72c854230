"""What looks like controls and is none: grids, dots, borders, gridlines, code, logos, icons for decoration."""

from __future__ import annotations

import html

from perception.datasets.sources.composed.controls import Pen
from perception.datasets.sources.composed.parts import photo, row


def _size(pen: Pen) -> str:
    return f"width:{pen.rng.randint(160, 700)}px;max-width:100%;height:{pen.rng.randint(80, 340)}px"


def dots(pen: Pen) -> str:
    """The dotted ground of an editor, with boxes and lines drawn on it."""
    step = pen.rng.choice([8, 12, 16, 20, 24])
    ground = pen.rng.choice(
        [
            f"radial-gradient(#8889 1px,transparent 1px) 0 0/{step}px {step}px",
            f"linear-gradient(#8884 1px,transparent 1px) 0 0/{step}px {step}px,linear-gradient(90deg,#8884 1px,transparent 1px) 0 0/{step}px {step}px",
        ]
    )
    nodes = "".join(
        f"<div style='position:absolute;left:{pen.rng.randint(0, 80)}%;top:{pen.rng.randint(0, 80)}%;padding:6px 10px;border:1px solid #8888;"
        f"border-radius:{pen.rng.choice([0, 4, 20])}px;background:#8882'>{pen.words.noun()}</div>"
        for _ in range(pen.rng.randint(0, 6))
    )
    return f"<div style='position:relative;overflow:hidden;{_size(pen)};background:{ground}'>{nodes}</div>"


def chart(pen: Pen) -> str:
    """A chart on a canvas: axes, gridlines, bars or a line, words."""
    name, data = pen.id(), [pen.rng.randint(5, 100) for _ in range(pen.rng.randint(5, 24))]
    bars, color = pen.chance(0.5), f"hsl({pen.rng.randint(0, 359)} 70% 50%)"
    draw = (
        "data.forEach((v,i)=>{g.fillRect(40+i*s,h-20-v*k,s*.7,v*k)})"
        if bars
        else "g.beginPath();data.forEach((v,i)=>g.lineTo(40+i*s,h-20-v*k));g.stroke()"
    )
    return (
        f"<canvas id={name} width={pen.rng.randint(240, 640)} height={pen.rng.randint(120, 300)}></canvas><script>(()=>{{const c=document.getElementById('{name}'),"
        f"g=c.getContext('2d'),w=c.width,h=c.height,data={data},s=(w-50)/data.length,k=(h-40)/100;g.strokeStyle='#8886';g.fillStyle='#888';g.font='10px sans-serif';"
        f"for(let i=0;i<5;i++){{const y=h-20-i*(h-40)/4;g.beginPath();g.moveTo(40,y);g.lineTo(w,y);g.stroke();g.fillText(i*25,8,y+3)}}"
        f"g.fillStyle=g.strokeStyle='{color}';g.lineWidth=2;{draw}}})()</script>"
    )


def code(pen: Pen) -> str:
    """Code, with numbers of lines."""
    words = [
        "const",
        "return",
        "if",
        "(value)",
        "=>",
        "{",
        "}",
        "items.map",
        "self.name",
        "= 42;",
        "import",
        "def run():",
        "'text'",
        "// note",
    ]
    lines = [
        f"{n:>3}  {'  ' * pen.rng.randint(0, 3)}{' '.join(pen.rng.choices(words, k=pen.rng.randint(1, 6)))}"
        for n in range(1, pen.rng.randint(5, 18))
    ]
    ground = pen.rng.choice(["#1e1e1e;color:#d4d4d4", "#f6f8fa;color:#24292f", "none"])
    return f"<pre style='background:{ground};padding:8px;border-radius:6px;overflow:hidden'>{html.escape(chr(10).join(lines))}</pre>"


def sheet(pen: Pen) -> str:
    """A spreadsheet that is drawn: letters, numbers, lines, values."""
    name, columns, rows_ = pen.id(), pen.rng.randint(5, 14), pen.rng.randint(8, 20)
    cell_w, cell_h = pen.rng.choice([60, 80, 100]), pen.rng.choice([18, 22, 25])
    values = [
        [pen.rng.choice(["", "", str(pen.rng.randint(0, 999)), "Text"]) for _ in range(columns)] for _ in range(rows_)
    ]
    return (
        f"<canvas id={name} width={40 + columns * cell_w} height={(rows_ + 1) * cell_h}></canvas><script>(()=>{{const c=document.getElementById('{name}'),"
        f"g=c.getContext('2d'),v={values!r},W={cell_w},H={cell_h};g.fillStyle='#fff';g.fillRect(0,0,c.width,c.height);g.fillStyle='#f0f0f0';g.fillRect(0,0,c.width,H);"
        f"g.fillRect(0,0,40,c.height);g.strokeStyle='#d0d0d0';g.fillStyle='#333';g.font='12px sans-serif';for(let x=0;x<={columns};x++){{g.strokeRect(40.5+x*W,.5,0,c.height);"
        f"g.fillText(String.fromCharCode(65+x),40+x*W+W/2,H-6)}}for(let y=0;y<={rows_};y++){{g.strokeRect(.5,y*H+.5,c.width,0);if(y)g.fillText(y,14,y*H+H-6)}}"
        f"v.forEach((r,y)=>r.forEach((t,x)=>g.fillText(t,44+x*W,(y+2)*H-6)))}})()</script>"
    )


def ornaments(pen: Pen) -> str:
    """Icons and logos beside words, for decoration."""
    items = [
        f"<span>{pen.icons.any(pen.rng.choice([16, 24, 32, 48]))} {pen.words.sentence(2, 5)}</span>"
        for _ in range(pen.rng.randint(2, 6))
    ]
    return row(pen, items)


def boxes(pen: Pen) -> str:
    """Borders, rules, empty panels and progress bars."""
    made = [
        f"<div style='width:{pen.rng.randint(20, 240)}px;height:{pen.rng.randint(6, 90)}px;border:{pen.rng.choice([0, 1, 2])}px solid #8888;"
        f"background:{pen.rng.choice(['none', '#8882', f'hsl({pen.rng.randint(0, 359)} 60% 70%)'])};border-radius:{pen.rng.choice([0, 4, 12])}px'></div>"
        for _ in range(pen.rng.randint(2, 6))
    ]
    bar = f"<div style='height:6px;background:#8884;width:200px'><div style='height:6px;background:#2563eb;width:{pen.rng.randint(0, 200)}px'></div></div>"
    return row(pen, [*made, bar])


def gallery(pen: Pen) -> str:
    """Pictures."""
    made = "".join(f"<div>{photo(pen, pen.rng.randint(60, 200))}</div>" for _ in range(pen.rng.randint(1, 6)))
    return f"<div style='display:grid;grid-template-columns:repeat({pen.rng.randint(1, 4)},1fr);gap:6px'>{made}</div>"


def plain(pen: Pen) -> str:
    """Words alone, as badges, in columns, in capitals."""
    words = [f"<span{pen.kit.of('badge')}>{pen.words.noun()}</span>" for _ in range(pen.rng.randint(2, 7))]
    lines = [
        f"<div style='font-size:{pen.rng.choice([9, 11, 14, 22])}px'>{pen.words.sentence()}</div>"
        for _ in range(pen.rng.randint(1, 6))
    ]
    return row(pen, words) + "".join(lines)


DECOYS = (dots, chart, code, sheet, ornaments, boxes, gallery, plain, plain)
"""Makers of what must not be found."""
