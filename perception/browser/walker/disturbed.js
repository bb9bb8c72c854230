// Disturbed places: where a click may land on something else than it did at the last look. What lies elsewhere, and has not
// moved itself, is not hit-tested again: finding the element at a point is the most expensive question of a look.

/** More disturbed places than this, and all of the view is. */
const MAX_DISTURBED = 64;

const disturbed = {
  /** The look that was last taken of the whole tree, and what it saw. */
  look: 0,
  /** @type {Rect} */
  view: NOWHERE,
  /** Nothing that is known of clicks can be relied on. */
  all: true,
  /** @type {Rect[]} */
  places: [],
};

/** @param {Rect} a @param {Rect} b */
const isSamePlace = (a, b) => a.every((side, index) => Math.abs(side - b[index]) < 0.01);

/** @param {Rect|null} place */
function disturb(place) {
  if (disturbed.all || !place || !overlap(place, disturbed.view)) return;
  disturbed.places.push(place);
  if (disturbed.places.length > MAX_DISTURBED) disturbEverything();
}

function disturbEverything() {
  disturbed.all = true;
  disturbed.places = [];
}

/** Something now takes up another place: what lies in both is as it was. @param {Rect} from @param {Rect} to */
function disturbBetween(from, to) {
  if (isSamePlace(from, to)) return;
  const both = overlap(from, to);
  if (!both) { disturb(from); disturb(to); return; }
  const all = /** @type {Rect} */ (union(from, to));
  disturb([all[0], all[1], both[0], all[3]]);
  disturb([both[2], all[1], all[2], all[3]]);
  disturb([all[0], all[1], all[2], both[1]]);
  disturb([all[0], both[3], all[2], all[3]]);
}

/** What a part and all in it took up at the last look; null if it was not looked at. @param {Part} part @returns {Rect|null} */
const lastReach = (part) => (part.at === disturbed.look && part.reach ? moved(part.reach, part.place[0], part.place[1]) : null);

/** @param {Rect} view @returns {boolean} whether what the last look found of clicks holds in a view, but for disturbed places */
const isUndisturbed = (view) => !disturbed.all && view.every((side, index) => side === disturbed.view[index]);

/** A look at the whole tree is over. @param {number} look @param {Rect} view */
function calm(look, view) {
  disturbed.look = look;
  disturbed.view = view;
  disturbed.all = false;
  disturbed.places = [];
}
