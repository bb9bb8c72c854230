// The context and the text buffer of a name computation.

/** The context of one name computation. */
export class NameContext {
  constructor() {
    /** Elements and text nodes already included: none counts twice. @type {Set<Node>} */
    this.seen = new Set();
    /** Inside a target of `aria-labelledby`: further references are not followed (accname 2B). */
    this.referred = false;
    /** Inside a hidden target: its hidden content counts. */
    this.hidden = false;
  }
}

/** Assembles a name. A fragment that is not in one line of text with the preceding one gets a space before it. */
export class NameBuilder {
  constructor() {
    this.text = '';
    this.apart = false;
  }

  /** @param {string} text @param {boolean} apart */
  add(text, apart) {
    if (!text) return;
    if ((apart || this.apart) && this.text && !/\s$/.test(this.text) && !/^\s/.test(text)) this.text += ' ';
    this.text += text;
    this.apart = apart;
  }
}

/** Controls whose values are part of a name. @type {WeakSet<Element>} */
export const valuesInNames = new WeakSet();
