// One walk of the painted tree of one frame: a row for each thing that a person could see, read or act on.

import { FLAG, ROW, makeFrameRow, makeRow } from '../row_layout.js';
import { attr, boundsOf, closest, queryIn } from '../dom/access.js';
import { focusedElement, isFrame } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { controlIn, labelsOf } from '../dom/labels.js';
import { numberOf } from '../dom/node_numbers.js';
import { cleanLines, isZeroWidth } from '../dom/text.js';
import { textBox } from '../layout/boxes.js';
import { visibleRect } from '../layout/clips.js';
import { uncutLength } from '../layout/ellipsis.js';
import { frameOrigin, isTurned } from '../layout/frames.js';
import { boxOfPart } from '../layout/image_maps.js';
import { NOWHERE, isEmpty, overlap, overlapsVisibly, rectOf, translated, union } from '../layout/rects.js';
import { isSpeakingLabel, mayBeEmpty } from '../semantics/click_targets.js';
import { generatedPlaces } from '../semantics/generated_content.js';
import { AFTER, BEFORE } from '../semantics/generated_places.js';
import { hiddenToggleOf, statesOfToggle } from '../semantics/hidden_toggles.js';
import { hintOf } from '../semantics/hints.js';
import { countOptions, listedRole, optionsOf, rowLine } from '../semantics/listed_names.js';
import { paintingOf } from '../semantics/painted_fields.js';
import { statesOf, valueOf } from '../semantics/states.js';
import { privacy } from '../privacy/private_content.js';
import { isField, isFilled, secrecyOfPart } from '../privacy/sensitive_fields.js';
import { namePart } from '../tree/build.js';
import { changes } from '../tree/changes.js';
import { Part } from '../tree/part.js';
import { MIN_PICTURE, isIconOfFont, isUnexplained } from '../tree/pictures.js';
import { describeBlocker } from '../visibility/blockers.js';
import { paintStyleOf } from '../visibility/paint_style.js';
import {
  areHitsValid,
  finishWalk,
  lastExtent,
  markAllStale,
  markMoveStale,
  markStale,
  staleHits,
} from '../visibility/hit_cache.js';
import { Overlays, hasUnderlay, isCovered, isUnpainted } from '../visibility/occlusion.js';
import { assignNth } from './numbering.js';
import { PlacingWalk, assumedPlace } from './placement.js';
import { generatedBox, readGenerated } from './generated_words.js';
import { MOVED, OutOfView } from './out_of_view.js';
import { assignRows } from './row_identity.js';
import { withTargetStates } from './target_states.js';
import { TextLine, isTerm } from './text_line.js';
import { shownPlaceholder, unseenTexts } from './unseen_texts.js';
import { noteFirstContent } from './hidden_roots.js';
import { linesOfText, withLineBreaks } from './cut_text.js';
import { SHOWS_VALUE, VisibleText, correctByVisibleText, mayMislabel } from './visible_label.js';

/** @import { FrameRow, Row } from '../row_layout.js' */
/** @import { Rect } from '../layout/rects.js' */

/** @param {Row} row */
const isUnseenText = (row) => row[ROW.role] === 'text' && !(row[ROW.flags] & FLAG.visible);

export class FrameWalk extends PlacingWalk {
  /**
   * @param {Rect} viewport the visible part of this frame, in its own coordinates
   * @param {boolean} wide also include what is out of view
   */
  constructor(viewport, wide) {
    super(viewport, wide);
    /** @type {Row[]} */
    this.rows = [];
    /** @type {FrameRow[]} */
    this.frames = [];
    /** @type {Map<Element, number>} */
    this.rowOf = new Map();
    /** The parts of the rows, in the same order. @type {Part[]} */
    this.parts = [];
    /**
     * Rows that are placed later, when all moves are known.
     * @type {Array<{index: number, part: Part, own: Rect, isTarget: boolean}>}
     */
    this.pending = [];
    /** @type {Array<[number, Element, Element]>} */
    this.blockers = [];
    /** The line of text being assembled. @type {TextLine|null} */
    this.line = null;
    /** The last line of text that is seen, and its row. @type {TextLine|null} */
    this.ended = null;
    this.endedAt = -1;
    /** Lines whose visibility is checked when all positions are known. @type {Array<{index: number, run: TextLine}>} */
    this.lines = [];
    this.overlays = new Overlays();
    /** Rows whose names may differ from their visible text. @type {Set<number>} */
    this.doubtful = new Set();
    /** Controls whose labels may have invisible text. @type {Set<Element>} */
    this.labeled = new Set();
    this.focused = focusedElement();
    /** The row around the label that is being walked, if its text is nowhere else: that of a field that is not listed. */
    this.speakingLabel = NaN;
  }

