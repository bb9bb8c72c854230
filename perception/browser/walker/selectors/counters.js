// Counters: words whose number counts instances, so that at the next load, where widgets are made in another order or
// others before them, the number names another element.

/**
 * Words that say what kind of element this is, as libraries name what they make: with a number they name an instance
 * (`TextField54`, `tab-item-3`). Words that people number are not among them: `step2`, `address1`, `section-3`.
 */
const KINDS = new Set(
  (
    'id ids el elem element node gen generated auto comp component view control ctrl obj object key ref root uid uuid ' +
    'cell row item items input field text textfield textbox textarea area number search button btn link menu menuitem ' +
    'tab tabs tabpanel panel panels div span label labels checkbox check box radio select selector option options ' +
    'tooltip popover modal dialog collapse accordion list listbox combo combobox drop down dropdown date time ' +
    'datefield picker datepicker group choice header footer content container wrapper inner outer trigger toggle ' +
    'toggler switch slider spin spinner spinbutton table grid tree treeitem icon chip rate rating toolbar portal ' +
    'overlay popup popper helper desc description widget'
  ).split(' '),
);

/** Kinds that people number by the record of a database: `item-37` may be that record tomorrow, too. */
const RECORDS = new Set('cell row item items key ref node option obj object'.split(' '));

/** A number of two or more digits that people write in names: a year, a size, a version (`since-2024`, `base64`). */
const FIGURES = /^(?:19|20)\d\d$|^(?:10|16|24|32|48|50|64|100|128|200|256|360|365|403|404|500|512|1000|1080)$/;

/** The words of a name, in lower case, without its numbers. @param {string} name */
const kindWordsOf = (name) =>
  (name.replace(/\d+/g, ' ').match(/[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]/g) || []).map((each) => each.toLowerCase());

/** Whether all words of a name say what kind of element it is; single letters may be parts of a number. @param {string} name */
export const isKindOnly = (name) => kindWordsOf(name).every((each) => each.length === 1 || KINDS.has(each));

/**
 * Whether a name's numbers count instances: between words, as widgets number theirs (`ag-18-input`, `cell-3-7`,
 * `map1_or`); apart from the word at the end (`uk-accordion-1`); after words that only say the kind of element; in a name
 * that begins as internal ones do (`__view2-save`); or higher than people count (`remove34`). A digit that ends the first
 * of several words, or the whole, may be a person's: `step2-next`, `h1-title`, `address1`.
 * @param {string} name
 * @param {RegExpMatchArray} digits its runs of digits
 */
export const isCounted = (name, digits) =>
  digits.some((run) => run.length > 1 && !FIGURES.test(run)) ||
  /^__|[-_.:]\d$/.test(name) ||
  (digits.length > 1 ? /(?:^|[-_.:])\d+(?:[-_.:]|$)/.test(name) : /[-_.:]\d+[-_.:]|[a-z]\d+_[a-z]/i.test(name)) ||
  isKindOnly(name);

/**
 * Whether a name is nothing but the count of a library, at a number that tells that others were made before it, which
 * may be others at the next load: `TextField54`, `id__99`, `component-37`.
 * @param {string} name
 * @param {RegExpMatchArray} digits
 */
export const isOnlyCounted = (name, digits) =>
  digits.some((run) => run.length > 1) && isKindOnly(name) && !kindWordsOf(name).every((each) => RECORDS.has(each));

/** Names with letters at their end that are random, by their library. */
const RANDOM_ENDS = /^select2-/;

/**
 * What the author wrote at the end of a name that counts: `_lnkEdit` of `ctl00_Body_gvClaims_ctl02_lnkEdit`, `-red` of
 * `ChoiceGroup43-red`. Empty if there is nothing, or only the name of a part that every such widget has (`-label`).
 * @param {string} name
 */
export function authoredEnd(name) {
  const end = /\d[^\s]*?((?:[-_.:$][A-Za-z]{3,})+)$/.exec(name);
  return end && !isKindOnly(end[1]) && !RANDOM_ENDS.test(name) ? end[1] : '';
}

/** All ends of a name that begin with a separator and have no digits, longest first. @param {string} name */
export function endsOf(name) {
  const ends = [];
  for (let at = name.length - 1; at >= 0; at--) {
    const sign = name[at];
    if (sign >= '0' && sign <= '9') break;
    if ('-_.:$'.includes(sign)) ends.unshift(name.slice(at));
  }
  return ends;
}
