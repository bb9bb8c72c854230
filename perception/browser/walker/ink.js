// Ink: whether what is written is painted so that a person sees it, as far as style tells.
//
// Asked only of text, and of what holds it. What depends on places (what lies over a text, or under it) is in covers.js.

/** Text that differs less than this from what is behind it is not seen, of 255: `#f0f0f0` on white is 15 away, the lightest
 * grey of common style sheets for what can be read after all, `#e0e0e0`, 31. */
const FAINT = 16;

/** What takes longer than this to be seen is not there for now (ms). */
const SOON = 5000;

/** Counts states of the page: what of ink may change without a trace in its own element does not hold in the next. */
let inking = 1;

/** What style says of a part's ink. `lost`: nothing in it is painted. */
class Ink {
  /** @param {Part} part @param {Ink|null} above of what holds it */
  constructor(part, above) {
    this.state = inking;
    /** It holds until the part, or what holds it, is styled anew: it hangs on no place, no animation and no other document. @type {boolean} */
    this.lasts = (above ? above.lasts : !isFramed()) && part.opacity >= 0.5;
    /** @type {boolean} */
    this.lost = above !== null && above.lost;
    /** @type {string} */
    this.blend = above ? above.blend : '';
    /** What a filter makes of every colour in it. @type {Colour|null} */
    this.flat = above ? above.flat : null;
    /** What is behind its text, as far as what holds it paints it plainly. @type {Colour} */
    this.ground = above ? above.ground : canvasColour();
    /** Something is painted there, and not the bare canvas, which blends with nothing (Chromium 156). @type {boolean} */
    this.based = above !== null && above.based;
    this.of = part;
    /** What is in it and looks the same has the same ink, as far as selectors do not count: in the state `sharing`. @type {Map<string, Ink>|null} */
    this.alike = null;
    this.sharing = 0;
    /** Whether its own text shows; undefined until somebody asks. @type {boolean|undefined} */
    this.shows = undefined;
    if (this.lost) return;
    const style = getComputedStyle(part.element);
    const { filter } = style;
    this.lost = isMaskedOut(style, filter, part, this);
    if (filter !== 'none') this.flat = flattened(filter) || this.flat;
    if (style.mixBlendMode !== 'normal') this.blend = style.mixBlendMode;
    const own = colourOf(style.backgroundColor);
    if (own !== null && own[3] > 0) this.lay(own);
    const { backgroundImage } = style;
    if (backgroundImage !== 'none' && !backgroundImage.includes('url(')) {
      const [first, ...others] = gradientColours(backgroundImage);
      if (first && others.every((other) => other !== null && apart(first, other) < FAINT)) this.lay(first);
    }
    if (part.position !== 'static' && parseInt(style.zIndex, 10) < 0 && isSunk(part)) this.lost = true;
  }

  /** @param {Colour} colour paints behind its text */
  lay(colour) {
    this.ground = laidOn(colour, this.ground);
    this.based = true;
    if (this.flat) this.lost = true; // its text has the colour of its ground
  }
}

/** It is painted behind what holds it, by the ground of which it is hidden. @param {Part} part */
function isSunk(part) {
  for (let above = part.parent; above && above.parent && above.element !== document.body; above = above.parent) {
    const style = getComputedStyle(above.element);
    const ranked = above.position !== 'static' && style.zIndex !== 'auto';
    // A stacking context keeps it before its own ground (CSS 2.2, appendix E).
    if (ranked || above.ownOpacity !== '1' || above.position === 'fixed' || above.position === 'sticky' || style.isolation === 'isolate' || isContaining(above)) return false;
    const colour = colourOf(style.backgroundColor);
    if (colour && colour[3] >= 0.95) return true;
  }
  return false;
}

/** So many parts are asked one by one in a state of the page; then those that look alike stand for each other. Asking takes
 * eight properties, about 8 µs. */
const ASKED_ONE_BY_ONE = 40;

const asking = { state: 0, asked: 0 };

