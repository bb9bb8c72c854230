// Worst cases: the panes of one case side by side in a dialog. A case's image is in the file once, in its thumbnail.
const dialog = document.querySelector("dialog");
if (dialog) {
  const buttons = [...document.querySelectorAll(".case button")], panes = dialog.querySelector(".panes");
  const control = (name) => dialog.querySelector(`[data-do=${name}]`);
  const nameOf = Object.fromEntries([...dialog.querySelectorAll("[data-tone]")].map((box) => [box.dataset.tone, box.parentElement.textContent.trim()]));
  const say = (rect) => `${nameOf[rect.classList[0]]}: ${rect.textContent || "without a label"}`;
  let now = 0;

  function zoom() {
    const width = control("zoom").checked ? document.getElementById(buttons[now].dataset.case).dataset.width + "px" : "";
    for (const picture of panes.querySelectorAll(".picture")) picture.style.width = width;
    dialog.classList.toggle("zoomed", control("zoom").checked);
  }
  function scrollTogether(views) {
    for (const view of views) view.addEventListener("scroll", () => {
      for (const other of views) if (other !== view) other.scrollTo(view.scrollLeft, view.scrollTop);
    });
  }
  function show(index) {
    now = (index + buttons.length) % buttons.length;
    const template = document.getElementById(buttons[now].dataset.case);
    dialog.querySelector("h2").textContent = template.dataset.title;
    dialog.querySelector(".note").textContent = template.dataset.note;
    dialog.querySelector("output").textContent = `${now + 1} of ${buttons.length}`;
    panes.replaceChildren(template.content.cloneNode(true));
    for (const image of panes.querySelectorAll("img")) image.src = buttons[now].querySelector("img").src;
    scrollTogether([...panes.querySelectorAll(".view")]);
    for (const list of panes.querySelectorAll(".list")) list.addEventListener("toggle", () => fill(list), { once: true });
    zoom();
    if (!dialog.open) dialog.showModal();
  }
  function fill(list) {
    const rects = [...list.closest("figure").querySelectorAll(".overlay rect:not(.ghost)")];
    list.querySelector("ol").append(...rects.map((rect) => {
      const line = document.createElement("li");
      line.textContent = say(rect);
      line.addEventListener("pointerenter", () => point(rect));
      return line;
    }));
  }
  // What is pointed at is named under its pane, and its place is marked in the other panes.
  function point(rect) {
    for (const old of panes.querySelectorAll(".ghost")) old.remove();
    for (const old of panes.querySelectorAll(".pointed")) old.classList.remove("pointed");
    for (const line of panes.querySelectorAll(".pointed-at")) line.textContent = "\u00a0";
    if (!rect) return;
    rect.classList.add("pointed");
    rect.closest("figure").querySelector(".pointed-at").textContent = say(rect);
    for (const overlay of panes.querySelectorAll(".overlay")) {
      if (overlay === rect.parentElement) continue;
      const ghost = rect.cloneNode();
      ghost.setAttribute("class", "ghost");
      overlay.append(ghost);
    }
  }
  panes.addEventListener("pointerover", (event) => {
    if (!event.target.closest("li")) point(event.target.closest(".overlay rect:not(.ghost)"));
  });
  buttons.forEach((button, index) => button.addEventListener("click", () => show(index)));
  control("previous").addEventListener("click", () => show(now - 1));
  control("next").addEventListener("click", () => show(now + 1));
  control("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => buttons[now].focus());
  control("boxes").addEventListener("change", (event) => dialog.classList.toggle("no-boxes", !event.target.checked));
  control("zoom").addEventListener("change", zoom);
  for (const box of dialog.querySelectorAll("[data-tone]")) {
    box.addEventListener("change", () => dialog.classList.toggle("no-" + box.dataset.tone, !box.checked));
  }
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const scrolls = control("zoom").checked && event.target.closest(".view");
    if (!step || scrolls || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(now + step);
  });
}
