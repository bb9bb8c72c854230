// Icon fonts: letters that a font draws as pictures, which nobody reads.

/** @import { Rect } from '../layout/rects.js' */

/** Common lists of fonts end with one of symbols: the first family alone counts. */
const ICON_FONTS = /icon|symbol|awesome|glyph/i;

/** What ligatures of icon fonts are written as: `home`, `arrow_back`, `wifi-off`. */
const ICON_WORD = /^[a-z0-9][a-z0-9_-]{1,39}$/i;

/** Whether a text may be a ligature of an icon font. @param {string} word */
export const isIconWord = (word) => ICON_WORD.test(word);

/** Letters of a word that is measured in a font whose name says nothing: shorter ones may be usual ligatures. */
const MIN_ICON_LETTERS = 4;

/** Width of a letter over the height of its box: the average of a usual word is 0.3 to 0.6, an icon is a square. */
const MAX_ICON_LETTER = 0.36;

/** Part of the width by which a ligature differs from its letters; kerning, and `fi`, make less than a tenth. */
const MIN_LIGATURE_DIFFERENCE = 0.3;

const MEASURED_PX = 100;
const MAX_MEASURED_WORDS = 2000;

/** By font and word. @type {Map<string, boolean>} */
const measuredWords = new Map();
document.fonts?.addEventListener('loadingdone', () => measuredWords.clear());

/** @type {OffscreenCanvasRenderingContext2D|null|undefined} */
let wordCanvas;

/**
 * Whether a text may be drawn as icons: by its letters, and its box where that is known.
 * @param {string} word
 * @param {Rect} box
 */
const mayBeIcon = (word, [left, top, right, bottom]) =>
  isIconWord(word) && (word.length < MIN_ICON_LETTERS || right - left < MAX_ICON_LETTER * word.length * (bottom - top));

/**
 * Whether the text of an element is drawn as an icon, to judge by its box first.
 * @param {string} text
 * @param {Rect} box
 * @param {Element} element
 */
export const isTextDrawnAsIcon = (text, box, element) =>
  mayBeIcon(text.trim(), box) && isDrawnAsIcons(text, getComputedStyle(element));

/**
 * Whether a text is drawn as icons: by a ligature, or in a font of icons that is there.
 * @param {string} text
 * @param {CSSStyleDeclaration} style
 */
export function isDrawnAsIcons(text, style) {
  const word = text.trim();
  const { fontFamily } = style;
  const isNamed = ICON_FONTS.test(firstFont(style));
  if (!isIconWord(word)) return isNamed;
  if (!isNamed && word.length < MIN_ICON_LETTERS) return false;
  const font = `${style.fontStyle} ${style.fontWeight} ${MEASURED_PX}px`;
  const key = `${font}\n${fontFamily}\n${word}`;
  let isDrawn = measuredWords.get(key);
  if (isDrawn === undefined) {
    if (measuredWords.size >= MAX_MEASURED_WORDS) measuredWords.clear();
    isDrawn = isLigature(word, `${font} ${fontFamily}`) || (isNamed && isFirstFontThere(word, font, fontFamily));
    measuredWords.set(key, isDrawn);
  }
  return isDrawn;
}

/** Whether names are without the words that are drawn as icons, and how many such words there were. */
const iconWords = { areLeftOut: false, count: 0 };

/**
 * A name without the words that are drawn as icons; with them where it has no others.
 * @param {() => string} name
 */
export function withoutIcons(name) {
  const { count } = iconWords;
  const whole = name();
  if (iconWords.count === count || iconWords.areLeftOut) return whole;
  iconWords.areLeftOut = true;
  try {
    return name() || whole;
  } finally {
    iconWords.areLeftOut = false;
  }
}

/**
 * Whether a name is to be without a text of an element, or of its pseudo-element.
 * @param {string} text
 * @param {Element} element
 * @param {'::before'|'::after'} [pseudo]
 */
export function leavesOut(text, element, pseudo) {
  if (!isIconWord(text.trim()) || !isDrawnAsIcons(text, getComputedStyle(element, pseudo))) return false;
  iconWords.count++;
  return iconWords.areLeftOut;
}

/** Whether a font has one glyph for a word. @param {string} word @param {string} font */
function isLigature(word, font) {
  const whole = drawnWidth(word, font);
  const apart = [...word].reduce((sum, letter) => sum + drawnWidth(letter, font), 0);
  return Math.abs(whole - apart) > MIN_LIGATURE_DIFFERENCE * Math.max(whole, apart);
}

/** Whether the first of the families is there: another one draws the word otherwise. @param {string} word @param {string} font @param {string} families */
const isFirstFontThere = (word, font, families) =>
  drawnWidth(word, `${font} ${families.split(',')[0]}, monospace`) !== drawnWidth(word, `${font} monospace`);

/**
 * Whether generated text is a single letter in another font than the words of its element: fonts of icons draw a picture
 * for it.
 * @param {Element} element
 * @param {CSSStyleDeclaration} style of the pseudo-element
 * @param {string} text
 */
export function isIconLetter(element, style, text) {
  if (!/^\s*[\p{L}\p{N}]\s*$/u.test(text)) return false;
  const own = firstFont(style);
  return own !== firstFont(getComputedStyle(element)) && !/mono|serif|system-ui/.test(own) && isLoadedFont(own);
}

/** @param {CSSStyleDeclaration} style */
const firstFont = ({ fontFamily }) => fontFamily.split(',')[0].replace(/["']/g, '').trim();

/** Whether the page brings a font along. @param {string} family */
function isLoadedFont(family) {
  for (const face of document.fonts)
    if (face.family.replace(/["']/g, '') === family && face.status === 'loaded') return true;
  return false;
}

/** @param {string} text @param {string} font */
function drawnWidth(text, font) {
  if (wordCanvas === undefined)
    wordCanvas = /** @type {OffscreenCanvasRenderingContext2D|null} */ (new OffscreenCanvas(1, 1).getContext('2d'));
  if (!wordCanvas) return 0;
  wordCanvas.font = font;
  return wordCanvas.measureText(text).width;
}
