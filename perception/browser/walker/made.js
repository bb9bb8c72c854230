// Made up or meant: whether an id, class or attribute value was written by somebody who meant it, or made up by a program
// that makes up another one at the next load, the next build, or when something is put in before it.

/** Longer ones are data, not names (characters). */
const MAX_KEY = 80;

/** Counters of frameworks, in ids and names: another element has them after the next build. */
const COUNTED = new RegExp([
  '[:_«]r[0-9a-z]*[:_»]', // React's useId: `:r1:`, `«r1»`, `_r_1_`
  '^:',
  '^(?:ember|ext-?(?:gen|comp|element)|yui|gwt-uid|isc_|goog_|ctl0|j_id|jqx|ui-id|__BVID|el-id|v-|uid|uniq|auto-?id|tippy|popper|aria|svelte|react|radix|headlessui|downshift|chakra|mantine|base-ui|rc[-_]|mui|mat-|cdk-|select2|dijit|dojo|widget|chosen|flatpickr|highcharts|apexcharts|chartjs|cke_|tinymce|mce|ng-)[\\w:.-]*\\d',
].join('|'), 'i');

/** A plain word with a number: the third of its kind, or number three in a database. */
const NUMBERED = /^(?:id|el|elem|element|node|gen|generated|comp|component|view|control|ctrl|obj|key|ref|root|cell|row|item|input|field|button|btn|link|menu|tab|panel|div|span|label|checkbox|radio|select|option|tooltip|popover|modal|collapse|accordion)?[-_:.]?\d+$/i;

/** Classes that build tools write: CSS in JS, CSS modules, scoped styles, obfuscators. */
const BUILT = /^(?:css|sc|jsx|svelte|emotion|styled|tss|astro|stitches|linaria)-|^jss\d|^makeStyles|^ng-(?:tns|c)\b|-\d{3,}$|__(?=\w*[\dA-Z])[\w-]{5,8}$|^_.*_\w{5,}_\d+$|^_{1,2}[a-z0-9]{2,5}$|^[a-z]{1,2}\d+$/;

/** Of a moment, not of an element. */
const MOMENTARY = /^(?:is-|has-|was-|ui-state-|v-(?:enter|leave)|ng-(?:dirty|pristine|touched|untouched|valid|invalid|pending|star)|Mui-)|(?:^|[-_])(?:active|inactive|selected|current|open|opened|closed|show|shown|hide|hidden|visible|invisible|hover|hovered|focus|focused|focus-visible|disabled|enabled|checked|unchecked|expanded|collapsed|collapsing|loading|loaded|error|invalid|valid|dirty|touched|pressed|dragging|sorting(?:_asc|_desc)?|odd|even|first|last|fade|in|out|animated?|transition|ready|pending|busy|on|off|up|down|sticky|stuck|initialized)$/i;

/** What small classes of Tailwind and Bootstrap are about, and what they say of it. */
const ASPECTS = 'd|w|h|z|gap|top|left|right|bottom|inset|flex|grid|col|row|order|offset|float|align|justify|items|self|place|content|text|font|leading|tracking|bg|border|rounded|shadow|ring|opacity|overflow|position|min|max|space|divide|cursor|select|pointer|transition|duration|ease|delay|transform|scale|rotate|translate|animate|object|size|basis|grow|shrink|whitespace|break|list|fs|fw|lh|g|gx|gy';
const VALUES = '\\d[\\w./]*|[xytblrse]|xs|sm|md|lg|xl|xxl|auto|full|screen|min|max|fit|none|start|end|center|between|around|evenly|baseline|stretch|left|right|top|bottom|middle|row|col|column|reverse|wrap|nowrap|inline|block|flex|grid|hidden|visible|scroll|clip|bold|semibold|medium|light|normal|thin|italic|primary|secondary|success|danger|warning|info|dark|white|black|muted|body|gray|grey|red|green|blue|yellow|orange|purple|pink|indigo|teal|cyan|slate|zinc|transparent|current|solid|dashed|pointer|default|underline|spin|pulse|bounce|fluid|none|colors|all|in|out|absolute|relative|items|content|self|mono|sans|serif|tight|wide|wider|last|first';

/** How an element looks, which says nothing of what it is. */
const LOOKS = new RegExp(`[:/[\\]!@%]|^-?[mp][trblxyse]?-|^(?:${ASPECTS})(?:-(?:${VALUES}))*$|^(?:block|inline|static|fixed|absolute|relative|container|clearfix|sr-only|visually-hidden|truncate|underline|uppercase|lowercase|capitalize|italic|hidden|small|large|mini|tiny|huge|big|vertical|horizontal|fluid|center|centered|primary|secondary|success|danger|warning|info|light|dark|wide|narrow|xs|sm|md|lg|xl|xxl|pull-left|pull-right)$`);

/** @type {Map<string, number>} */
const madeUp = new Map();

/**
 * How sure a word is to be there again: 0 for what looks generated, 1 for what reads as somebody's own word.
 * @param {string} word an id, class, name or test id @returns {number}
 */
function meant(word) {
  let sure = madeUp.get(word);
  if (sure === undefined) {
    sure = judgeWord(word);
    if (madeUp.size > 20000) madeUp.clear();
    madeUp.set(word, sure);
  }
  return sure;
}

/** @param {string} word */
function judgeWord(word) {
  if (!word || word.length > MAX_KEY || /[\s\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]/.test(word) || !word.isWellFormed()) return 0;
  if (COUNTED.test(word) || word.split(/[^\p{L}\p{N}]+/u).some(isHash)) return 0;
  const digits = word.match(/\d+/g);
  if (!digits) return 1;
  if (NUMBERED.test(word)) return 0.5;
  return digits.some((run) => run.length >= 5) ? 0.6 : /\d$/.test(word) ? 0.65 : 0.85;
}

/** A piece of a word that nobody would write: a hash, a random string, a time stamp. @param {string} piece */
function isHash(piece) {
  if (piece.length < 4) return false;
  if (/^\d+$/.test(piece)) return piece.length >= 9;
  if (/[^\0-\x7f]/.test(piece)) return false;
  const turns = (piece.match(/\d(?=[a-z])|[a-z](?=\d)/gi) || []).length;
  if (turns >= 2 && piece.length >= 5) return true;
  if (/^[0-9a-f]{6,}$/i.test(piece) && /\d/.test(piece) && /[a-f]/i.test(piece)) return true;
  if (/[bcdfghjklmnpqrstvwxz]{6,}/i.test(piece)) return true;
  if (piece === piece.toUpperCase() || piece === piece.toLowerCase()) return false;
  // Words in a row have their capitals apart: `saveButton`, `HTMLElement`; `bdVaJa`, `gLFyf` have not.
  const words = piece.replace(/\d+/g, '').match(/[A-Z]{2,}(?=[A-Z][a-z]|$)|[A-Z]?[a-z]+|[A-Z]+/g) || [];
  return words.length >= 3 && words.filter((each) => each.length <= 2).length * 2 > words.length;
}

/** How sure a class is to be there again, and to say what an element is; 0 for none. @param {string} name */
function meantClass(name) {
  if (BUILT.test(name) || MOMENTARY.test(name) || LOOKS.test(name)) return 0;
  return meant(name);
}
