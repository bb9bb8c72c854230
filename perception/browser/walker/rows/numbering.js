// Numbers rows that share role and name.

import { listedRole } from '../semantics/listed_names.js';
import { namePart } from '../tree/build.js';
import { Part } from '../tree/part.js';

/** Counts changes of roles, names and tree positions. Numbers from before a change are invalid. */
export const nameState = { state: 1 };

/**
 * Numbers parts that share role and name, from 0, in the order of the painted tree, up to the last wanted part.
 * @param {Part} root
 * @param {Part[]} wanted in that order
 */
export function assignNth(root, wanted) {
  if (wanted.every((part) => part.numbered === nameState.state)) return;
  const end = wanted[wanted.length - 1];
  /** @type {Map<string, number>} */
  const seen = new Map();
  /** @type {Array<Part|Text>} */
  const stack = [root];
  while (stack.length) {
    const part = stack.pop();
    if (!(part instanceof Part)) continue;
    if (part.listed) {
      const key = `${listedRole(part)} ${namePart(part)}`;
      const before = seen.get(key) || 0;
      part.nth = before;
      part.numbered = nameState.state;
      seen.set(key, before + 1);
    }
    if (part === end) return;
    for (let i = part.children.length - 1; i >= 0; i--) stack.push(part.children[i]);
  }
}