/** @param {Part} part @returns {Ink} its own, or that of one beside it that has the same tag, class, id and style */
function inkOf(part) {
  const known = part.ink;
  if (known && (known.lasts || known.state === inking)) return known;
  if (asking.state !== inking) { asking.state = inking; asking.asked = 0; }
  const above = part.parent ? inkOf(part.parent) : null;
  if (above === null) return (part.ink = new Ink(part, above));
  if (above.alike === null || above.sharing !== inking) { above.alike = new Map(); above.sharing = inking; }
  const { element, tag, ownOpacity } = part;
  const looks = `${tag} ${ownOpacity} ${attr(element, 'class') || ''}|${idOf(element)}|${attr(element, 'style') || ''}`;
  let ink = above.alike.get(looks);
  if (ink === undefined || asking.asked < ASKED_ONE_BY_ONE) {
    asking.asked++;
    ink = new Ink(part, above);
    above.alike.set(looks, ink);
  }
  return (part.ink = ink);
}

/** Forgets the ink of a part and of all in it: it is styled otherwise now. @param {Part} part */
function forgetInk(part) {
  part.ink = null;
  for (const child of part.children) if (child instanceof Part) forgetInk(child);
}

/** Whether filters, masks or clips leave nothing of what is in an element. @param {CSSStyleDeclaration} style @param {string} filter its own @param {Part} part @param {Ink} ink */
function isMaskedOut(style, filter, part, ink) {
  const { clipPath, maskImage } = style;
  if (clipPath !== 'none') ink.lasts = false; // shares of its box, which may get another size
  return (clipPath !== 'none' && isCutOut(clipPath, part.element)) || (filter !== 'none' && isFilteredOut(filter)) ||
    (maskImage !== 'none' && isClearGradient(maskImage)) || (style.backfaceVisibility === 'hidden' && isTurnedAway(part));
}

/** Whether a clip path leaves nothing (CSS Shapes 1 §3, CSS Masking 1 §3.5). @param {string} path as computed @param {Element} element */
function isCutOut(path, element) {
  const box = boundsOf(element);
  const length = (/** @type {string} */ written, /** @type {number} */ whole) => (written.endsWith('%') ? parseFloat(written) / 100 * whole : parseFloat(written));
  const [, shape, inside] = /^([a-z]+)\((.*)\)/.exec(path) || [];
  if (shape === 'inset' || shape === 'rect' || shape === 'xywh') {
    const sides = inside.split(' round ')[0].split(/\s+/);
    if (sides.some((side) => !/^-?[\d.]+(px|%)?$/.test(side))) return false;
    const [top, right = top, bottom = top, left = right] = sides;
    if (shape === 'inset') return length(left, box.width) + length(right, box.width) > box.width - 2 || length(top, box.height) + length(bottom, box.height) > box.height - 2;
    if (shape === 'xywh') return length(bottom, box.width) < 2 || length(left, box.height) < 2;
    return length(right, box.width) - length(left, box.width) < 2 || length(bottom, box.height) - length(top, box.height) < 2;
  }
  if (shape === 'circle' || shape === 'ellipse') {
    const radii = inside.split(/\s*at /)[0].trim().split(/\s+/).filter((radius) => /^[\d.]+(px|%)$/.test(radius));
    return radii.some((radius) => length(radius, Math.min(box.width, box.height)) < 1);
  }
  if (shape === 'polygon') {
    const points = inside.replace(/^(nonzero|evenodd),\s*/, '').split(/,\s*/).map((point) => point.trim().split(/\s+/));
    if (points.some((point) => point.length !== 2 || point.some((each) => !/^-?[\d.]+(px|%)?$/.test(each)))) return false;
    const places = points.map(([x, y]) => [length(x, box.width), length(y, box.height)]);
    const area = places.reduce((sum, [x, y], i) => { const [nextX, nextY] = places[(i + 1) % places.length]; return sum + x * nextY - nextX * y; }, 0) / 2;
    return Math.abs(area) < 4 || places.every(([x]) => x <= 0) || places.every(([x]) => x >= box.width) || places.every(([, y]) => y <= 0) || places.every(([, y]) => y >= box.height);
  }
  return false;
}

/** A blur beyond this leaves no letters: as wide as those of usual text are high (CSS px). */
const BLURRED = 8;

/** Whether filters leave nothing to read (Filter Effects 1 §6.1). @param {string} filter as computed */
function isFilteredOut(filter) {
  for (const [, name, amount] of filter.matchAll(/([a-z-]+)\(([^()]*)\)/g)) {
    const number = parseFloat(amount);
    if (name === 'opacity' && number < 0.05) return true;
    if (name === 'blur' && number >= BLURRED) return true;
  }
  return false;
}

