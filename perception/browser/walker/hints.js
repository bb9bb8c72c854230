// Hints: what helps to use a control, without being its name.

/** Icon fonts are used as `fa fa-trash`, `bi bi-x`, `fe fe-bell`: the family, then the family with the icon's name. */
const ICON_CLASS = /(?:^|\s)(?!btn\b)([a-z]{2,12})\s(?:.*\s)?\1-([a-z0-9-]+)|(?:^|\s)(?:icon|fa|mdi|lni)-([a-z0-9-]+)/;

/**
 * How a field is filled in; else what helps to tell a nameless control from another, without being its name.
 * @param {Element} element @param {string} role @param {boolean} nameless @returns {string}
 */
function hintOf(element, role, nameless) {
  const format = formatOf(element);
  if (format || !nameless) return format;
  for (const part of [element, ...allIn(element, 'i, span, svg, use')].slice(0, 8)) {
    const link = attr(part, 'href') || attr(part, 'xlink:href');
    if (link && link.includes('#') && tagOf(part) === 'use') return link.split('#').pop() || '';
    const found = ICON_CLASS.exec(attr(part, 'class') || '');
    if (found) return found[2] || found[3];
  }
  const link = tagOf(element) === 'a' ? attr(element, 'href') || '' : '';
  if (link.length > 1) return link.slice(0, 80);
  const spelled = attr(element, 'data-tooltip') || attr(element, 'data-original-title') || attr(element, 'name') || idOf(element);
  return spelled ? spelled.slice(0, 80) : '';
}

/** How the value of a field is written (HTML §2.3.5 and §4.10.5). @type {Record<string, string>} */
const FORMATS = { date: 'yyyy-mm-dd', 'datetime-local': 'yyyy-mm-ddThh:mm', month: 'yyyy-mm', time: 'hh:mm', week: 'yyyy-Www', color: '#rrggbb' };

/** What a field takes, named or not: format, range, pattern, kinds of files. @param {any} element @returns {string} empty for anything */
function formatOf(element) {
  if (tagOf(element) !== 'input') return '';
  const parts = FORMATS[element.type] ? [FORMATS[element.type]] : [];
  if (FORMATS[element.type] || element.type === 'number' || element.type === 'range') {
    const [least, most, step] = ['min', 'max', 'step'].map((name) => attr(element, name) || '');
    if (least || most) parts.push(`${least}…${most}`);
    if (step && step !== 'any') parts.push(`step ${step}`);
  } else if (element.type === 'file') parts.push(attr(element, 'accept') || '');
  else if (has(element, 'pattern') && /^(text|search|tel|url|email|password)$/.test(element.type)) parts.push(`/${attr(element, 'pattern')}/`);
  return parts.filter(Boolean).join(' ').slice(0, 80);
}