  /** @param {Part|null} root */
  walk(root) {
    if (!areHitsValid(this.viewport)) markAllStale();
    if (root) {
      this.visit(root, -1, null);
      assignNth(root, this.parts);
    }
    this.endLine();
    this.parts.forEach((part) => {
      this.rows[/** @type {number} */ (this.rowOf.get(part.element))][ROW.nth] = part.nth;
    });
    this.placeRows();
    if (root) this.checkVisibility(root);
    assignRows(this.rows, this.pending);
    finishWalk(this.number, this.viewport);
    return this;
  }

  /**
   * Adds the rows of a part and its content.
   * @param {Part} part
   * @param {number} above row of its container
   * @param {Rect|null} assumed its position, if everything around it has moved together
   * @returns {Rect|null} the area of the part and its content
   */
  visit(part, above, assumed) {
    const { element, ownBox } = part;
    const place = assumed && ownBox ? assumed : rectOf(boundsOf(element));
    const before = part.walkNumber === staleHits.look ? part.place : null;
    const { floatsTo } = this;
    const isBesideFloats = this.isBesideFloats(part, place);
    const isSame =
      ownBox !== null &&
      !part.dirty &&
      Math.abs(place[2] - place[0] - ownBox[2]) < MOVED &&
      Math.abs(place[3] - place[1] - ownBox[3]) < MOVED;
    if (isSame && !part.loose && !this.wide && part.block && part.extent) {
      const reach = translated(part.extent, place[0], place[1]);
      if (!overlap(reach, this.viewport) && !this.mayHideFields(part, reach)) {
        if (before && (before[0] !== place[0] || before[1] !== place[1])) markStale(lastExtent(part));
        part.walkNumber = this.number;
        part.place = place;
        if (!assumed) this.recordOffset(part, place);
        this.noteFloats(part, place, floatsTo, place[1] + part.floatReach);
        this.endLine();
        return reach;
      }
    }
    const rigid = isSame && part.arranges && !isBesideFloats && !part.besideFloats;
    if (before) markMoveStale(before, place);
    else markStale(place);
    if (part.block) this.endLine();
    const index = this.addOwnRow(part, above, place);
    this.noteSeen(part, place, index >= 0);
    const inner = index < 0 ? above : index;
    let reach = isEmpty(place) ? null : place;
    if (part.isolated) this.floatsTo = -Infinity;
    if (this.line) this.line.cross(part);
    /** @type {Rect|null} */
    let beside = null;
    const { speakingLabel } = this;
    if (isSpeakingLabel(part)) this.speakingLabel = inner;
    const isSilent = this.isSilent(part, inner);
    const where = isSilent || !part.walked ? 0 : generatedPlaces(part.element);
    if (part.display === 'list-item' && !isSilent) this.addGenerated(part, inner, place, '::marker');
    if (where & BEFORE) this.addGenerated(part, inner, place, '::before');
    if (part.drawn) this.addDrawn(part, inner, place);
    const hidden = OutOfView.of(this, part, place, before, rigid);
    for (let at = 0; at < part.children.length; at++) {
      const passed = hidden && hidden.runAt(at);
      if (passed) {
        this.endLine();
        reach = union(reach, passed.reach);
        beside = union(beside, passed.reach);
        this.floatsTo = Math.max(this.floatsTo, passed.floatsTo);
        at += passed.count - 1;
        continue;
      }
      const child = part.children[at];
      if (!(child instanceof Part)) {
        reach = union(reach, this.addText(child, part, inner, place));
        continue;
      }
      const rect = this.visit(child, inner, rigid ? assumedPlace(child, place) : null);
      if (!rect) continue;
      reach = union(reach, rect);
      if (child.display === 'inline') {
        if (!at) noteFirstContent(child, part, rect, place);
        continue;
      }
      if (
        ((child.position !== 'static' && child.position !== 'relative') || (beside && overlapsVisibly(rect, beside))) &&
        (this.wide || overlap(rect, this.textArea))
      )
        this.overlays.add(child);
      beside = union(beside, rect);
    }
    if (where & AFTER) this.addGenerated(part, inner, place, '::after');
    this.speakingLabel = speakingLabel;
    if (part.block) this.endLine();
    else if (this.line) this.line.cross(part);
    part.besideFloats = isBesideFloats;
    this.noteFloats(part, place, floatsTo, this.floatsTo);
    this.recordPlace(part, place, reach);
    return reach;
  }