/** The one colour that filters leave of all, if they do. @param {string} filter as computed @returns {Colour|null} */
function flattened(filter) {
  const [, name = ''] = /(contrast|brightness)\(0?(?:\.0\d*)?%?\)/.exec(filter) || [];
  return name === 'contrast' ? [128, 128, 128, 1] : name === 'brightness' ? [0, 0, 0, 1] : null;
}

/** Every colour of a gradient is transparent; not so for pictures. @param {string} image as computed */
const isClearGradient = (image) => image.includes('gradient(') && !image.includes('url(') && gradientColours(image).every((colour) => colour !== null && colour[3] < 0.05);

/** @param {string} image as computed @returns {Array<Colour|null>} */
const gradientColours = (image) => (image.match(/(?:rgba?|color|oklab|oklch|lab|lch|hsla?|hwb)\([^()]*\)/g) || []).map(colourOf);

/** Its back is turned to the person, and is not painted (CSS Transforms 2 §7). @param {Part} part */
function isTurnedAway(part) {
  let matrix = new DOMMatrix();
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
    const style = getComputedStyle(each.element);
    if (each !== part && style.transformStyle !== 'preserve-3d') break;
    if (style.rotate !== 'none') matrix = new DOMMatrix(rotationOf(style.rotate)).multiply(matrix);
    if (style.transform !== 'none') matrix = new DOMMatrix(style.transform).multiply(matrix);
  }
  return matrix.m33 < 0;
}

/** `rotate: y 180deg` as a transform. @param {string} rotate as computed */
function rotationOf(rotate) {
  const [, axis = 'z', angle = '0deg'] = /^(?:(.*) )?(\S+)$/.exec(rotate) || [];
  const vector = { x: '1, 0, 0', y: '0, 1, 0', z: '0, 0, 1' }[axis] || axis.split(' ').join(', ');
  return `rotate3d(${vector}, ${angle})`;
}

/** What shows where nothing is painted: white, but near black in a dark scheme (Chromium 156). @returns {Colour} */
function canvasColour() {
  const root = document.documentElement;
  const own = root ? getComputedStyle(root).colorScheme : 'normal';
  const meta = own === 'normal' ? document.querySelector('meta[name="color-scheme" i]') : null;
  const scheme = meta ? (attr(meta, 'content') || '').toLowerCase() : own;
  const dark = scheme.includes('dark') && (!scheme.includes('light') || matchMedia('(prefers-color-scheme: dark)').matches);
  return dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
}

/**
 * Whether text that stands in a part shows, going by its colour and what paints behind it.
 * @param {Part} part
 */
function showsText(part) {
  const ink = inkOf(part);
  if (ink.shows === undefined && isShown(part, ink)) ink.shows = true;
  if (ink.shows) return true;
  // What hides another may not hide this one: each is asked itself before it is struck out.
  const own = inkAlone(part);
  return own.shows === undefined ? (own.shows = isShown(part, own)) : own.shows;
}

/** A part's own ink, and that of all that holds it. @param {Part} part @returns {Ink} */
function inkAlone(part) {
  const known = part.ink;
  if (known && (known.lasts || known.state === inking) && known.of === part) return known;
  return (part.ink = new Ink(part, part.parent && inkAlone(part.parent)));
}

/** @param {Part} part @param {Ink} ink its own */
const isShown = (part, ink) => !ink.lost && (differs(part, ink) || showsOtherwise(part, ink));

/** @param {Part} part @param {Ink} ink */
function differs(part, ink) {
  const style = getComputedStyle(part.element);
  // What text is filled with, which is its colour where nothing else is said; a drawing's has its own.
  const written = isDrawn(part.element) && tagOf(part.element) !== 'svg' ? style.fill : style.webkitTextFillColor;
  if (written === 'none') return style.stroke !== 'none';
  const fill = colourOf(written);
  if (fill === null) return true;
  const painted = ink.flat ? /** @type {Colour} */ ([ink.flat[0], ink.flat[1], ink.flat[2], fill[3]]) : fill;
  const shown = ink.blend && ink.based ? blended(painted, ink.ground, ink.blend) : painted;
  const full = apart(shown, ink.ground) * fill[3];
  return full * part.opacity >= FAINT || (full >= FAINT && part.opacity < 0.5 && isEmerging(part));
}

