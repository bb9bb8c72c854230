// Counterparts: what a page paints in place of a see-through control, which takes the clicks there: the box of a checkbox,
// a switch, a button that opens a file chooser.
//
// Rule 1: a counterpart is told by what is painted, not by what hit testing finds: most take no pointer events.
// Rule 2: a layer that is laid over the page, or over another control, has no counterpart: nobody knows that it is there.

import { boundsOf, matches, nodeTypeOf, queryAllIn } from '../dom/access.js';
import { isTickBox, tagOf } from '../dom/elements.js';
import { flatChildrenOf, flatContains, flatParentOf } from '../dom/flat_tree.js';
import { areaOf, overlap, rectOf } from '../layout/rects.js';
import { colorOf, gradientColors } from './colors.js';
import { PAINTERS } from './occlusion.js';
import { hasContrastingColor, paintStyleOf } from './paint_style.js';

/** @import { Part } from '../tree/part.js' */
/** @import { Rect } from '../layout/rects.js' */
/** @import { Color } from './colors.js' */

/** A smaller control shows nobody what it is for (CSS px²). */
const MIN_CONTROL_AREA = 16;

/** A widget is at most this many times as large as the control that covers it. Chosen by hand. */
const MAX_WIDGET_SHARE = 4;

/** A counterpart outside of such a widget is at least this part of the control: Material's box of 18 px is in a control of 48 px. */
const MIN_COUNTERPART = 1 / 16;

/** Widgets nest at most so many levels. Chosen by hand. */
const MAX_NESTED_WIDGETS = 5;

/** Elements that are examined for one control. Chosen by hand. */
const MAX_EXAMINED = 60;

/** A longer text is words of the page, not a drawn control: a glyph of an icon font, a star. */
const MAX_GLYPHS = 2;

const OTHER_WIDGETS = 'a[href], button, input, select, textarea, summary, iframe, [role=button], [role=link]';

/**
 * Whether a see-through control covers its own painted counterpart. If what is around it is see-through too, a person
 * sees nothing of it.
 * @param {Part} part
 * @param {Rect} box
 */
export function hasCounterpart(part, box) {
  if (areaOf(box) < MIN_CONTROL_AREA || !part.parent || part.parent.opacity < 0.05) return false;
  const search = new CounterpartSearch(part, box);
  let above = part.parent;
  for (
    let level = 0;
    level < MAX_NESTED_WIDGETS && above.parent && !isPageRoot(above.element);
    level++, above = above.parent
  ) {
    const around = rectOf(boundsOf(above.element));
    if (areaOf(around) > MAX_WIDGET_SHARE * areaOf(box)) break;
    // One without a box of its own is not a widget, whatever is in it.
    const isWidget = areaOf(around) >= MIN_CONTROL_AREA;
    if ((isWidget && search.paints(above.element)) || search.isPaintedIn(above.element, isWidget)) return true;
  }
  return search.isPaintedIn(above.element, false);
}

/**
 * Whether what a click hits is the drawn box of a tick box, laid over it: both are in a widget of their own, and a script
 * ticks the box.
 * @param {Element} element
 * @param {Element} hit
 */
export function isDrawnOver(element, hit) {
  if (!isTickBox(element)) return false;
  let widget = flatParentOf(element);
  while (widget && !flatContains(widget, hit)) widget = flatParentOf(widget);
  if (!widget || isPageRoot(widget)) return false;
  const most = MAX_WIDGET_SHARE * areaOf(rectOf(boundsOf(element)));
  return areaOf(rectOf(boundsOf(widget))) <= most && queryAllIn(widget, `${OTHER_WIDGETS}, [role]`).length === 1;
}

/** @param {Element} element */
const isPageRoot = (element) => element === document.body || element === document.documentElement;

/** What is painted around one control. */
class CounterpartSearch {
  /**
   * @param {Part} part the control
   * @param {Rect} box
   */
  constructor(part, box) {
    this.control = part.element;
    this.box = box;
    this.examined = 0;
    /** @type {Color} */
    this.ground = paintStyleOf(groundPartOf(part, box)).ground;
  }

