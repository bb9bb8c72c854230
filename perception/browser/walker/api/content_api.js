// Reads the content of this frame.

import { isEditingHost } from '../dom/elements.js';
import { nodeOf } from '../dom/node_numbers.js';
import { suspectedHosts } from '../dom/shadow_roots.js';
import { privacy } from '../privacy/private_content.js';
import { fillChildren } from '../tree/build.js';
import { changes, collectChanges } from '../tree/changes.js';
import { Part, partOf } from '../tree/part.js';
import { updatedTree } from '../tree/update.js';
import { ContentWalk } from '../content/content_walk.js';
import { CELL_ROLES } from '../content/markup.js';
import { rawHtml } from '../content/raw_html.js';
import { Reader } from '../content/reader.js';
import { documentTitle, encodeJson } from './encoding.js';

/** @import { ContentOptions } from '../content/field_reader.js' */

/**
 * Contents of text-editing fields, expanded for this walk only.
 * @param {Part} root
 * @returns {Part[]}
 */
function openEditors(root) {
  const editors = [];
  /** @type {Array<Part|Text>} */
  const stack = [root];
  while (stack.length) {
    const part = stack.pop();
    if (!(part instanceof Part)) continue;
    if (!part.walked && part.role === 'textbox' && isEditingHost(part.element)) {
      fillChildren(part);
      editors.push(part);
    }
    for (const child of part.children) stack.push(child);
  }
  return editors;
}

/**
 * The tag that must wrap the HTML of an item, a row or a row group; empty for none.
 * @param {Part} part
 * @returns {string}
 */
const requiredContainer = (part) =>
  part.role === 'listitem' ? 'ul' : part.role === 'row' || part.role === 'rowgroup' ? 'table' : '';

export const contentApi = {
  /** The document's HTML as it is now, without secrets, and where it is. */
  rawHtml: () => encodeJson({ url: location.href, html: rawHtml() }),

  /**
   * The content as a person reads it.
   * @param {number} number of the element to read, 0 for the whole document
   * @param {ContentOptions} options
   */
  content(number, options) {
    const dirty = collectChanges();
    privacy.revealed = false;
    const root = updatedTree(true);
    // The next walk must not reuse the results of the last one.
    if (dirty && root) changes.touched.add(root.element);
    const element = number ? nodeOf(number) : null;
    const answer = {
      url: location.href,
      title: documentTitle(),
      type: document.contentType,
      ready: document.readyState,
      gone: number !== 0 && element === null,
    };
    if (!root) return encodeJson({ ...answer, html: '', frames: [], cut: false, suspects: 0 });
    const editors = openEditors(root);
    const reader = new Reader(new ContentWalk().walk(root), options);
    const start = number ? element && partOf.get(element) : root;
    if (start) {
      const holder = number ? requiredContainer(start) : '';
      if (holder) reader.within(holder, '', () => reader.part(start));
      else if (number && CELL_ROLES[start.role]) reader.inside(start);
      else reader.part(start);
      reader.end();
    }
    for (const editor of editors) editor.children = [];
    return encodeJson({
      ...answer,
      html: reader.out.join(''),
      frames: reader.frames,
      cut: reader.cut,
      suspects: suspectedHosts.size,
    });
  },
};
