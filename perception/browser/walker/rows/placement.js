// Placement: where an element is visible and clicked.

import { FLAG, REACH } from '../row_layout.js';
import { isInert } from '../dom/elements.js';
import { flatContains } from '../dom/flat_tree.js';
import { labelsOf } from '../dom/labels.js';
import { boxOf, isLargeEnough, isTooSmallToRead } from '../layout/boxes.js';
import { MIN_LETTER_PX, visibleRect } from '../layout/clips.js';
import { NOWHERE, areaOf, isEmpty, isSamePlace, overlap, translated, union } from '../layout/rects.js';
import { MIN_SCROLLER, canScrollTo, couldScrollIntoView, leftToScroll, pageScrollSince } from '../layout/scrolling.js';
import { beginWalk } from '../layout/viewport.js';
import { actorIn } from '../semantics/actors.js';
import { isClickedByLabel } from '../semantics/click_targets.js';
import { isOutOfTheWay, isUnseen, paintingOf } from '../semantics/painted_fields.js';
import { thumbAround } from '../semantics/slider_thumbs.js';
import { changes, hasChangedUnseen } from '../tree/changes.js';
import { partOf } from '../tree/part.js';
import { probeChain } from '../tree/probe.js';
import { hasCounterpart } from '../visibility/counterparts.js';
import { isFadingIn } from '../visibility/fading.js';
import { staleHits } from '../visibility/hit_cache.js';
import { findClickPoint, hasOverlay, takesClicks } from '../visibility/hit_testing.js';
import { showsText } from '../visibility/paint_style.js';
import { popupInsteadOf } from '../visibility/pointer_lock.js';

/** @import { Clip } from '../layout/clips.js' */
/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */

/** Text within this distance of the viewport is measured: lines extend beyond their element's box (CSS px). */
const TEXT_MARGIN = 100;

/** A margin below a float keeps text off, too: more is rare (CSS px). */
const FLOAT_MARGIN = 100;

/**
 * Where an element is visible and clicked: in `box`, its own or its label's. `steady`: out of view, it depends on its
 * own box, on style, and on what clips and scrolls it.
 * @typedef {{
 *   box: Rect, flags: number, point: [number, number]|null, reach: number, blocker: Element|null, steady: boolean
 * }} Placement
 */

/** What clips an element. @param {Element} element */
const clipAround = (element) => (partOf.get(element) || probeChain(element)).clippedBy;

/** @param {Placement} at */
const isPlacedVisibly = ({ flags }) => (flags & FLAG.visible) !== 0;

/** What a walk needs for placement: the visible part of the frame, and the walk's number. */
export class PlacingWalk {
  /**
   * @param {Rect} viewport the visible part of this frame, in its own coordinates
   * @param {boolean} wide also include what is out of view
   */
  constructor(viewport, wide) {
    this.viewport = viewport;
    this.wide = wide;
    this.number = beginWalk();
    /** Something that has come into view had changed unobserved: its facts are of before. */
    this.isLate = false;
    /** How far down the floats reach that may push aside what follows, in what is being laid out. */
    this.floatsTo = -Infinity;
    /** @type {Rect} */
    this.textArea = [
      viewport[0] - TEXT_MARGIN,
      viewport[1] - TEXT_MARGIN,
      viewport[2] + TEXT_MARGIN,
      viewport[3] + TEXT_MARGIN,
    ];
  }

  /**
   * A part's placement at the last walk, if it is still there and nothing has changed since.
   * @param {Part} part
   * @param {Rect} own
   * @param {boolean} isTarget
   * @returns {Placement|null}
   */
  cachedPlacement(part, own, isTarget) {
    const { lastPlacement } = part;
    if (
      staleHits.all ||
      !lastPlacement ||
      lastPlacement.look !== staleHits.look ||
      lastPlacement.isTarget !== isTarget ||
      !isSamePlace(own, lastPlacement.own)
    )
      return null;
    if (!(lastPlacement.at.flags & FLAG.inViewport)) return this.isStillOut(part) ? lastPlacement.at : null;
    const taken = /** @type {Rect} */ (union(own, lastPlacement.at.box));
    return staleHits.places.some((place) => overlap(place, taken)) ? null : lastPlacement.at;
  }

  /**
   * Whether a part that was out of view, and is where it was, is placed as it was: only words have changed elsewhere,
   * and what is around it shows and scrolls what it did.
   * @param {Part} part
   */
  isStillOut({ lastPlacement, clippedBy }) {
    if (!lastPlacement || !lastPlacement.at.steady || lastPlacement.wide !== this.wide) return false;
    if (lastPlacement.beyondTexts !== changes.beyondTexts || pageScrollSince() > lastPlacement.look) return false;
    if (!clippedBy) return true;
    clippedBy.rect(this.number);
    return clippedBy.since <= lastPlacement.look;
  }

  /**
   * Notes that a part is in view, or listed all the same, and whether it was found changed only now.
   * @param {Part} part
   * @param {Rect} place
   * @param {boolean} isListed
   */
  noteSeen(part, place, isListed) {
    if (!this.wide && !isListed && !overlap(place, this.textArea)) return;
    if (!this.wide && hasChangedUnseen(part)) this.isLate = true;
    part.seenAt = this.number;
  }

