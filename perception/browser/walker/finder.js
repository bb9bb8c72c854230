// Finding an element again, within one tree: by itself, by what it holds, in what holds it, by its place.
//
// Rule 1: an element is found by what its author wrote to mean it, before what it looks like, before where it stands.
// Rule 2: no selector is given that does not, just then, find this element alone: it is asked for, or each of its steps is
// one of its kind in what holds it.

/** Steps of an element by which it may be told from others, best first, are combined up to so many. */
const MAX_OWN = 6;

/** Holders that are tried as an anchor, nearest first; of these so many also by what they hold, or by their place. */
const MAX_ANCHORS = 20, MAX_ROWS = 5;

/** Elements inside by which one is told, how many others may be like such a one, and ways to write what holds it. */
const HELD_PARTS = 60, HELD_ALIKE = 20, SHELLS = 2;

/** Tags that there may be one of, which then is known by it. */
const TELLING_TAGS = /^(?:main|nav|header|footer|aside|form|dialog|table|search|textarea|select|video|canvas|h1|fieldset)$|-/;

/** Among more than so many siblings none is told by what they hold: to find it would take a browser too long. */
const MANY_ALIKE = 100;

/** What is less sure is no anchor for others. */
const LEAST = 0.2;

/** In a shadow tree, what no other element holds: there is no `:root`. */
const TOPMOST = ':not(* *)';

/** So sure that nothing better is looked for. */
const SURE_ENOUGH = 0.88;

/**
 * A selector within one tree. `above`: how what holds the element is found, if the selector begins with that; `own`: the rest,
 * null for one step down.
 * @typedef {{ css: string, sure: number, why: string, above?: { holder: Element, found: Found }, own?: string|null }} Found
 */

/** Which elements of one tree have what, by their place in document order. */
class Index {
  /** @param {Document|ShadowRoot} root */
  constructor(root) {
    this.root = root;
    /** @type {Element[]} */
    this.elements = allUnder(root, '*');
    /** @type {Map<Node, number>} */
    this.order = new Map();
    /** The place of the last element in each. */
    this.end = new Int32Array(this.elements.length);
    /** @type {Map<string, number[]>} */
    this.places = new Map();
    /** Answers that were given. @type {Map<string, number[]>} */
    this.sought = new Map();
    this.elements.forEach((element, at) => this.add(element, at));
    for (let at = this.elements.length - 1; at >= 0; at--) {
      this.end[at] = Math.max(this.end[at], at);
      const above = this.order.get(parentNodeOf(this.elements[at]));
      if (above !== undefined) this.end[above] = Math.max(this.end[above], this.end[at]);
    }
  }

  /** @param {Element} element @param {number} at */
  add(element, at) {
    this.order.set(element, at);
    this.put(tagOf(element), at);
    for (const { name, value } of attributesOf(element)) {
      if (name === 'class') { for (const each of new Set(value.split(/\s+/))) if (each) this.put(`.${each}`, at); }
      else if (value.length <= MAX_VALUE && name !== 'style') this.put(keyOf(name, value), at);
    }
  }

  /** @param {string} key @param {number} at */
  put(key, at) {
    const there = this.places.get(key);
    if (there) there.push(at); else this.places.set(key, [at]);
  }

  /** Places of what has a tag and all of these traits. @param {string} tag empty for any @param {Trait[]} traits @returns {number[]} */
  having(tag, traits) {
    if (!traits.length) return this.places.get(tag) || [];
    const key = [tag, ...traits.map((each) => each.key)].join(' ');
    let found = this.sought.get(key);
    if (!found) this.sought.set(key, found = this.seek(tag, traits));
    return found;
  }

  /** @param {string} tag @param {Trait[]} traits */
  seek(tag, traits) {
    const lists = traits.map(({ key }) => this.places.get(key) || []);
    const [first, ...rest] = lists.sort((a, b) => a.length - b.length);
    let found = tag ? first.filter((at) => tagOf(this.elements[at]) === tag) : first;
    for (const list of rest) {
      const others = new Set(list);
      found = found.filter((at) => others.has(at));
    }
    return found;
  }

  /** How many of these places, in order, lie in the element at a place. @param {number[]} places @param {number} holder */
  inside(places, holder) {
    return after(places, this.end[holder]) - after(places, holder);
  }
}

/** How many of ascending numbers are not above a limit. @param {number[]} numbers @param {number} limit */
function after(numbers, limit) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1; else high = middle;
  }
  return low;
}

