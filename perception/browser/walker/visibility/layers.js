// Layers: see-through surfaces that a widget stacks over its own picture, to paint on or to take the pointer.

import { matches } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { colorOf } from './colors.js';

/** What acts or says something itself, and so is not a mere surface. */
const OWN_SELECTOR = 'a, button, input, select, textarea, summary, iframe, img, video, label, [role], [aria-label]';

/**
 * Whether what is hit over a picture is a layer of it: a click on what the picture shows there is meant to land on it.
 * The caller makes sure that the picture's pixels are seen.
 * @param {Element} picture
 * @param {Element} hit
 */
export function isLayerOver(picture, hit) {
  const home = flatParentOf(picture);
  if (!home) return false;
  // Some libraries wrap each canvas of a stack.
  if (tagOf(hit) === 'canvas') return flatContains(flatParentOf(home) || home, hit);
  const isWidget = !/^(?:html|body)$/.test(tagOf(home));
  return isWidget && flatContains(home, hit) && !matches(hit, OWN_SELECTOR) && isSeeThrough(hit);
}

/** Whether it neither paints a background nor has text of its own. @param {Element} element */
function isSeeThrough(element) {
  if ([...element.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && /\S/.test(each.nodeValue || '')))
    return false;
  const style = getComputedStyle(element);
  const color = colorOf(style.backgroundColor);
  return style.backgroundImage === 'none' && Boolean(color && color[3] < 0.5);
}
