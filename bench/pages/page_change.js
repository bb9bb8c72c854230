// One small change of the page that is in view, as a page's own script makes it: its text, an attribute, an element
// more or less, a typed value. Gives the kind that was made, once two animation frames have passed.
async (number) => {
  const kinds = ["text", "attribute", "element", "value"];
  const turn = Math.floor(number / kinds.length);

  function isInView(element) {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.top < innerHeight && box.bottom > 0 && box.left < innerWidth &&
      box.right > 0 && getComputedStyle(element).visibility === "visible";
  }
  function nth(all, wanted) {
    let found = null, left = turn;
    for (const each of all) {
      if (!wanted(each)) continue;
      found = each;
      if (!left--) break;
    }
    return found;
  }
  function* textNodes() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) yield walker.currentNode;
  }
  const isRead = (node) => node.data.trim() && !node.parentElement.closest("script, style, noscript, select, textarea") &&
    !document.addedElement?.contains(node) && isInView(node.parentElement);
  const isTyped = (field) => !field.disabled && !field.readOnly && isInView(field);

  const text = nth(textNodes(), isRead);
  const field = nth(document.querySelectorAll("textarea, input:not([type]), input:is([type=text], [type=search], [type=email])"), isTyped);
  let kind = kinds[number % kinds.length];
  if (kind === "value" && !field) kind = "text";
  if (!text && kind !== "value") kind = "element";

  if (kind === "text") text.data += ` ${number}`;
  else if (kind === "attribute") {
    if (turn % 2) text.parentElement.title = `Title ${number}`;
    else text.parentElement.classList.toggle("changed");
  } else if (kind === "element") {
    if (document.addedElement?.isConnected) document.addedElement.remove();
    else {
      document.addedElement = Object.assign(document.createElement("button"), { textContent: `Added ${number}` });
      (text?.parentElement.parentElement ?? document.body).append(document.addedElement);
    }
  } else {
    field.value = `typed ${number}`;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // A page in the background has no frames to wait for.
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  await Promise.race([frame().then(frame), new Promise((next) => setTimeout(next, 500))]);
  return kind;
}
