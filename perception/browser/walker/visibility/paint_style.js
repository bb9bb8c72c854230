// Paint style: whether text is painted so that a person sees it, as far as style determines it.
//
// Used only for text and its containers. What depends on positions (what is above or below a text) is in occlusion.js.

import { attr, idOf } from '../dom/access.js';
import { isSvg, tagOf } from '../dom/elements.js';
import { isStruckThrough, takesDecoration } from '../semantics/raised_text.js';
import { isContaining } from '../tree/part_style.js';
import { Part } from '../tree/part.js';
import { blendColors, colorDistance, colorOf, compositeOver, gradientColors } from './colors.js';
import { isFadingIn } from './fading.js';
import { filteredColor, isMaskedOut } from './masks.js';

/** @import { Color } from './colors.js' */

/**
 * Text that differs by less than this from its background is invisible, of 255: `#f0f0f0` on white differs by 15;
 * `#e0e0e0`, the lightest grey of common style sheets for readable text, by 31.
 */
const MIN_CONTRAST = 16;

/** Counts states of the page. Properties that may change unobserved are valid for one state only. */
export const paintState = { state: 1 };

/** A part's paint style. `lost`: nothing in it is painted. */
export class PaintStyle {
  /** @param {Part} part @param {PaintStyle|null} above the container's */
  constructor(part, above) {
    this.state = paintState.state;
    /**
     * It is valid until the part or an ancestor is restyled: it depends on no position, animation or other document.
     * @type {boolean}
     */
    this.permanent = (above ? above.permanent : !isFramed()) && part.opacity >= 0.5;
    /** @type {boolean} */
    this.invisible = above !== null && above.invisible;
    /** @type {string} */
    this.blend = above ? above.blend : '';
    /** The color that a filter turns every color into. @type {Color|null} */
    this.flat = above ? above.flat : null;
    /** The background of its text, as far as its containers paint it in one color. @type {Color} */
    this.ground = above ? above.ground : canvasColor();
    /**
     * A background is painted there. The bare canvas does not blend (Chromium 156).
     * @type {boolean}
     */
    this.based = above !== null && above.based;
    this.of = part;
    /** `super` or `sub`, if it stands so in its line. @type {string} */
    this.verticalAlign = '';
    /** Its style, or that of what it flows in, draws a line through its text. @type {boolean} */
    this.struck = false;
    /**
     * Paint styles shared by children that look the same, as far as selectors do not count: valid in the state
     * `sharing`.
     * @type {Map<string, PaintStyle>|null}
     */
    this.alike = null;
    this.sharing = 0;
    /** Whether its own text is visible; undefined until computed. @type {boolean|undefined} */
    this.shows = undefined;
    /** What is rendered of white space in its source (CSS Text 4, 3.1); empty until asked. @type {string} */
    this.whiteSpace = '';
    if (this.invisible) return;
    const style = getComputedStyle(part.element);
    const { filter } = style;
    if (part.display.startsWith('inline')) this.verticalAlign = style.verticalAlign;
    this.struck = isStruckThrough(style) || (above !== null && above.struck && takesDecoration(style));
    this.invisible = isMaskedOut(style, filter, part, this);
    if (filter !== 'none') this.flat = filteredColor(filter) || this.flat;
    if (style.mixBlendMode !== 'normal') this.blend = style.mixBlendMode;
    const own = colorOf(style.backgroundColor);
    if (own !== null && own[3] > 0) this.addGround(own);
    const { backgroundImage } = style;
    if (backgroundImage !== 'none' && !backgroundImage.includes('url(')) {
      const [first, ...others] = gradientColors(backgroundImage);
      if (first && others.every((other) => other !== null && colorDistance(first, other) < MIN_CONTRAST))
        this.addGround(first);
    }
    if (part.position !== 'static' && parseInt(style.zIndex, 10) < 0 && isPaintedBehindParent(part))
      this.invisible = true;
  }

  /** @param {Color} color painted behind its text */
  addGround(color) {
    this.ground = compositeOver(color, this.ground);
    this.based = true;
    if (this.flat) this.invisible = true; // its text has the color of its background
  }
}

/** What is rendered of white space in its source: `collapse`, `preserve`, `preserve-breaks`. @param {Part} part */
function renderedSpace(part) {
  const style = paintStyleOf(part);
  return (style.whiteSpace ||= getComputedStyle(part.element).whiteSpaceCollapse);
}

/** Whether line breaks in its source are rendered. @param {Part} part */
export const keepsLines = (part) => renderedSpace(part) !== 'collapse';

