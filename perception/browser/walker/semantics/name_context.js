// The context of a name computation.

/** @import { Group } from './raised_text.js' */

/** The context of one name computation. */
export class NameContext {
  constructor() {
    /** Elements and text nodes already included: none counts twice. @type {Set<Node>} */
    this.seen = new Set();
    /** Inside a target of `aria-labelledby`: further references are not followed (accname 2B). */
    this.referred = false;
    /** Inside a hidden target: its hidden content counts. */
    this.hidden = false;
    /** The role of what is named, or of the header in it that is being read. */
    this.of = '';
    /** What only assistive technology does not read counts. */
    this.painted = false;
    /** What is fully transparent does not count, nor what matches this selector; empty where all counts. */
    this.without = '';
    /** Words with a line through them get marks. */
    this.marksStruck = false;
    /** Raised or lowered text that is being read. @type {Group|null} */
    this.group = null;
  }
}

/** Controls whose values are part of a name. @type {WeakSet<Element>} */
export const valuesInNames = new WeakSet();
