// Charts. Plotly reads a little HTML in every text that it is given, so what comes from the report is escaped.
const charts = JSON.parse(document.getElementById("report-chart-data").textContent);
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a"]; // Okabe & Ito
const SYMBOLS = ["circle", "diamond", "square", "cross", "triangle-up", "x", "star"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];
const PATTERNS = ["", "/", "x", "-", "\\", "|", "+"];
const TICKS = {
  share: { tickformat: ".0%" }, difference: { ticksuffix: " pp", tickformat: "+~r" }, ratio: { ticksuffix: "×" },
  milliseconds: { tickformat: ",~r", ticksuffix: " ms" }, mebibytes: { tickformat: ",~r", ticksuffix: " MiB" },
  count: { tickformat: ",~r" }, number: {}, text: {},
};
const MANY_POINTS = 2000; // of a distribution: more would hide each other, and the box
const plain = (text) => String(text).replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char]);
const wide = () => matchMedia("(min-width: 40rem)").matches;

function colors(printing) {
  const dark = !printing && matchMedia("(prefers-color-scheme: dark)").matches;
  return dark ? { ink: "#e6e9ec", grid: "#2c3238", zero: "#9aa4ae", paper: "#1a1e22" } : { ink: "#1b1f24", grid: "#e3e8ec", zero: "#59636e", paper: "#ffffff" };
}
function scaled(chart, values) {
  return chart.unit === "difference" ? values.map((value) => value === null ? null : value * 100) : values;
}
function isWidelySpread(chart) {
  const values = chart.series.flatMap((series) => series.y).filter((value) => value !== null);
  return chart.kind === "distribution" && values.length > 0 && Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) >= 100;
}
function trace(chart, series, index, { ink }) {
  const color = COLORS[index % COLORS.length], name = plain(series.name), y = scaled(chart, series.y);
  const customdata = series.texts.map(plain), text = series.labels.map(plain);
  if (chart.kind === "distribution") {
    const boxpoints = y.length > MANY_POINTS ? "outliers" : "all";
    return { type: "box", name, y, text, customdata, boxpoints, jitter: .5, pointpos: 0, fillcolor: color + "30",
      marker: { color, size: 4, opacity: .55, symbol: SYMBOLS[index % SYMBOLS.length] }, line: { color, width: 1.5 },
      hoveron: "boxes+points", hovertemplate: (text.length ? "%{text}<br>" : "") + "%{customdata}<extra></extra>" };
  }
  const x = series.x.map((each) => typeof each === "string" ? plain(each) : each);
  const error_y = series.above && { type: "data", symmetric: false, array: scaled(chart, series.above), arrayminus: scaled(chart, series.below),
    color: chart.kind === "bars" ? ink : color, thickness: 1.5, width: 4 };
  const base = { name, x, y, text, customdata, error_y };
  if (chart.kind === "bars") {
    const pattern = { shape: PATTERNS[index % PATTERNS.length], fillmode: "overlay", solidity: .2, fgcolor: "rgba(255, 255, 255, .55)" };
    return { ...base, type: "bar", text: undefined, marker: { color, pattern }, hovertemplate: "%{x}<br>%{fullData.name}: %{customdata}<extra></extra>" };
  }
  const lines = chart.kind === "lines";
  return { ...base, type: "scatter", mode: lines ? "lines+markers" : "markers", cliponaxis: false,
    line: lines ? { color, dash: DASHES[index % DASHES.length] } : undefined,
    marker: { color, symbol: SYMBOLS[index % SYMBOLS.length], size: 7, opacity: lines ? 1 : .7 },
    hovertemplate: (text.length ? "%{text}<br>" : "") + "%{x} → %{customdata}<extra>%{fullData.name}</extra>" };
}
function reference(chart, { zero }) {
  const line = { color: zero, dash: "dot", width: 1.5 };
  if (chart.unit === "ratio") return [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: 1, y1: 1, line }];
  if (!chart.diagonal) return [];
  const all = chart.series.flatMap((series) => [...series.x, ...scaled(chart, series.y)]).filter((each) => typeof each === "number");
  const low = Math.min(0, ...all), high = Math.max(...all, chart.unit === "share" ? 1 : 0);
  return [{ type: "line", x0: low, y0: low, x1: high, y1: high, layer: "below", line }];
}
function layout(chart, theme) {
  const axis = { gridcolor: theme.grid, zerolinecolor: theme.zero, zerolinewidth: chart.unit === "difference" ? 2 : 1, automargin: true, title: { standoff: 8 } };
  const ticks = TICKS[chart.unit], log = isWidelySpread(chart) || chart.logarithmic;
  const categories = chart.kind === "bars" ? { type: "category", showgrid: false } : chart.kind === "distribution" ? { showgrid: false } : {};
  const spread = log ? { type: "log", dtick: "D2", minor: { showgrid: false } } : {};
  const across = chart.logarithmic ? { type: "log", dtick: 1, tickformat: ",~r" } : {};
  const title = (text, isLog) => plain(text) + (isLog ? " (logarithmic)" : "");
  return {
    font: { color: theme.ink, size: 12, family: "inherit" }, paper_bgcolor: "rgba(0, 0, 0, 0)", plot_bgcolor: "rgba(0, 0, 0, 0)",
    hoverlabel: { bgcolor: theme.paper, bordercolor: theme.zero, font: { color: theme.ink, family: "inherit" }, align: "left" },
    margin: { l: 50, r: 12, t: 12, b: 40 }, barmode: "group", bargap: .25, boxmode: "overlay", shapes: reference(chart, theme),
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, xanchor: "left" },
    showlegend: chart.series.length > 1 && chart.kind !== "distribution", dragmode: wide() ? "zoom" : false,
    xaxis: { ...axis, ...(chart.diagonal ? ticks : {}), ...categories, ...across, title: { ...axis.title, text: title(chart.x, chart.logarithmic) } },
    yaxis: { ...axis, ...ticks, ...spread, title: { ...axis.title, text: title(chart.y, log) }, rangemode: chart.unit === "difference" ? "normal" : "tozero" },
  };
}
function draw(printing = false) {
  const theme = colors(printing);
  for (const chart of charts) {
    const plot = document.querySelector(`#${CSS.escape("chart-" + chart.id)} .plot`);
    Plotly.react(plot, chart.series.map((series, index) => trace(chart, series, index, theme)), layout(chart, theme), {
      responsive: true, displaylogo: false, displayModeBar: wide() ? "hover" : false, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    });
  }
}
if (charts.length) {
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
  addEventListener("beforeprint", () => draw(true));
  addEventListener("afterprint", () => draw());
}