/** Whether spaces at the start of a line are rendered. @param {Part} part */
export const keepsIndents = (part) => !/^(collapse|preserve-breaks)$/.test(renderedSpace(part));

/** Whether it is painted behind its container, whose background hides it. @param {Part} part */
function isPaintedBehindParent(part) {
  for (let above = part.parent; above && above.parent && above.element !== document.body; above = above.parent) {
    const style = getComputedStyle(above.element);
    const ranked = above.position !== 'static' && style.zIndex !== 'auto';
    // A stacking context keeps it in front of its own background (CSS 2.2, appendix E).
    if (
      ranked ||
      above.ownOpacity !== '1' ||
      above.position === 'fixed' ||
      above.position === 'sticky' ||
      style.isolation === 'isolate' ||
      isContaining(above)
    )
      return false;
    const color = colorOf(style.backgroundColor);
    if (color && color[3] >= 0.95) return true;
  }
  return false;
}

/**
 * How many parts are read individually in a state of the page; after that, similar parts share a result. Reading takes
 * eight properties, about 8 µs.
 */
const ASKED_ONE_BY_ONE = 40;

const asking = { state: 0, asked: 0 };

/**
 * @param {Part} part
 * @returns {PaintStyle} its own, or that of a sibling with the same tag, class, id and style
 */
export function paintStyleOf(part) {
  const known = part.paintStyle;
  if (known && (known.permanent || known.state === paintState.state)) return known;
  if (asking.state !== paintState.state) {
    asking.state = paintState.state;
    asking.asked = 0;
  }
  const above = part.parent ? paintStyleOf(part.parent) : null;
  if (above === null) return (part.paintStyle = new PaintStyle(part, above));
  if (above.alike === null || above.sharing !== paintState.state) {
    above.alike = new Map();
    above.sharing = paintState.state;
  }
  const { element, tag, ownOpacity } = part;
  const looks = `${tag} ${ownOpacity} ${attr(element, 'class') || ''}|${idOf(element)}|${attr(element, 'style') || ''}`;
  let ink = above.alike.get(looks);
  if (ink === undefined || asking.asked < ASKED_ONE_BY_ONE) {
    asking.asked++;
    ink = new PaintStyle(part, above);
    above.alike.set(looks, ink);
  }
  return (part.paintStyle = ink);
}

/** Drops the paint style of a part and its content, which have been restyled. @param {Part} part */
export function forgetPaintStyle(part) {
  part.paintStyle = null;
  for (const child of part.children) if (child instanceof Part) forgetPaintStyle(child);
}

/** The canvas color: white, but near black in a dark scheme (Chromium 156). @returns {Color} */
export function canvasColor() {
  const root = document.documentElement;
  const own = root ? getComputedStyle(root).colorScheme : 'normal';
  const meta = own === 'normal' ? document.querySelector('meta[name="color-scheme" i]') : null;
  const scheme = meta ? (attr(meta, 'content') || '').toLowerCase() : own;
  const dark =
    scheme.includes('dark') && (!scheme.includes('light') || matchMedia('(prefers-color-scheme: dark)').matches);
  return dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
}

/**
 * Whether a part's text is visible, by its color and its background.
 * @param {Part} part
 */
export function showsText(part) {
  const ink = paintStyleOf(part);
  if (ink.shows === undefined && isTextVisible(part, ink)) ink.shows = true;
  if (ink.shows) return true;
  // A shared result may be wrong for this part: it is read individually before it is removed.
  const own = ownPaintStyleOf(part);
  return own.shows === undefined ? (own.shows = isTextVisible(part, own)) : own.shows;
}

/**
 * Whether the text that a text field shows contrasts with its background: its value or, if it is empty, its placeholder.
 * @param {Part} part a field whose text is its own
 */
export function showsFieldText(part) {
  if (/** @type {HTMLInputElement} */ (part.element).value) return showsText(part);
  const style = getComputedStyle(part.element, '::placeholder');
  const fill = colorOf(style.webkitTextFillColor);
  return fill === null || (parseFloat(style.opacity) >= 0.05 && colorContrasts(fill, part));
}

/** Combines the paint styles of a part and its ancestors. @param {Part} part @returns {PaintStyle} */
function ownPaintStyleOf(part) {
  const known = part.paintStyle;
  if (known && (known.permanent || known.state === paintState.state) && known.of === part) return known;
  return (part.paintStyle = new PaintStyle(part, part.parent && ownPaintStyleOf(part.parent)));
}

