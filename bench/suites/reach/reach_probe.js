// What can be acted upon in one frame, which ref leads to it, and what an action changed. Runs in a world of its own.
// A path names an element: positions among the element children, `s` into a shadow root, `d` into a frame's document.
globalThis.reachProbe ??= (() => {
  const HEARD = ["click", "dblclick", "contextmenu", "mousedown", "pointerdown", "mouseenter", "mouseover", "focus"];
  const FIELDS = "input, select, textarea";
  const REVEALING = ["display", "visibility", "opacity", "max-height", "height", "transform", "clip-path", "pointer-events"];
  let prefix = "";

  const flatParent = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;

  function path(element) {
    const parts = [];
    for (let node = element; node && node !== document;) {
      const parent = node.parentNode;
      if (node instanceof ShadowRoot) { parts.push("s"); node = node.host; continue; }
      if (!parent) return "";
      parts.push([...parent.children].indexOf(node));
      node = parent;
    }
    return `${prefix}/${parts.reverse().join("/")}`;
  }

  function find(wanted) {
    let node = document;
    for (const part of wanted.slice(prefix.length + 1).split("/")) {
      node = part === "s" ? shadow(node) : node?.children?.[Number(part)];
      if (!node) return null;
    }
    return node;
  }

  // Closed roots are known to extensions' worlds alone; paths into them come from CDP and are not found.
  const shadow = (node) => node.shadowRoot ?? globalThis.chrome?.dom?.openOrClosedShadowRoot?.(node) ?? null;

  function* elements(root = document) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot) yield* elements(element.shadowRoot);
    }
  }

  function middle(element) {
    const rects = [...element.getClientRects()].filter((each) => each.width > 0 && each.height > 0);
    if (!rects.length) return null;
    const best = rects.reduce((one, other) => (other.width * other.height > one.width * one.height ? other : one));
    return { x: best.left + best.width / 2, y: best.top + best.height / 2, box: best };
  }

  const holds = (element, point) =>
    [...element.getClientRects()].some((box) => point.x >= box.left && point.x <= box.right && point.y >= box.top && point.y <= box.bottom);

  function isIn(inner, outer) {
    for (let node = inner; node; node = flatParent(node)) if (node === outer) return true;
    return false;
  }

  function isFocusable(element) {
    if (element.tabIndex < 0 || element.localName === "iframe" || element.disabled) return false;
    if (element.hasAttribute("tabindex") || element.isContentEditable) return element.hasAttribute("tabindex") || !element.parentElement?.isContentEditable;
    return element.matches("a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, audio[controls], video[controls]");
  }

  function* styleRules(rules) {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) yield rule;
      if (rule.cssRules?.length && (!rule.media || matchMedia(rule.media.mediaText).matches)) yield* styleRules(rule.cssRules);
    }
  }

  // Elements whose `:hover` shows something else that is not shown now: `.menu:hover .list { display: block }`.
  function revealers() {
    const found = new Set();
    const sheets = [...document.styleSheets, ...document.adoptedStyleSheets];
    for (const sheet of sheets) {
      let rules;
      try { rules = sheet.cssRules; } catch { continue; }
      for (const rule of styleRules(rules)) {
        if (!rule.selectorText?.includes(":hover") || !REVEALING.some((each) => rule.style.getPropertyValue(each))) continue;
        for (const selector of rule.selectorText.split(/,(?![^(]*\))/)) {
          const [before, after] = [selector.slice(0, selector.indexOf(":hover")), selector.slice(selector.indexOf(":hover") + 6)];
          if (!selector.includes(":hover") || !/^[^\s>+~]*[\s>+~]/.test(after)) continue;
          try {
            for (const shown of document.querySelectorAll(selector.replaceAll(":hover", ""))) {
              if (shown.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && middle(shown)) continue;
              const compound = before + (/^[^\s>+~]*/.exec(after)?.[0] ?? "");
              let owner = shown.parentElement?.closest(compound || "*");
              if (!owner && /^[^\s>+~]*\s*[+~]/.test(after)) owner = shown.parentElement?.querySelector(compound);
              if (owner) found.add(owner);
            }
          } catch { continue; }
        }
      }
    }
    return found;
  }

  function nameOf(element) {
    const attributes = ["aria-label", "title", "alt", "placeholder"].map((each) => element.getAttribute(each));
    const said = [attributes[0], element.localName === "form" ? "" : element.innerText, ...attributes.slice(1)].find(Boolean) ?? "";
    return said.trim().replace(/\s+/g, " ").slice(0, 60);
  }

  // Everything in this frame that can be acted upon. `listened`: kinds of listeners by path; `peers`: paths.
  function scan(where, listened, peers, isDelegated) {
    prefix = where;
    const kinds = new Map();
    const add = (element, kind) => element && kinds.set(element, (kinds.get(element) ?? new Set()).add(kind));
    for (const [each, types] of Object.entries(listened)) {
      const found = find(each);
      for (const type of types) add(found instanceof ShadowRoot ? found.host : found, type);
    }
    for (const each of peers) add(find(each), "peer");
    for (const element of revealers()) add(element, "hover rule");
    const acts = [...kinds].filter(([, own]) => ["click", "mousedown", "pointerdown"].some((each) => own.has(each))).map(([each]) => each);
    for (const element of elements()) {
      if (isFocusable(element)) add(element, "focus");
      if (element.localName === "option" || getComputedStyle(element).cursor !== "pointer") continue;
      const parent = flatParent(element);
      if (parent && getComputedStyle(parent).cursor === "pointer") continue;
      if (isDelegated || acts.some((each) => isIn(element, each))) add(element, "pointer");
    }
    return [...kinds].map(([element, own]) => describe(element, [...own].sort()));
  }

  function describe(element, kinds) {
    return {
      path: path(element), tag: element.localName, role: element.getAttribute("role") ?? "", name: nameOf(element), kinds,
    };
  }

  // The ref that leads to an element, and how: [ref, "own" | "label" | "list" | "around" | "inside"]; null for none.
  // `refs`: by element.
  function route(element, refs) {
    if (!element) return null;
    if (refs.has(element)) return [refs.get(element), "own"];
    const described = element.id && element.getRootNode().querySelector(`[aria-labelledby~="${CSS.escape(element.id)}"]`);
    const labels = [element.closest("label")?.control, ...(element.labels ?? []), described];
    const labeled = labels.find((each) => refs.has(each));
    if (labeled) return [refs.get(labeled), "label"];
    const list = element.closest("select, datalist");
    if (list !== element && refs.has(list)) return [refs.get(list), "list"];
    for (let node = flatParent(element); node; node = flatParent(node)) {
      const point = refs.has(node) && middle(node);
      if (point && holds(element, point)) return [refs.get(node), "around"];
    }
    const own = middle(element);
    const inside = [...refs.keys()].filter((each) => isIn(each, element));
    const under = own && inside.find((each) => holds(each, own));
    if (under) return [refs.get(under), "inside"];
    // An event on what is inside bubbles to a container that is no target by itself.
    const isTarget = getComputedStyle(element).cursor === "pointer" || isFocusable(element);
    return inside.length && !isTarget ? [refs.get(inside[0]), "inside"] : null;
  }

  function routes(where, wanted, refs) {
    prefix = where;
    const found = new Map(Object.entries(refs).map(([each, ref]) => [find(each), ref]).filter(([each]) => each));
    return wanted.map((each) => route(find(each), found));
  }

  // Why nobody can act on an element, by facts; "" if one can.
  function obstacle(where, wanted) {
    prefix = where;
    const element = find(wanted);
    if (!element) return "gone";
    if (element === document.documentElement || element === document.body) return "the page itself";
    if (element.closest(":disabled, [aria-disabled=true]")) return "disabled";
    if (element.closest("[inert]")) return "inert";
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const point = middle(element);
    if (!point) return "no area";
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return "hidden";
    const style = getComputedStyle(element);
    if (style.pointerEvents === "none") return "takes no pointer";
    if (point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight) return "outside of what can be scrolled to";
    const hit = deepest(point);
    if (hit && !isIn(hit, element)) return isIn(element, hit) ? "clipped" : "covered";
    const share = (point.box.width * point.box.height) / (innerWidth * innerHeight);
    if (share >= 0.5 && style.cursor !== "pointer" && !isFocusable(element)) return "as large as half the page";
    return "";
  }

  function deepest(point) {
    let hit = document.elementFromPoint(point.x, point.y);
    for (let inner; hit?.shadowRoot && (inner = hit.shadowRoot.elementFromPoint(point.x, point.y)) && inner !== hit;) hit = inner;
    return hit;
  }

  // Brings an element into view; its painted middle in this frame's viewport, or null.
  function point(where, wanted) {
    prefix = where;
    const element = find(wanted);
    if (!element) return null;
    const before = middle(element);
    const isInView = before && before.x >= 0 && before.y >= 0 && before.x < innerWidth && before.y < innerHeight;
    if (!isInView) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const now = middle(element);
    const box = element.getBoundingClientRect();
    return now && { x: now.x, y: now.y, left: box.left + element.clientLeft, top: box.top + element.clientTop };
  }

  const told = (where, wanted) => {
    prefix = where;
    const element = find(wanted);
    return element ? `${element.localName} ${nameOf(element)}` : "";
  };

  let recorded = null;

  function fields() {
    return [...document.querySelectorAll(FIELDS)].map((each) => `${each.value} ${each.checked} ${each.selectedIndex}`);
  }

  // From now on changes of this frame, and events that an element hears, are recorded.
  function record(where, wanted) {
    prefix = where;
    const element = find(wanted);
    const record = { heard: new Set(), changed: new Set(), fields: fields() };
    const observer = new MutationObserver((changes) => changes.forEach((each) => note(record, each)));
    const roots = [document, ...[...elements()].map((each) => each.shadowRoot).filter(Boolean)];
    for (const root of roots) observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    // Not at the element: a listener there would make it another one for a snapshot.
    for (const type of HEARD) addEventListener(type, (event) => hear(record, event, element), true);
    recorded = record;
  }

  function hear(record, event, element) {
    if (event.isTrusted && event.composedPath().includes(element)) record.heard.add(event.type);
  }

  function note(record, change) {
    if (change.attributeName === "style") return;
    const target = change.target instanceof Element ? change.target : change.target.parentElement ?? change.target.host;
    if (target && !["head", "style"].includes(target.localName)) record.changed.add(`${path(target)} ${change.attributeName ?? change.type}`);
  }

  function settle() {
    const now = fields();
    now.forEach((each, index) => each !== recorded.fields[index] && recorded.changed.add(`field ${index}`));
    let focus = document.activeElement;
    while (focus?.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
    const changed = [...recorded.changed];
    recorded.changed = new Set();
    recorded.fields = now;
    return { heard: [...recorded.heard].sort(), changed: changed.sort().slice(0, 400), focus: focus && focus !== document.body ? path(focus) : "" };
  }

  return { scan, routes, obstacle, point, told, record, settle, path };
})();