  /** Whether something else says the text of a part. @param {Part} part @param {number} above row of its container */
  isSilent(part, above) {
    return part.silenced && above !== this.speakingLabel;
  }

  /**
   * Adds the part's own row.
   * @param {Part} part
   * @param {number} above
   * @param {Rect} place
   * @returns {number} its index, -1 for none
   */
  addOwnRow(part, above, place) {
    part.walkNumber = this.number;
    part.place = place;
    const scrolls = this.scrollable(part, place);
    if (!part.listed && !part.structure && !scrolls) return -1;
    const box = part.display === 'inline' || part.display === 'contents' || isEmpty(place) ? boxOfPart(part) : place;
    if (!this.wide && !overlap(box, this.viewport) && part.tag !== 'iframe' && !this.isUsedElsewhere(part)) return -1;
    if (part.picture && (box[2] - box[0] < MIN_PICTURE || box[3] - box[1] < MIN_PICTURE)) return -1;
    this.endLine();
    const index = this.addRow(part, above, box, scrolls);
    if (isFrame(part.element, part.tag) && !isTurned(part.element))
      this.addFrame(part.element, index, visibleRect(part.clippedBy, this.number));
    return index;
  }

  /** Whether a person uses an element by its label, or by what paints its text. @param {Part} part */
  isUsedElsewhere(part) {
    return labelsOf(part.element).length > 0 || (part.interactive && paintingOf(part.element) !== null);
  }

  /**
   * @param {Part} part
   * @param {number} above
   * @param {Rect} own its box
   * @param {Array<number>|null} scrolls
   * @returns {number} index of the new row
   */
  addRow(part, above, own, scrolls) {
    const { element, tag, interactive } = part;
    const name = namePart(part);
    const secrecy = secrecyOfPart(part);
    const value = secrecy ? '' : valueOf(element, part.role);
    const isNameless = part.clickable && !name && !value && !mayBeEmpty(part.role) && isUnexplained(part);
    const opaque = part.picture || (!isNameless ? '' : isIconOfFont(part) ? 'glyph' : 'nameless');
    const index = this.rows.length;
    this.rowOf.set(element, index);
    if (part.listed) this.parts.push(part);
    if (SHOWS_VALUE.has(part.role) && (value || part.silenced)) this.doubtful.add(index);
    if (name && (interactive || part.role === 'heading') && mayMislabel(part)) this.doubtful.add(index);
    const toggle = hiddenToggleOf(part);
    const isWithFields = part.role === 'heading' && queryIn(element, 'select, button') !== null;
    if (name && (part.hasCounters || toggle || isWithFields)) this.doubtful.add(index);
    this.pending.push({ index, part, own, isTarget: interactive || Boolean(opaque) });
    const flags =
      (interactive ? FLAG.interactive : 0) |
      (part.structure && !scrolls ? FLAG.structure : 0) |
      (secrecy || part.withheld ? FLAG.sensitive : 0);
    const states = withTargetStates(statesOf(element, part.role, this.focused), part);
    if (toggle) states.push(...statesOfToggle(toggle));
    if (secrecy === 'password') states.push(isFilled(element) ? 'password filled' : 'password');
    if (secrecy === 'private' || part.withheld) states.push('masked');
    if (secrecy === 'private' && isField(element) && isFilled(element)) states.push('filled');
    states.push(...unseenTexts(part, name, value));
    const options =
      part.isPrivate && secrecy ? [] : tag === 'select' || part.role === 'listbox' ? optionsOf(element, tag) : [];
    const isPrivate = part.isPrivate && secrecy !== '';
    this.rows.push(
      makeRow({
        node: numberOf(element),
        parent: above,
        role: listedRole(part),
        name,
        value,
        states,
        box: own,
        flags,
        opaque,
        text: part.role === 'row' && (privacy.revealed || !part.isPrivate) ? rowLine(part) : '',
        hint: isPrivate
          ? name
            ? ''
            : attr(element, 'name') || ''
          : shownPlaceholder(part, name, value) || hintOf(element, part.role, interactive && !name),
        scrollable: scrolls,
        options,
        optionCount: options.length ? countOptions(element, tag) : 0,
      }),
    );
    return index;
  }