/** Makes selectors in one tree, for as long as nothing in it changes. */
class Finder {
  /** @param {Document|ShadowRoot} root */
  constructor(root) {
    this.index = new Index(root);
    /** @type {Map<Element, Trait[]>} */
    this.traits = new Map();
    /** @type {Map<Element, Found|null>} */
    this.alone = new Map();
    /** @type {Map<Element, Found|null>} */
    this.held = new Map();
    /** By the tag of the next step. @type {Map<Element, Map<string, Found>>} */
    this.paths = new Map();
    /** Children of each that share a tag and a trait. @type {Map<Node, Map<string, Element[]>>} */
    this.children = new Map();
    /** Whether what was found finds one element alone. @type {Map<Found, boolean>} */
    this.sound = new Map();
  }

  /** What an element can be told by, surest first; its tag is not among it. @param {Element} element @returns {Trait[]} */
  traitsOf(element) {
    let traits = this.traits.get(element);
    if (!traits) {
      traits = readTraits(element).sort((a, b) => b.sure - a.sure).slice(0, MAX_OWN);
      this.traits.set(element, traits);
    }
    return traits;
  }

  /**
   * Ways to write an element with no more than itself: each trait, then pairs of them.
   * @param {Element} element @returns {Generator<Way>}
   */
  *ways(element) {
    const traits = this.traitsOf(element);
    for (const trait of traits) yield new Way(this.index, element, [trait]);
    for (let j = 1; j < traits.length; j++) for (let i = 0; i < j; i++) yield new Way(this.index, element, [traits[i], traits[j]]);
  }

  /** An element by itself, without what holds it. @param {Element} element @returns {Found|null} null where others are alike */
  byItself(element) {
    let found = this.alone.get(element);
    if (found === undefined) {
      found = this.byTag(element);
      for (const way of this.ways(element)) if (way.places.length === 1) { found = way.found; break; }
      this.alone.set(element, found);
    }
    return found;
  }

  /** The only one of its tag, where that means something. @param {Element} element @returns {Found|null} */
  byTag(element) {
    const tag = tagOf(element);
    if (!TELLING_TAGS.test(tag)) return null;
    return this.index.having(tag, []).length === 1 ? { css: CSS.escape(tag), sure: SURE.role, why: `the only ${tag}` } : null;
  }

  /** An element by something in it that no other of its kind has: `li:has(a[href="/1"])`. @param {Element} element @returns {Found|null} */
  byHeld(element) {
    let found = this.held.get(element);
    if (found === undefined) {
      found = this.lookInside(element);
      this.held.set(element, found);
    }
    return found;
  }

  /** @param {Element} element @returns {Found|null} */
  lookInside(element) {
    const { index } = this;
    const at = /** @type {number} */ (index.order.get(element));
    const shells = [CSS.escape(tagOf(element)), ...this.traitsOf(element).slice(0, SHELLS).map((trait) => written(element, [trait]).css)];
    /** @type {Found|null} */
    let best = null;
    for (let inner = at + 1; inner <= Math.min(index.end[at], at + HELD_PARTS); inner++) {
      const part = index.elements[inner];
      const isChild = parentNodeOf(part) === element;
      for (const trait of this.traitsOf(part)) {
        const sure = trait.sure * SURE.part;
        if (sure < 0.5 || (best && sure <= best.sure)) break;
        const way = new Way(index, part, [trait]);
        if (way.places.length > HELD_ALIKE) continue;
        const shell = shells.find((each) => this.isOnlyHolder(element, each, way.places, isChild));
        if (!shell) continue;
        best = { css: `${shell}:has(${isChild ? '> ' : ''}${way.found.css})`, sure, why: `what it holds: ${trait.why}` };
        break;
      }
      if (best && best.sure >= 0.75) break;
    }
    return best;
  }

  /**
   * Whether all that is at these places lies in no other element that is written so.
   * @param {Element} holder @param {string} shell how it is written @param {number[]} places @param {boolean} asChild whether only the elements right above count
   */
  isOnlyHolder(holder, shell, places, asChild) {
    for (const at of places) {
      for (let node = parentNodeOf(this.index.elements[at]); node instanceof Element; node = asChild ? null : parentNodeOf(node)) {
        if (node !== holder && fits(node, shell)) return false;
      }
    }
    return true;
  }

