// Content that Chromium leaves out while it is far from the viewport (`content-visibility: auto`, CSS Containment 2 §4.2).
//
// Until it is scrolled to, its element is as high as a placeholder (`contain-intrinsic-size`). Content below that is
// where no scrolling leads, and still comes into view with the element.

import { boundsOf } from '../dom/access.js';
import { flatChildrenOf } from '../dom/flat_tree.js';

/**
 * Whether the boxes in an element are left out now; null where there is none.
 * @param {Element} element
 * @returns {boolean|null}
 */
function hasUnpaintedBoxes(element) {
  for (const child of flatChildrenOf(element)) {
    if (!(child instanceof Element)) continue;
    if (Element.prototype.checkVisibility.call(child))
      return !Element.prototype.checkVisibility.call(child, { contentVisibilityAuto: true });
    const found = getComputedStyle(child).display === 'contents' ? hasUnpaintedBoxes(child) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Whether the content of an element is left out now. @param {Element} element with `content-visibility: auto` */
export function isLeftOut(element) {
  const { top, bottom } = boundsOf(element);
  return hasUnpaintedBoxes(element) ?? (bottom <= 0 || top >= innerHeight);
}

/** A height that goes by the content, or may: a share of what is as high as its own content. */
const BY_CONTENT = /^(auto|none|(min|max|fit)-content)|%/;

/** Whether an element is as high as its content. @param {Element} element */
export function growsWithContent(element) {
  const styles = Element.prototype.computedStyleMap.call(element);
  return ['height', 'max-height'].every((name) => BY_CONTENT.test(String(styles.get(name))));
}
