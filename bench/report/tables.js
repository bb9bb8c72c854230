// Tables: a header sorts by the cells' raw values: numbers, then words; dashes come last either way.
const words = new Intl.Collator(undefined, { numeric: true }).compare;
const keyOf = (cell) => "none" in cell.dataset ? null : "number" in cell.dataset ? Number(cell.dataset.number) : cell.textContent;
function compareKeys(a, b) {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return typeof a === "number" ? a - b : words(a, b);
}
function sortBy(table, header) {
  const column = header.cellIndex, up = header.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row.cells[column]), row]);
  rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : up ? compareKeys(a, b) : compareKeys(b, a));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}
for (const section of document.querySelectorAll("section.table")) {
  const table = section.querySelector("table");
  for (const header of table.tHead.rows[0].cells) header.querySelector("button").addEventListener("click", () => sortBy(table, header));
  const field = section.querySelector("input[type=search]");
  field?.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase(), rows = [...table.tBodies[0].rows];
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    section.querySelector("output").textContent = wanted && `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  });
}