  /**
   * Whether an area out of view has fields that never come into view: they are used by their labels, or what paints them.
   * @param {Part} part
   * @param {Rect} reach
   */
  mayHideFields(part, reach) {
    return part.holdsFields && !couldScrollIntoView(reach, part.clippedBy, part, this.number);
  }

  /**
   * Whether the content of a part may be beside a float that is outside of it.
   * @param {Part} part
   * @param {Rect} place
   */
  isBesideFloats(part, place) {
    return !part.isolated && place[1] < this.floatsTo + FLOAT_MARGIN;
  }

  /**
   * Notes the floats of a part that may push aside what follows it.
   * @param {Part} part
   * @param {Rect} place
   * @param {number} before how far those before it reach
   * @param {number} within how far those in it reach
   */
  noteFloats(part, place, before, within) {
    const bottom = part.floats ? place[3] : part.isolated ? -Infinity : within;
    this.floatsTo = Math.max(before, bottom);
    part.floatReach = bottom - place[1];
  }

  /**
   * Stores the position of a part.
   * @param {Part} part
   * @param {Rect} place
   * @param {Rect|null} reach
   */
  recordPlace(part, place, reach) {
    this.recordOffset(part, place);
    part.extent = reach ? translated(reach, -place[0], -place[1]) : null;
    part.dirty = false;
  }

  /**
   * Stores where a part is in the one around it, and its size.
   * @param {Part} part
   * @param {Rect} place
   */
  recordOffset(part, place) {
    const around = part.parent && part.parent.walkNumber === this.number ? part.parent.place : NOWHERE;
    part.ownBox = [place[0] - around[0], place[1] - around[1], place[2] - place[0], place[3] - place[1]];
    part.guessed = false;
  }

  /**
   * Where a person sees and clicks an element: in its own box or, if that cannot be clicked, in its label's.
   * @param {Part} part
   * @param {Rect} box
   * @param {boolean} isTarget
   * @returns {Placement}
   */
  placementOf(part, box, isTarget) {
    const own = this.placeElement(part.element, box, part.clippedBy, part, isTarget);
    const isAway = isOutOfTheWay(part.element, part.tag);
    if (isAway) own.flags &= ~FLAG.visible;
    if (!isTarget || own.reach === REACH.now) return own;
    let best = own;
    const labels = labelsOf(part.element);
    const thumb = thumbAround(part.element);
    if (!labels.length && !thumb && !isUnseen(part.element)) {
      own.steady = true;
      return own;
    }
    if (thumb) return this.placeElement(thumb, boxOf(thumb, 'block'), clipAround(thumb), part, true);
    for (const label of labels) {
      if (!label.checkVisibility({ visibilityProperty: true })) continue;
      const display = getComputedStyle(label).display;
      const at = this.placeElement(label, boxOf(label, display), clipAround(label), part, true);
      const isBetter = at.reach !== REACH.never && best.reach === REACH.never;
      if (at.reach === REACH.now || isBetter || (!isPlacedVisibly(best) && this.isSeenByLabel(part, label, at)))
        best = at;
      if (at.reach === REACH.now) break;
    }
    if (isAway) return { ...best, flags: best.flags & ~FLAG.visible };
    return best.reach === REACH.now ? best : this.placePainting(part) || best;
  }

  /**
   * Whether a person sees a control by its label, though the label takes no clicks: that of a disabled checkbox.
   * @param {Part} part
   * @param {Element} label
   * @param {Placement} at the label's
   */
  isSeenByLabel({ element, tag }, label, at) {
    const shown = isPlacedVisibly(at) && isClickedByLabel(element, tag);
    return shown && this.showsBox(at.box, partOf.get(label) || probeChain(label));
  }

  /**
   * Where a person clicks to write into a field that is out of sight: on what paints its text.
   * @param {Part} part
   * @returns {Placement|null}
   */
  placePainting(part) {
    const painting = paintingOf(part.element);
    if (!painting) return null;
    const at = this.placeElement(painting, boxOf(painting, 'block'), clipAround(painting), part, true);
    return at.reach === REACH.now ? at : null;
  }

