// States and values: what is checked, expanded, disabled, typed.

/** Current value in the page's own words: see secrets.js for whether it may be told; a password never may. @param {any} element @param {string} role */
function valueOf(element, role) {
  const tag = tagOf(element);
  if (tag === 'input') {
    if (/^(button|submit|reset|image|checkbox|radio|hidden|password)$/.test(element.type)) return '';
    if (element.type === 'file') return [...element.files].map((file) => file.name).join(', ');
    return element.value;
  }
  if (tag === 'textarea') return element.value;
  if (tag === 'select') return [...element.selectedOptions].map((option) => tidy(option.label)).join(', ');
  if (tag === 'progress' || tag === 'meter') return has(element, 'value') ? String(element.value) : '';
  if (isEditingHost(element)) return tidy(element.innerText || '');
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'scrollbar' || role === 'meter') {
    return attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow') || '';
  }
  return '';
}

/** @param {Element} element */
const isDisabled = (element) => fits(element, ':disabled') || Boolean(closestTo(element, '[aria-disabled=true]')) || Boolean(closestTo(element, '[inert]'));

/** @param {any} element @param {string} role @param {Element|null} focused @returns {string[]} */
function statesOf(element, role, focused) {
  const states = [];
  const aria = (/** @type {string} */ name) => attr(element, `aria-${name}`);
  if (isDisabled(element)) states.push('disabled');
  if (role === 'checkbox' || role === 'radio' || role === 'switch' || role === 'menuitemcheckbox' || role === 'menuitemradio') {
    const native = tagOf(element) === 'input';
    if (native ? element.indeterminate : aria('checked') === 'mixed') states.push('mixed');
    else if (native ? element.checked : aria('checked') === 'true') states.push('checked');
  }
  const popover = has(element, 'popovertarget') && /^(button|input)$/.test(tagOf(element)) ? element.popoverTargetElement : null;
  if (tagOf(element) === 'summary' && isSummary(element)) states.push(element.parentElement.open ? 'expanded' : 'collapsed');
  else if (aria('expanded') === 'true') states.push('expanded');
  else if (aria('expanded') === 'false') states.push('collapsed');
  else if (popover) states.push(fits(popover, ':popover-open') ? 'expanded' : 'collapsed');
  if (aria('selected') === 'true' || (tagOf(element) === 'option' && element.selected)) states.push('selected');
  if (aria('pressed') === 'true' || aria('pressed') === 'mixed') states.push('pressed');
  if (aria('current') && aria('current') !== 'false') states.push('current');
  if (element.required || aria('required') === 'true') states.push('required');
  if ((element.readOnly && role.includes('box')) || aria('readonly') === 'true') states.push('readonly');
  if (aria('invalid') && aria('invalid') !== 'false') states.push('invalid');
  if (aria('haspopup') && aria('haspopup') !== 'false') states.push('haspopup');
  const sort = aria('sort');
  if (sort === 'ascending' || sort === 'descending') states.push(`sort=${sort}`);
  if (role === 'listbox' && tagOf(element) === 'select' ? element.multiple : aria('multiselectable') === 'true') states.push('multiselectable');
  if (role === 'heading') states.push(`level=${aria('level') || (/^h([1-6])$/.exec(tagOf(element)) || [0, 2])[1]}`);
  if (role === 'dialog' && (aria('modal') === 'true' || fits(element, ':modal'))) states.push('modal');
  if (element === focused) states.push('focused');
  return states;
}
