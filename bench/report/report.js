"use strict";
// Tables: a header sorts by the cells' raw values; cells without one come last either way.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  table.querySelectorAll("th").forEach((th, column) => th.firstElementChild.addEventListener("click", () => {
    const up = th.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("th")) other.setAttribute("aria-sort", "none");
    th.setAttribute("aria-sort", up ? "ascending" : "descending");
    const number = th.classList.contains("number");
    const rows = [...body.rows].map((row) => [row.cells[column].dataset.key, row]);
    rows.sort(([a], [b]) => {
      if (a === "" || b === "") return (a === "") - (b === "");
      const order = number ? a - b : a.localeCompare(b, undefined, { numeric: true });
      return up ? order : -order;
    });
    body.append(...rows.map(([, row]) => row));
  }));
}
for (const field of document.querySelectorAll(".filter")) {
  const rows = field.parentElement.querySelectorAll("tbody tr");
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
// Charts.
const charts = JSON.parse(document.getElementById("chart-data").textContent);
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a"];
const SYMBOLS = ["circle", "diamond", "square", "cross", "triangle-up", "x", "star"];
const plain = (text) => String(text).replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char]);
function trace(chart, series, index) {
  const color = COLORS[index % COLORS.length];
  const base = { name: plain(series.name), x: series.x.map((each) => typeof each === "string" ? plain(each) : each), y: series.y };
  const bars = series.above && { type: "data", symmetric: false, array: series.above, arrayminus: series.below, color: "#7d7d7d", thickness: 1.3 };
  if (chart.kind === "bars") return { ...base, type: "bar", marker: { color }, error_y: bars };
  if (chart.kind === "distribution") {
    return { name: base.name, y: series.y, type: "box", boxpoints: series.y.length > 2000 ? "outliers" : "all", jitter: .4, pointpos: 0, marker: { color, size: 3, opacity: .5 }, line: { color } };
  }
  const text = series.labels.map(plain);
  return { ...base, type: "scatter", mode: chart.kind === "lines" ? "lines+markers" : "markers", text, error_y: bars,
    hovertemplate: text.length ? "%{text}<br>%{x:.4g} → %{y:.4g}<extra></extra>" : undefined,
    marker: { color, symbol: SYMBOLS[index % SYMBOLS.length], size: 7, opacity: .75 } };
}
function draw() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = dark ? "#e6e9ec" : "#1b1f24", line = dark ? "#363d45" : "#d1d9e0";
  const place = document.querySelector(".charts");
  if (!place) return;
  place.replaceChildren();
  for (const chart of charts) {
    const box = document.createElement("div"), plot = document.createElement("div"), note = document.createElement("p");
    box.className = "chart"; box.id = "chart-" + chart.id;
    note.className = "quiet"; note.textContent = chart.note;
    box.append(plot, note); place.append(box);
  }
  // Every box has its width once all are there.
  for (const chart of charts) {
    const plot = document.getElementById("chart-" + chart.id).firstElementChild;
    const axis = { gridcolor: line, zerolinecolor: dark ? "#8a949e" : "#59636e", automargin: true };
    const percent = chart.share ? { tickformat: ".0%" } : {};
    const all = chart.series.flatMap((each) => [...each.x, ...each.y]).filter((each) => typeof each === "number");
    const most = all.length ? Math.max(...all) : 1, least = all.length ? Math.min(0, ...all) : 0;
    const shapes = chart.diagonal ? [{ type: "line", x0: least, y0: least, x1: most, y1: most, line: { color: "#8a8a8a", dash: "dot", width: 1 } }] : [];
    Plotly.newPlot(plot, chart.series.map((series, index) => trace(chart, series, index)), {
      title: { text: plain(chart.title), font: { size: 15 }, x: 0.02, xanchor: "left", y: .97 }, font: { color: ink, size: 12 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 55, r: 15, t: 70, b: 45 }, barmode: "group", boxmode: "group", shapes,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 }, showlegend: chart.series.length > 1,
      xaxis: { ...axis, title: { text: plain(chart.x) }, ...(chart.kind === "points" ? percent : {}) },
      yaxis: { ...axis, title: { text: plain(chart.y) }, ...percent },
    }, { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] });
  }
}
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
// Worst cases.
const dialog = document.querySelector("dialog");
if (dialog) {
  const buttons = [...document.querySelectorAll(".case")], panes = dialog.querySelector(".panes");
  const does = (name) => dialog.querySelector(`[data-do=${name}]`);
  let now = 0;
  const zoom = () => {
    const width = buttons[now].nextElementSibling.dataset.width;
    for (const picture of panes.querySelectorAll(".picture")) picture.style.width = does("zoom").checked ? width + "px" : "";
  };
  const show = (index) => {
    now = (index + buttons.length) % buttons.length;
    const template = document.getElementById(buttons[now].dataset.case);
    dialog.querySelector("h2").textContent = template.dataset.title;
    dialog.querySelector(".note").textContent = template.dataset.note;
    panes.replaceChildren(template.content.cloneNode(true));
    for (const image of panes.querySelectorAll("img")) image.src = buttons[now].querySelector("img").src;
    const views = [...panes.querySelectorAll(".view")];
    for (const view of views) view.addEventListener("scroll", () => {
      for (const other of views) if (other !== view) other.scrollTo(view.scrollLeft, view.scrollTop);
    });
    zoom();
    if (!dialog.open) dialog.showModal();
  };
  buttons.forEach((button, index) => button.addEventListener("click", () => show(index)));
  does("previous").addEventListener("click", () => show(now - 1));
  does("next").addEventListener("click", () => show(now + 1));
  does("close").addEventListener("click", () => dialog.close());
  does("boxes").addEventListener("change", (event) => dialog.classList.toggle("no-boxes", !event.target.checked));
  does("zoom").addEventListener("change", zoom);
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") show(now - 1);
    if (event.key === "ArrowRight") show(now + 1);
  });
}