  /**
   * Whether an element can be seen and clicked.
   * @param {Element} element or its label
   * @param {Rect} box
   * @param {Clip|null} clip
   * @param {Part} part
   * @param {boolean} isTarget
   * @returns {Placement}
   */
  placeElement(element, box, clip, part, isTarget) {
    const clipRect = visibleRect(clip, this.number);
    const clipped = overlap(box, clipRect);
    const shown = clipped && overlap(clipped, this.viewport);
    const opaque =
      part.opacity >= 0.05 || element !== part.element || (isTarget ? hasCounterpart(part, box) : isFadingIn(part));
    let seen =
      opaque &&
      (isLargeEnough(box, clipRect) ||
        (this.wide && !clipped && areaOf(box) >= 4 && couldScrollIntoView(box, clip, part, this.number)));
    let flags = 0,
      point = null,
      blocker = null;
    /** @type {number} */
    let reach = REACH.unsaid;
    if (shown && !isEmpty(shown)) {
      flags |= FLAG.inViewport;
      if (isTarget) {
        const hit = this.clickInside(element, shown) || findClickPoint(element, shown);
        point = hit.point;
        if (!seen) point = null;
        reach = point
          ? REACH.now
          : hit.blocker && (!flatContains(hit.blocker, element) || hasOverlay(hit.blocker))
            ? REACH.covered
            : REACH.never;
        if (point) flags |= FLAG.reachable;
        else if (reach === REACH.covered && isInert(element)) reach = REACH.never;
        if (reach === REACH.covered) blocker = hit.blocker;
      }
    } else if (isTarget)
      reach =
        !isEmpty(box) &&
        (seen || (clip && part.opacity >= 0.05)) &&
        takesClicks(element) &&
        canScrollTo(box, clip, part)
          ? REACH.scroll
          : REACH.never;
    if (reach === REACH.scroll && part.opacity >= 0.05 && areaOf(box) >= 4) seen = true; // after scrolling to it
    if (reach === REACH.never && isTarget) blocker = popupInsteadOf(element);
    if (blocker && reach === REACH.never) {
      reach = REACH.covered;
      flags |= FLAG.locked;
    }
    const steady = !isTarget && part.opacity >= 0.05;
    return { box, flags: flags | (seen ? FLAG.visible : 0), point, reach, blocker, steady };
  }

  /**
   * Where a click acts on an element that does nothing itself: on the one thing in it that does, and says the same.
   * @param {Element} element
   * @param {Rect} shown
   */
  clickInside(element, shown) {
    const part = partOf.get(element);
    const actor = part && actorIn(part);
    if (!actor) return null;
    const visible = overlap(boxOf(actor.element, actor.display), shown);
    const hit = visible && findClickPoint(actor.element, visible);
    return hit && hit.point ? hit : null;
  }

  /**
   * Whether enough of a text is visible, by its clips and position, and it is large enough to read.
   * @param {Text} node
   * @param {Rect} box
   * @param {Part} part its container
   */
  showsText(node, box, part) {
    return this.showsBox(box, part) && !isTooSmallToRead(node, box);
  }

  /** Whether nothing of a box is inside of what clips it, and scrolling does not help. @param {Part} part @param {Rect} box */
  isCutOff(part, box) {
    const { clip, display } = part;
    if (!clip || isEmpty(box) || display === 'contents' || overlap(box, visibleRect(clip, this.number))) return false;
    return !couldScrollIntoView(box, clip, part, this.number);
  }

  /** Whether enough of a text's box is visible. @param {Rect} box @param {Part} part its container */
  showsBox(box, part) {
    if (part.opacity < 0.05 && !isFadingIn(part)) return false;
    const clip = visibleRect(part.clip, this.number);
    const shown = overlap(box, clip);
    if (part.clip && part.clip.thin) return false;
    if (shown ? !isLargeEnough(box, clip) : this.wide && !couldScrollIntoView(box, part.clip, part, this.number))
      return false;
    if (shown && this.wide && !overlap(shown, this.viewport) && !couldScrollIntoView(box, part.clip, part, this.number))
      return false;
    return true;
  }

  /** Whether what clips a part leaves nothing of it, as of text for screen readers. @param {Part} part */
  isClippedAway({ clip }) {
    return clip !== null && (areaOf(visibleRect(clip, this.number)) < 16 || Boolean(clip.thin));
  }

  /**
   * Whether some text of an element that represents its own content may be invisible.
   * @param {Part} part
   * @param {Rect} place
   */
  mayHideText(part, place) {
    // Text far from the viewport is checked when it is scrolled into view.
    if (!this.wide && (place[1] > this.textArea[3] || place[0] > this.textArea[2])) return false;
    if (part.opacity < 0.05 || !showsText(part)) return true;
    if (this.isClippedAway(part) || this.isCutOff(part, place)) return true;
    return (
      part.display !== 'contents' &&
      (place[2] - place[0] < MIN_LETTER_PX || place[3] - place[1] < MIN_LETTER_PX || place[2] <= 0 || place[3] <= 0)
    );
  }

  /**
   * The remaining scroll distances of a part: [up, down, left, right]; null if it does not scroll.
   * @param {Part} part
   * @param {Rect} place
   * @returns {Array<number>|null}
   */
  scrollable(part, place) {
    const clip = part.clip;
    if (
      !clip ||
      clip.part !== part ||
      !/auto|scroll/.test(clip.overflow) ||
      areaOf(place) < MIN_SCROLLER ||
      part.hidden
    )
      return null;
    return leftToScroll(part.element);
  }
}

/**
 * The position of a part whose container has not changed inside.
 * @param {Part} part
 * @param {Rect} around
 * @returns {Rect|null}
 */
export function assumedPlace(part, around) {
  const own = part.ownBox;
  if (!own || part.guessed || part.loose || part.dirty || part.position !== 'static') return null;
  return [around[0] + own[0], around[1] + own[1], around[0] + own[0] + own[2], around[1] + own[1] + own[3]];
}