  /** What holds an element and can be told, nearest first. @param {Element} element @returns {Generator<{holder: Element, found: Found}>} */
  *anchors(element) {
    let tried = 0;
    for (let node = parentNodeOf(element); node instanceof Element && tried < MAX_ANCHORS; node = parentNodeOf(node), tried++) {
      if (tagOf(node) === 'body' || tagOf(node) === 'html') return;
      const found = this.byItself(node) || (tried < MAX_ROWS ? this.byHeld(node) || this.path(node) : null);
      if (found && found.sure >= LEAST) yield { holder: node, found };
    }
  }

  /** An element within what holds it, as sure as can be. @param {Element} element @returns {Found|null} */
  within(element) {
    const tag = tagOf(element);
    const ways = [...this.ways(element), new Way(this.index, element, [])];
    /** @type {Found|null} */
    let best = null;
    for (const { holder, found: anchor } of this.anchors(element)) {
      const at = /** @type {number} */ (this.index.order.get(holder));
      const way = ways.find((each) => this.index.inside(each.places, at) === 1);
      if (!way) { if (anchor.sure >= SURE_ENOUGH) break; continue; } // what holds more has more that is alike
      const sure = anchor.sure * (way.traits.length ? way.found.sure : PLAIN.test(tag) ? SURE.onlyPlain : SURE.only);
      const { css, why } = way.found;
      if (!best || sure > best.sure) best = { css: `${anchor.css} ${css}`, sure, why: `${why} in ${anchor.why}`, above: { holder, found: anchor }, own: css };
      if (anchor.sure >= 0.8) break; // no other anchor makes it much surer
    }
    return best;
  }

  /**
   * One step from what holds an element: by a trait that its siblings have not, by its number among those that share one or
   * that hold the same, by its tag alone.
   * @param {Element} element @param {Element|null} child the next step down, if this is not the last
   */
  step(element, child) {
    const alike = this.siblings(element, null);
    const isPlain = PLAIN.test(tagOf(element));
    let best = { css: barely(element, alike), sure: alike.length === 1 ? (isPlain ? SURE.onlyPlain : SURE.only) : isPlain ? SURE.placePlain : SURE.place };
    for (const trait of this.traitsOf(element)) {
      const fitting = alike.length === 1 ? alike : this.siblings(element, trait);
      const sure = fitting.length === 1 ? SURE.step * trait.sure : SURE.among * Math.sqrt(trait.sure);
      if (sure <= best.sure) continue;
      const { css } = written(element, [trait]);
      best = { css: fitting.length === 1 ? css : `:nth-child(${fitting.indexOf(element) + 1} of ${css})`, sure };
    }
    if (!child || best.sure >= SURE.among * SURE.part || alike.length > MANY_ALIKE) return best;
    const css = `${CSS.escape(tagOf(element))}:has(> ${CSS.escape(tagOf(child))})`;
    const fitting = this.siblings(element, { css: `:has(> ${CSS.escape(tagOf(child))})`, key: `> ${tagOf(child)}`, sure: 1, why: 'position' });
    return fitting.length === 1 ? { css, sure: SURE.onlyPlain } : { css: `:nth-child(${fitting.indexOf(element) + 1} of ${css})`, sure: SURE.among * SURE.part };
  }

  /** Children of what holds an element that share its tag and a trait, itself among them. @param {Element} element @param {Trait|null} trait @returns {Element[]} */
  siblings(element, trait) {
    const above = parentNodeOf(element);
    let known = this.children.get(above);
    if (!known) this.children.set(above, known = new Map());
    const key = `${tagOf(element)} ${trait ? trait.key : ''}`;
    let alike = known.get(key);
    if (!alike) {
      const all = trait ? this.siblings(element, null) : [...childNodesOf(above)].filter((each) => each instanceof Element && tagOf(each) === tagOf(element));
      const css = trait ? written(element, [trait]).css : '';
      alike = trait ? all.filter((each) => fits(each, css)) : all;
      known.set(key, alike);
    }
    return alike;
  }