  /** Sets where each row is visible and clicked. */
  placeRows() {
    for (const { index, part, own, isTarget } of this.pending) {
      const at = this.cachedPlacement(part, own, isTarget) || this.placementOf(part, own, isTarget);
      const { wide, number: look } = this;
      part.lastPlacement = { at, own, isTarget, look, wide, beyondTexts: changes.beyondTexts };
      const row = this.rows[index];
      row[ROW.box] = at.box;
      row[ROW.flags] |= at.flags;
      row[ROW.point] = at.point;
      row[ROW.reach] = at.reach;
      if (at.blocker) this.blockers.push([index, at.blocker, part.element]);
    }
    this.nameBlockers();
  }

  /**
   * @param {Text} node
   * @param {Part} part
   * @param {number} above
   * @param {Rect} place of the part
   * @returns {Rect|null}
   */
  addText(node, part, above, place) {
    const data = node.data;
    if (isZeroWidth(data)) return null;
    const isSilent = this.isSilent(part, above);
    if (isSilent || part.hidden || !/\S/.test(data)) {
      if (
        isSilent &&
        !part.hidden &&
        !this.doubtful.has(above) &&
        /\S/.test(data) &&
        (this.mayHideText(part, place) || (above >= 0 && uncutLength(node, part, this.number) < data.length))
      ) {
        if (above >= 0) this.doubtful.add(above);
        const label = /** @type {HTMLLabelElement|null} */ (closest(part.element, 'label'));
        if (label && label.control) this.labeled.add(controlIn(label.control));
      }
      if (this.line && !/\S/.test(data)) this.line.appendSpace(withLineBreaks(data, part));
      return null;
    }
    if (!this.wide && !isEmpty(place) && !overlap(place, this.textArea)) return null;
    const box = textBox(node);
    noteFirstContent(node, part, box, place);
    if (!box) return null;
    for (const words of linesOfText(this, node, box, part, above)) this.addWords(words);
    return box;
  }

  /**
   * Adds generated words to the line of text.
   * @param {Part} part
   * @param {number} above
   * @param {Rect} place of the part
   * @param {'::before'|'::after'|'::marker'} pseudo
   */
  addGenerated(part, above, place, pseudo) {
    if (!this.wide && !isEmpty(place) && !overlap(place, this.textArea)) return;
    const words = readGenerated(part, pseudo);
    if (!words) return;
    const around = part.display === 'inline' || isEmpty(place) ? boxOfPart(part) : place;
    if (isEmpty(around)) return;
    const box = generatedBox(part, pseudo, words, around);
    this.addWords(new TextLine(words, part.element, box, part, above, this.showsBox(box, part), true));
  }

  /** Adds what a picture or a formula says that is drawn with characters. @param {Part} part @param {number} above @param {Rect} place */
  addDrawn(part, above, place) {
    const box = part.display === 'inline' || isEmpty(place) ? boxOfPart(part) : place;
    if (isEmpty(box) || part.hidden || part.opacity < 0.05 || paintStyleOf(part).invisible) return;
    if (!this.wide && !overlap(box, this.textArea)) return;
    const words = part.role === 'img' ? ` ${part.drawn} ` : part.drawn;
    this.addWords(new TextLine(words, part.element, box, part, above, this.showsBox(box, part), true));
  }

