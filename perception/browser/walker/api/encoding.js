// Shared by all answers to the service: JSON encoding and the page's location.

/**
 * Encodes JSON that every decoder accepts: a lone surrogate, which pages do contain, becomes U+FFFD. JSON.stringify
 * writes it as an escape and uses few other escapes.
 * @param {any} value
 */
export function encodeJson(value) {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part));
}

/** Longest title in characters, the same limit as Chromium's for a tab. A longer title would fill every answer. */
const MAX_TITLE = 4096;
export const documentTitle = () => document.title.slice(0, MAX_TITLE);

/** Longest language tag in characters: RFC 5646 asks for room for 35. */
const MAX_TAG = 35;

/** What the document says its language is, such as `ar-EG`; empty for nothing. */
export const documentLanguage = () => (document.documentElement?.getAttribute('lang') ?? '').slice(0, MAX_TAG);