  /**
   * An element by its place below the nearest that can be told.
   * @param {Element} element @param {Element|null} child the next step down, if this is not the last @returns {Found}
   */
  path(element, child = null) {
    let ways = this.paths.get(element);
    if (!ways) this.paths.set(element, ways = new Map());
    const kind = child ? tagOf(child) : '';
    const known = ways.get(kind);
    if (known) return known;
    const above = parentNodeOf(element);
    const step = this.step(element, child);
    /** @type {Found} */
    let found;
    if (!(above instanceof Element)) {
      const css = element === document.documentElement ? ':root' : isAlone(allUnder(this.index.root, step.css), element) ? step.css : step.css + TOPMOST;
      found = { css, sure: step.sure, why: 'position' };
    }
    else {
      const own = above === document.body ? { css: 'body', sure: 1, why: 'position' } : this.byItself(above);
      const anchor = own || this.path(above, element);
      const why = own && own.why !== 'position' ? `position in ${own.why}` : 'position';
      found = { css: `${anchor.css} > ${step.css}`, sure: anchor.sure * step.sure, why, above: { holder: above, found: anchor }, own: null };
    }
    ways.set(kind, found);
    return found;
  }

  /** Whether what was found finds this element alone. @param {Element} element @param {Found} found @returns {boolean} */
  verify(element, found) {
    let sound = this.sound.get(found);
    if (sound === undefined) {
      const { above, own, css } = found;
      if (!above) sound = isAlone(allUnder(this.index.root, css), element);
      else sound = this.verify(above.holder, above.found) && (own ? isAlone(allUnder(above.holder, own), element) : fits(element, css));
      this.sound.set(found, sound);
    }
    return sound;
  }

  /** The surest selector that finds an element alone; where there are several as sure, the shortest. @param {Element} element @returns {Found|null} */
  find(element) {
    if (!this.index.order.has(element)) return null; // in no tree that selectors reach
    const own = this.byItself(element);
    if (own && own.sure >= SURE_ENOUGH && this.verify(element, own)) return own;
    const candidates = [own, this.byHeld(element), this.within(element), this.path(element)].filter((each) => each !== null)
      .sort((a, b) => b.sure - a.sure || a.css.length - b.css.length);
    return candidates.find((each) => this.verify(element, each)) || this.bare(element);
  }

  /** An element by its place alone. @param {Element} element @returns {Found|null} */
  bare(element) {
    const steps = [];
    let node = /** @type {any} */ (element);
    for (; node instanceof Element; node = parentNodeOf(node)) {
      const topmost = parentNodeOf(node) instanceof Element ? '' : TOPMOST;
      steps.unshift(node === document.documentElement ? ':root' : barely(node, this.siblings(node, null)) + topmost);
    }
    const found = { css: steps.join(' > '), sure: SURE.placePlain ** steps.length, why: 'position' };
    return this.verify(element, found) ? found : null;
  }
}

/** @param {Element[]} found @param {Element} element */
const isAlone = (found, element) => found.length === 1 && found[0] === element;

/** An element written with some of its traits, or by its tag alone; what else is written so is found when asked for. */
class Way {
  /** @type {number[]|null} */
  #places = null;

  /** @param {Index} index @param {Element} element @param {Trait[]} traits */
  constructor(index, element, traits) {
    this.index = index;
    this.element = element;
    this.traits = traits;
  }

  /** Of all that is written so, in order. @returns {number[]} */
  get places() {
    if (!this.#places) this.#places = this.index.having(needsTag(this.traits) ? tagOf(this.element) : '', this.traits);
    return this.#places;
  }

  get found() {
    return written(this.element, this.traits);
  }
}

/** Elements that stand for nothing: one more of them may come in anywhere. */
const PLAIN = /^(?:div|span|li|tr|td|p|i|b)$/;

/** Its tag, and its number among those of that tag. @param {Element} element @param {Element[]} alike */
function barely(element, alike) {
  const tag = CSS.escape(tagOf(element));
  return alike.length === 1 ? tag : `${tag}:nth-of-type(${alike.indexOf(element) + 1})`;
}

/** What says enough by itself goes without the tag. @param {Trait[]} traits */
const needsTag = (traits) => !traits.some(({ why }) => why === 'id' || why === 'test id');

/** @param {Element} element @param {Trait[]} traits @returns {Found} */
function written(element, traits) {
  const tag = needsTag(traits) ? CSS.escape(tagOf(element)) : '';
  if (!traits.length) return { css: tag, sure: SURE.only, why: 'position' };
  const sure = traits.length === 1 ? traits[0].sure : Math.min(...traits.map((each) => each.sure)) * 0.97;
  return { css: tag + traits.map((each) => each.css).join(''), sure, why: traits.map((each) => each.why).join(' + ') };
}