  /** @param {TextLine} words a line, or the next part of one */
  addWords(words) {
    if (this.line && !this.line.isLike(words)) this.endLine();
    if (!this.line) this.reopenLine(words);
    if (this.line) this.line.append(words);
    else this.line = words;
  }

  /** Goes on with the line that has just ended where words are painted as a part of it. @param {TextLine} words */
  reopenLine(words) {
    const { ended, endedAt } = this;
    if (!ended || !words.goesOn(ended) || !this.rows.slice(endedAt + 1).every(isUnseenText)) return;
    this.rows.splice(endedAt, 1);
    this.lines.pop();
    this.ended = null;
    this.line = ended;
  }

  /** Ends the current line of text and adds a row for it. */
  endLine() {
    const run = this.line;
    this.line = null;
    if (!run) return;
    const name = cleanLines(run.text);
    const last = this.rows[this.rows.length - 1];
    // One of the lines that must not be revealed represents all of them.
    if (
      !name &&
      !(run.withheld && !(last && last[ROW.parent] === run.above && last[ROW.role] === 'text' && !last[ROW.name]))
    )
      return;
    const visible = run.seen ? overlap(run.box, visibleRect(run.part.clip, this.number)) : run.box;
    const inViewport = visible && overlap(visible, this.viewport);
    if (!inViewport && !this.wide) return;
    if (run.seen) this.lines.push({ index: this.rows.length, run });
    const flags =
      (inViewport ? FLAG.inViewport : 0) |
      (run.seen ? FLAG.visible : 0) |
      (run.withheld ? FLAG.sensitive : 0) |
      (isTerm(run.part) ? FLAG.term : 0);
    this.rows.push(
      makeRow({
        node: numberOf(run.node),
        parent: run.above,
        role: 'text',
        name,
        states: run.withheld ? ['masked'] : [],
        box: run.box,
        flags,
      }),
    );
    if (!run.seen) return;
    this.ended = run;
    this.endedAt = this.rows.length - 1;
  }

  /** Removes rows that turn out not to be painted, when all positions are known. @param {Part} root */
  checkVisibility(root) {
    for (const { index, run } of this.lines) {
      const shown = run.shown(({ box, part, plain }) =>
        plain ? !isCovered(box, part, this.overlays, this.wide) : hasUnderlay(root, box, part, this.number),
      );
      if (!shown) this.rows[index][ROW.flags] &= ~FLAG.visible;
      else if (shown !== run) this.rows[index][ROW.name] = cleanLines(shown.text);
    }
    for (const control of this.labeled) this.doubtful.add(this.rowOf.get(control) ?? -1);
    for (const { index, part, own } of this.pending) {
      if (isUnpainted(part, own, this.overlays, this.wide)) this.rows[index][ROW.flags] &= ~FLAG.visible;
      if (this.doubtful.has(index)) correctByVisibleText(this.rows[index], part, new VisibleText(this, root));
    }
  }

  /**
   * Adds a frame's content box, so that its own rows can be placed.
   * @param {Element} element
   * @param {number} index
   * @param {Rect} clip
   */
  addFrame(element, index, clip) {
    const { x, y, scaleX, scaleY } = frameOrigin(element);
    const inside = /** @type {Rect} */ ([x, y, x + element.clientWidth * scaleX, y + element.clientHeight * scaleY]);
    const shown = overlap(inside, clip);
    const clipped = (shown && overlap(shown, this.viewport)) || NOWHERE;
    this.frames.push(makeFrameRow({ row: index, node: numberOf(element), x, y, scaleX, scaleY, clip: clipped }));
  }

  /**
   * Sets what covers each covered row: the innermost row that contains the element on top, but for one that contains
   * the covered one as well.
   */
  nameBlockers() {
    for (const [index, blocker, covered] of this.blockers) {
      for (let node = /** @type {Element|null} */ (blocker); node; node = flatParentOf(node)) {
        if (node !== blocker && flatContains(node, covered)) break;
        const other = this.rowOf.get(node);
        if (other !== undefined && other !== index && !(this.rows[other][ROW.flags] & FLAG.structure)) {
          this.rows[index][ROW.coveredBy] = this.rows[other][ROW.node];
          break;
        }
      }
      this.rows[index][ROW.blocker] = describeBlocker(blocker);
    }
  }
}