/** @param {Part} part @param {PaintStyle} ink the part's */
const isTextVisible = (part, ink) =>
  !ink.invisible &&
  getComputedStyle(part.element).fontSize !== '0px' &&
  (contrastsWithGround(part, ink) || isVisibleOtherwise(part, ink));

/** @param {Part} part @param {PaintStyle} ink */
function contrastsWithGround(part, ink) {
  const style = getComputedStyle(part.element);
  // The text's fill, by default its color; a drawing has a fill of its own.
  const written = isSvg(part.element) && tagOf(part.element) !== 'svg' ? style.fill : style.webkitTextFillColor;
  if (written === 'none') return style.stroke !== 'none';
  const fill = colorOf(written);
  if (fill === null) return true;
  const painted = ink.flat ? /** @type {Color} */ ([ink.flat[0], ink.flat[1], ink.flat[2], fill[3]]) : fill;
  const shown = ink.blend && ink.based ? blendColors(painted, ink.ground, ink.blend) : painted;
  const full = colorDistance(shown, ink.ground) * fill[3];
  return full * part.opacity >= MIN_CONTRAST || (full >= MIN_CONTRAST && part.opacity < 0.5 && isFadingIn(part));
}

/**
 * @param {Color} fill
 * @param {Part} part whose background is plain, or not known to have the same color
 */
export const colorContrasts = (fill, part) =>
  colorDistance(fill, paintStyleOf(part).ground) * fill[3] >= MIN_CONTRAST ||
  isVisibleOtherwise(part, paintStyleOf(part));

/**
 * Whether text in the color of its background may be visible after all: by its shadow or outline, by the background
 * clipped to its letters, or because there is a picture behind it. When in doubt it is visible, and its pixels decide.
 * @param {Part} part
 * @param {PaintStyle} ink
 */
function isVisibleOtherwise(part, ink) {
  const style = getComputedStyle(part.element);
  if (
    part.opacity >= 0.05 &&
    style.textShadow !== 'none' &&
    hasContrastingColor(gradientColors(style.textShadow), ink.ground)
  )
    return true;
  if (
    parseFloat(style.webkitTextStrokeWidth) > 0 &&
    hasContrastingColor([colorOf(style.webkitTextStrokeColor)], ink.ground)
  )
    return true;
  if (part.opacity < 0.05) return false;
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
    const own = getComputedStyle(each.element);
    const image = own.backgroundImage;
    if (own.backgroundClip.includes('text')) {
      const ground = each.parent ? paintStyleOf(each.parent).ground : canvasColor();
      const paint = image === 'none' ? [colorOf(own.backgroundColor)] : gradientColors(image);
      return image.includes('url(') || hasContrastingColor(paint, ground);
    }
    if (image !== 'none' && (image.includes('url(') || hasContrastingColor(gradientColors(image), ink.ground)))
      return true;
    if (own.boxShadow.includes('inset') || paintsAround(each.element)) return true;
    const color = colorOf(own.backgroundColor);
    if (color === null) return true;
    if (color[3] >= 1) return false;
    if (!each.parent && isFramed()) return frameGroundDiffers(ink.ground);
  }
  return false;
}

/**
 * @param {Array<Color|null>} paint
 * @param {Color} ground
 * @returns {boolean} whether any of it is visible on the ground
 */
export const hasContrastingColor = (paint, ground) =>
  paint.some((color) => color === null || colorDistance(color, ground) * color[3] >= MIN_CONTRAST);

/** Whether its generated content paints a background of its own. @param {Element} element */
export const paintsAround = (element) =>
  ['::before', '::after'].some((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    if (style.content === 'none' || style.content === 'normal') return false;
    const color = colorOf(style.backgroundColor);
    return style.backgroundImage !== 'none' || color === null || color[3] > 0.05;
  });

/** Whether this document is embedded in another, whose background may show through. */
const isFramed = () => window !== window.parent;

/**
 * Whether the page around a frame has another background than this; true also if that cannot be read.
 * @param {Color} ground
 */
function frameGroundDiffers(ground) {
  /** @type {Element|null} */
  let around = null;
  try {
    around = window.frameElement;
  } catch {
    return true;
  }
  if (!around) return true;
  // Of another document, whose elements are not instances of this one's classes.
  for (let node = /** @type {any} */ (around); node && node.nodeType === Node.ELEMENT_NODE; node = node.parentNode) {
    const style = getComputedStyle(node);
    const color = colorOf(style.backgroundColor);
    if (style.backgroundImage !== 'none' || color === null) return true;
    if (color[3] >= 1) return colorDistance(color, ground) >= MIN_CONTRAST;
    if (color[3] > 0) return true;
  }
  return false;
}
