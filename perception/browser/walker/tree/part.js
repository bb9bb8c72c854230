// A `Part` for each painted element, with the facts read from it. Parts are kept across walks.

import { NOWHERE } from '../layout/rects.js';

/** @import { Opaque } from '../row_layout.js' */
/** @import { Clip } from '../layout/clips.js' */
/** @import { Rect } from '../layout/rects.js' */
/** @import { PaintStyle } from '../visibility/paint_style.js' */
/** @import { Placement } from '../rows/placement.js' */

/** @type {WeakMap<Node, Part>} */
export const partOf = new WeakMap();

export class Part {
  // What style says.
  display = '';
  block = false;
  position = 'static';
  /** How it arranges its children: the direction of a flex container, `grid`, else empty. */
  flow = '';
  /** Its `order` in such a container. */
  order = 0;
  /** It floats to the end of the line that follows it. */
  trails = false;
  floats = false;
  /** Floats outside of it do not reach into it, nor those in it out of it. */
  isolated = false;
  /** It, or what is around it, sets its content in columns. */
  inColumns = false;
  /** Its own box alone says where its content is, except for floats. */
  arranges = false;
  overflow = 'visible';
  contentVisibility = 'visible';
  cursor = 'auto';
  ownOpacity = '1';
  opacity = 1;
  hidden = false;
  /** What clips it, and what clips that which flows in it. @type {Clip|null} */
  clippedBy = null;
  /** @type {Clip|null} */
  clip = null;
  /** It places what is fixed inside; undefined until somebody asks. @type {boolean|undefined} */
  isContaining = undefined;

  /** What style says of its ink; null until somebody asks. @type {PaintStyle|null} */
  paintStyle = null;

  // What it is.
  role = '';
  interactive = false;
  /** It is there to be clicked. */
  clickable = false;
  /** What else a person does with it, in the words of its states. @type {string[]} */
  affordances = [];
  /** It is acted on as a whole, and has content of its own. */
  zone = false;
  /** Why its pixels are unexplained, if they are. @type {Opaque|''} */
  picture = '';
  listed = false;
  /** A container that only a digest lists. */
  structure = false;
  name = '';
  named = false;
  /** Its author's name for it may not be what it shows; undefined until somebody asks. @type {boolean|undefined} */
  mislabels = undefined;
  /** Of a table's row, its cells in one line; null until somebody asks. @type {string|null} */
  cells = null;
  /** What stands for the characters that a picture or formula is drawn with; empty for none. */
  drawn = '';
  /** Something was left out of its name. */
  withheld = false;
  /** Counters of a style sheet are painted in it, which are not part of its name. */
  hasCounters = false;
  /** What is in it is private. */
  isPrivate = false;
  /** Its text is painted as dots; undefined until somebody asks. @type {boolean|undefined} */
  paintedAsDots = undefined;
  /** Which one it is of those that share role and name, as of a state of all names. */
  nth = 0;
  numbered = 0;
  /** What is in it is walked. */
  walked = false;
  /** Its content is said by itself or above it. */
  silenced = false;
  pictures = true;

  // Where it is: see frame_walk.js. In the walk `walkNumber`, its own box was at `place`.
  walkNumber = 0;
  /** The last walk in which it was in view, or listed. */
  seenAt = 0;
  place = NOWHERE;
  /** Its own box: offset from its parent's, and size. @type {Rect|null} */
  ownBox = null;
  /** The columns of a grid, as they were laid out at a walk. */
  tracks = '';
  /** That was derived from where others are; it is measured before it is used. */
  guessed = false;
  /** What it and all in it take up, from the corner of its own box. @type {Rect|null} */
  extent = null;
  /**
   * How it stood at a walk, with what was asked, and the count of changes beyond texts then.
   * @type {{at: Placement, own: Rect, isTarget: boolean, look: number, wide: boolean, beyondTexts: number}|null}
   */
  lastPlacement = null;
  /** Something in it has changed or scrolled since it was measured. */
  dirty = true;
  /** Something in it is placed by what is outside of it. */
  loose = false;
  /** It is a field, or there is one in it. */
  holdsFields = false;
  /** When it was measured, a float outside of it may have pushed its content aside. */
  besideFloats = false;
  /** How far down floats in it, or beside it, reach that may push aside what follows it, from its own top. */
  floatReach = -Infinity;

  /**
   * @param {Element} element
   * @param {string} tag
   * @param {Part|null} parent
   */
  constructor(element, tag, parent) {
    this.element = element;
    this.tag = tag;
    this.parent = parent;
    /** @type {number} */
    this.depth = parent ? parent.depth + 1 : 0;
    /** Parts and text nodes, in painted order. @type {Array<Part|Text>} */
    this.children = [];
    /** The children are painted in another order than they have in the document. */
    this.rearranged = false;
  }
}

/** Whether one part contains the other, or is it. @param {Part} outer @param {Part} inner */
export function containsPart(outer, inner) {
  let each = /** @type {Part|null} */ (inner);
  while (each && each.depth > outer.depth) each = each.parent;
  return each === outer;
}

/** Never painted. */
export const UNPAINTED_TAGS = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'meta',
  'link',
  'title',
  'base',
  'param',
  'source',
  'track',
  'colgroup',
  'col',
  'datalist',
  'rp',
  'defs',
  'symbol',
  'clipPath',
  'linearGradient',
  'radialGradient',
  'mask',
  'metadata',
  'desc',
]);

/** Elements whose inside is not walked: it is the browser's own, or represented in another way. */
export const LEAF_TAGS = new Set([
  'select',
  'textarea',
  'iframe',
  'frame',
  'video',
  'audio',
  'canvas',
  'object',
  'embed',
  'input',
  'img',
  'progress',
  'meter',
]);
