// Names as compilers and servers generate them, for those that no script in a page makes.
(() => {
  const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';

  /** A hash of what a compiler sees: the same for the same source, another one after a deployment. */
  globalThis.hashOf = (text, length, base = 36) => {
    let state = build * 2654435761;
    for (const sign of text) state = Math.imul(state ^ sign.charCodeAt(0), 16777619) >>> 0;
    let made = '';
    while (made.length < length) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      made += CHARACTERS[Math.floor((state / 4294967296) * base)];
    }
    return made;
  };

  /** Digits first, as in hexadecimal and base 36. */
  globalThis.hexOf = (text, length) => [...hashOf(text, length, 16)].map((sign) => '0123456789abcdef'[CHARACTERS.indexOf(sign)]).join('');

  /** A random id of this load. */
  globalThis.randomHex = (length) => Array.from({ length }, () => '0123456789abcdef'[anyNumber(16)]).join('');
  globalThis.uuid = () => [8, 4, 4, 4, 12].map(randomHex).join('-');
})();
