// Text: one clean line from the page's text.

/** What holds text that does not belong to the page's words, or that a person writes. */
export const UNREAD_TEXTS = 'script, style, noscript, template, option, textarea';

/** Icon fonts use the private use areas: such a glyph is a picture, not a word. */
const ICON_GLYPHS = /[\u{e000}-\u{f8ff}\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]/gu;

/** @param {string} text */
export const isIconGlyph = (text) => [...text].length === 1 && text.replace(ICON_GLYPHS, '') === '';

/**
 * Characters meant only for programs: invisible tag characters, and zero-width marks in numbers that no word has,
 * joiners and variation selectors included (Unicode 16, 23.2, 23.9).
 */
const INVISIBLE_MARKS =
  /[\u{e0000}-\u{e0fff}]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f\u180b-\u180e\u034f\u061c]{3,}/gu;

/** Characters without a width that join nothing: break opportunities and byte order marks. */
const ZERO_WIDTH = /[\u200b\u2060\ufeff]/g;

/** Joiners that have nothing to join. */
const LOOSE_JOINERS = /(?<=^|\s)[\u200c\u200d]+|[\u200c\u200d]+(?=\s|$)/g;

/** Whether a text takes no room in its line: it neither shows anything nor parts words. @param {string} text */
export const isZeroWidth = (text) => /^[\u200b-\u200d\u2060\ufeff]+$/.test(text);

/** Needs no cleaning: ASCII words with single spaces between them. */
const CLEAN = /^[!-~]+(?: [!-~]+)*$/;

/** Has neither glyphs nor marks: all characters are Latin-1. */
const LATIN_1 = /^[\0-\u00ff]*$/;

/** @param {string} text @returns {string} one line, without icon glyphs and hidden characters */
export const cleanText = (text) =>
  text.length < 80 && CLEAN.test(text)
    ? text
    : (LATIN_1.test(text) ? text : withoutHidden(text).replace(LOOSE_JOINERS, '')).replace(/\s+/g, ' ').trim();

/** @param {string} text */
const withoutHidden = (text) => text.replace(ICON_GLYPHS, ' ').replace(INVISIBLE_MARKS, '').replace(ZERO_WIDTH, '');

/** A line break that is rendered, in text whose white space is not clean yet. */
export const LINE_BREAK = '\u2028';

/**
 * The lines of a text, each without icon glyphs and hidden characters; none is empty. They are indented as far as
 * they are beyond the first.
 * @param {string} text
 */
export const cleanLines = (text) => {
  if (!text.includes(LINE_BREAK)) return cleanText(text);
  const lines = text.split(LINE_BREAK).filter((line) => cleanText(line));
  const [first = ''] = lines.map(indentOf);
  return lines
    .map((line) => {
      const indent = indentOf(line);
      return (indent.startsWith(first) ? indent.slice(first.length) : '') + cleanText(line);
    })
    .join('\n');
};

/** The spaces and tabs at the start of a line. @param {string} line */
const indentOf = (line) => line.slice(0, line.search(/[^ \t]/));

/** @param {string|null|undefined} text */
export const isBlank = (text) => !text || !/\S/.test(text);

/** Removes icon glyphs, hidden characters and invalid characters. @param {string} text */
export const readableText = (text) =>
  (LATIN_1.test(text) ? text : withoutHidden(text)).replace(/[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/g, '');