  /**
   * Whether anything in an element, except the control, is painted where the control is.
   * @param {Element} element
   * @param {boolean} isWidget whether all in it belongs to the control; else, only what is like a drawn control
   * @returns {boolean}
   */
  isPaintedIn(element, isWidget) {
    for (const child of flatChildrenOf(element)) {
      if (this.examined > MAX_EXAMINED) return false;
      if (child === this.control) continue;
      const isText = nodeTypeOf(child) === Node.TEXT_NODE;
      if (isText && this.isGlyph(/** @type {Text} */ (child), isWidget)) return true;
      if (nodeTypeOf(child) === Node.ELEMENT_NODE && this.isCounterpart(/** @type {Element} */ (child), isWidget))
        return true;
    }
    return false;
  }

  /** @param {Text} text @param {boolean} isWidget */
  isGlyph(text, isWidget) {
    const words = text.data.trim();
    if (!words || (!isWidget && [...words].length > MAX_GLYPHS)) return false;
    const range = document.createRange();
    range.selectNodeContents(text);
    return overlap(rectOf(range.getBoundingClientRect()), this.box) !== null;
  }

  /** @param {Element} element @param {boolean} isWidget @returns {boolean} */
  isCounterpart(element, isWidget) {
    this.examined++;
    if (!isWidget && matches(element, OTHER_WIDGETS)) return false;
    const style = getComputedStyle(element);
    if (style.display === 'none' || parseFloat(style.opacity) < 0.05) return false;
    const box = rectOf(boundsOf(element));
    const isHere = isWidget || (areaOf(box) <= MAX_WIDGET_SHARE * areaOf(this.box) && this.isLargeEnough(box));
    if (isHere && overlap(box, this.box) && style.visibility === 'visible' && this.paints(element)) return true;
    return this.isPaintedIn(element, isWidget);
  }

  /** @param {Rect} box */
  isLargeEnough(box) {
    const both = overlap(box, this.box);
    return both !== null && areaOf(both) >= MIN_COUNTERPART * areaOf(this.box);
  }

  /**
   * Whether an element paints a box that can be seen on the ground around the widget.
   * @param {Element} element
   */
  paints(element) {
    if (PAINTERS.has(tagOf(element))) return true;
    return (
      this.paintsBox(getComputedStyle(element)) ||
      ['::before', '::after'].some((pseudo) => {
        const style = getComputedStyle(element, pseudo);
        if (style.content === 'none' || style.content === 'normal' || style.display === 'none') return false;
        return parseFloat(style.opacity) >= 0.05 && (/[^"\s]/.test(style.content) || this.paintsBox(style));
      })
    );
  }

  /** @param {CSSStyleDeclaration} style */
  paintsBox(style) {
    const { backgroundImage, boxShadow } = style;
    const colors = [colorOf(style.backgroundColor), ...gradientColors(boxShadow)];
    for (const side of ['top', 'left', 'bottom', 'right'])
      if (parseFloat(style.getPropertyValue(`border-${side}-width`)) > 0)
        colors.push(colorOf(style.getPropertyValue(`border-${side}-color`)));
    if (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) colors.push(colorOf(style.outlineColor));
    if (backgroundImage !== 'none') {
      if (backgroundImage.includes('url(')) return true;
      colors.push(...gradientColors(backgroundImage));
    }
    return hasContrastingColor(colors, this.ground);
  }
}

/**
 * The outermost part whose background is under a widget, not in it.
 * @param {Part} part
 * @param {Rect} box
 */
function groundPartOf(part, box) {
  let around = /** @type {Part} */ (part.parent);
  for (let level = 0; level < MAX_NESTED_WIDGETS && around.parent && !isPageRoot(around.element); level++) {
    if (areaOf(rectOf(boundsOf(around.element))) > MAX_WIDGET_SHARE * areaOf(box)) break;
    around = around.parent;
  }
  return around;
}
