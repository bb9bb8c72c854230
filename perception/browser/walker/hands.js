// What hands need beyond seeing: what a list offers, the focus, the way to an element.

/** Input types that take a value and no typed text, as a person sets them with a picker. */
const PICKED = /^(date|time|datetime-local|month|week|color|range)$/;

/** A selector in each root on the way to an element, by place alone; none for one in a closed shadow tree. @param {any} element @returns {string[]} */
function routeTo(element) {
  const route = [];
  for (let node = element; node;) {
    const root = rootOf(node);
    const steps = [];
    for (let at = node; at && at !== root; at = parentNodeOf(at)) {
      const siblings = [...childNodesOf(parentNodeOf(at))].filter((each) => nodeTypeOf(each) === Node.ELEMENT_NODE);
      steps.unshift(at === document.documentElement ? ':root' : `${CSS.escape(localNameOf(at))}:nth-child(${siblings.indexOf(at) + 1})`);
    }
    route.unshift(steps.join(' > '));
    if (root === document) return route;
    if (!(root instanceof ShadowRoot) || root.mode !== 'open') return [];
    node = root.host;
  }
  return [];
}

/** @typedef {{ number: number, label: string, value: string, selected: boolean, disabled: boolean }} Choice */

/** What an ARIA widget offers now: its own options, those of the lists it controls, else all that are shown. @param {Element} element */
function ariaOptions(element) {
  const lists = [element, ...`${attr(element, 'aria-controls') || ''} ${attr(element, 'aria-owns') || ''}`.split(/\s+/).filter(Boolean)
    .map((id) => byId(/** @type {any} */ (rootOf(element)), id)).filter((each) => each !== null)];
  const isOption = '[role=option], [role=menuitemradio], [role=treeitem]';
  for (const list of lists) {
    const found = [...allIn(list, isOption)].filter((each) => each.checkVisibility());
    if (found.length) return found;
  }
  return allRoots().flatMap((root) => allUnder(root, isOption)).filter((each) => each.checkVisibility());
}

/** What a list offers. @param {any} element */
function choicesOf(element) {
  forgetNames();
  if (tagOf(element) === 'select') {
    const shown = [...element.options].filter((option) => getComputedStyle(option).display !== 'none');
    return {
      kind: element.multiple || element.size > 1 ? 'listbox' : 'select',
      multiple: element.multiple,
      options: shown.map((option) => ({
        number: numberOf(option), label: tidy(option.label), value: option.value, selected: option.selected, disabled: fits(option, ':disabled'),
      })),
    };
  }
  const role = roleOf(element);
  const opens = role === 'combobox' || (attr(element, 'aria-haspopup') || 'false') !== 'false';
  if (role !== 'listbox' && !opens) return { kind: '', multiple: false, options: [] };
  const isOpen = role === 'listbox' || attr(element, 'aria-expanded') === 'true';
  return {
    kind: role === 'listbox' ? 'aria-listbox' : isOpen ? 'aria-open' : 'aria-closed',
    multiple: attr(element, 'aria-multiselectable') === 'true',
    options: (isOpen ? ariaOptions(element) : []).map((option) => ({
      number: numberOf(option), label: tidy(listedName(option, roleOf(option), true, false)) || tidy(option.textContent || ''),
      value: attr(option, 'data-value') || attr(option, 'value') || '', selected: attr(option, 'aria-selected') === 'true', disabled: isDisabled(option),
    })),
  };
}

/** What a script sets is told as a person's own doing would be. @param {Element} element */
function tellChange(element) {
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

Object.assign(globalThis.perceptionWalker, {
  /** The way to an element, from the document down: a selector in each open root, none when there is no such way. @param {number} number */
  route(number) {
    const element = nodeOf(number);
    return encode(element ? routeTo(element) : []);
  },

  /** What a click at a point would land on in place of an element; empty if on it. @param {number} number @param {number} x @param {number} y */
  coverOf(number, x, y) {
    const element = nodeOf(number);
    const hit = elementAt(x, y);
    return encode(!element || !hit ? 'nothing' : landing(element, hit) ? '' : describeBlocker(hit));
  },

  /** What a list offers. @param {number} number */
  choices(number) {
    const element = nodeOf(number);
    return encode(element ? choicesOf(element) : null);
  },

  /** Sets which options of a native list are selected, and tells the page. @param {number} number @param {number[]} wanted the options' own numbers */
  setSelected(number, wanted) {
    const element = nodeOf(number);
    if (!element) return encode(false);
    for (const option of element.options) option.selected = wanted.includes(numberOf(option));
    tellChange(element);
    return encode(true);
  },

  /**
   * Sets the value of a field that takes no typed text: a date, a colour, a slider.
   * @param {number} number @param {string} text
   * @returns {string} what it holds then; `null` for a field that has to be typed into
   */
  setPicked(number, text) {
    const element = nodeOf(number);
    if (!element || tagOf(element) !== 'input' || !PICKED.test(element.type) || element.disabled || element.readOnly) return encode(null);
    const before = element.value;
    element.value = text;
    const holds = element.value;
    const taken = holds.toLowerCase() === text.toLowerCase() || (element.type === 'range' && text.trim() !== '' && Number(holds) === Number(text));
    if (taken) tellChange(element);
    else element.value = before;
    return encode({ type: element.type, taken });
  },

  /** Empties the focused field of what keys have left in it: a page may keep them from working. @returns {string} whether it is empty now */
  clearFocused() {
    const element = /** @type {any} */ (deepFocus());
    if (!element) return encode(true);
    const content = () => (isEditingHost(element) ? textContentOf(element) : element.value) || '';
    if (!content()) return encode(true);
    if (isEditingHost(element)) getSelection()?.selectAllChildren(element);
    else element.select();
    document.execCommand('delete');
    return encode(content().trim() === '');
  },

  /** Gives an element the focus. @param {number} number @returns {string} whether it has it then, or something in it */
  focus(number) {
    const element = nodeOf(number);
    if (!element) return encode(false);
    if (!fits(element, ':focus-within')) HTMLElement.prototype.focus.call(element, { preventScroll: true });
    return encode(fits(element, ':focus-within'));
  },
});