/** @param {Colour} fill @param {Part} part whose ground is plain, or it is not known to be of the same colour */
const differsFrom = (fill, part) => apart(fill, inkOf(part).ground) * fill[3] >= FAINT || showsOtherwise(part, inkOf(part));

/** A text that its colour does not show may be seen by its shadow or outline, by what its letters are cut out of, or since
 * there is a picture behind it. When in doubt it is seen: then pixels tell. @param {Part} part @param {Ink} ink */
function showsOtherwise(part, ink) {
  const style = getComputedStyle(part.element);
  if (part.opacity >= 0.05 && style.textShadow !== 'none' && hasOther(gradientColours(style.textShadow), ink.ground)) return true;
  if (parseFloat(style.webkitTextStrokeWidth) > 0 && hasOther([colourOf(style.webkitTextStrokeColor)], ink.ground)) return true;
  if (part.opacity < 0.05) return false;
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
    const own = getComputedStyle(each.element);
    const image = own.backgroundImage;
    if (own.backgroundClip.includes('text')) {
      const ground = each.parent ? inkOf(each.parent).ground : canvasColour();
      const paint = image === 'none' ? [colourOf(own.backgroundColor)] : gradientColours(image);
      return image.includes('url(') || hasOther(paint, ground);
    }
    if (image !== 'none' && (image.includes('url(') || hasOther(gradientColours(image), ink.ground))) return true;
    if (own.boxShadow.includes('inset') || paintsAround(each.element)) return true;
    const colour = colourOf(own.backgroundColor);
    if (colour === null) return true;
    if (colour[3] >= 1) return false;
    if (!each.parent && isFramed()) return framedOn(ink.ground);
  }
  return false;
}

/** @param {Array<Colour|null>} paint @param {Colour} ground @returns {boolean} whether any of it shows on the ground */
const hasOther = (paint, ground) => paint.some((colour) => colour === null || apart(colour, ground) * colour[3] >= FAINT);

/** Its generated content paints a ground of its own. @param {Element} element */
const paintsAround = (element) => ['::before', '::after'].some((pseudo) => {
  const style = getComputedStyle(element, pseudo);
  if (style.content === 'none' || style.content === 'normal') return false;
  const colour = colourOf(style.backgroundColor);
  return style.backgroundImage !== 'none' || colour === null || colour[3] > 0.05;
});

/** This document stands in another one, whose ground may show through. */
const isFramed = () => window !== window.parent;

/** Whether the page around a frame has another ground than this; also where it must not be asked. @param {Colour} ground */
function framedOn(ground) {
  /** @type {Element|null} */
  let around = null;
  try { around = window.frameElement; } catch { return true; }
  if (!around) return true;
  // Of another document, whose elements are none of this one's.
  for (let node = /** @type {any} */ (around); node && node.nodeType === Node.ELEMENT_NODE; node = node.parentNode) {
    const style = getComputedStyle(node);
    const colour = colourOf(style.backgroundColor);
    if (style.backgroundImage !== 'none' || colour === null) return true;
    if (colour[3] >= 1) return apart(colour, ground) >= FAINT;
    if (colour[3] > 0) return true;
  }
  return false;
}

/** Whether anything moves at all, as found in a look. */
const fading = { look: -1, any: false };

/** What is transparent now is being faded in, and will be seen soon. @param {Part} part */
function isEmerging(part) {
  if (fading.look !== looks) { fading.look = looks; fading.any = running().length > 0; }
  if (!fading.any) return false;
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
    if (parseFloat(each.ownOpacity) < 0.5 && !each.element.getAnimations().some(endsShown)) return false;
  }
  return true;
}

/** @param {Animation} animation @returns {boolean} whether it ends soon, in something that can be seen */
function endsShown(animation) {
  const effect = animation.effect;
  if (animation.playState !== 'running' || !(effect instanceof KeyframeEffect)) return false;
  const { endTime } = effect.getComputedTiming();
  const left = (Number(endTime) - Number(animation.currentTime || 0)) / Math.abs(animation.playbackRate || 1);
  const frames = effect.getKeyframes();
  const last = frames[animation.playbackRate < 0 ? 0 : frames.length - 1];
  return left <= SOON && last !== undefined && last.opacity !== undefined && parseFloat(String(last.opacity)) >= 0.1;
}
