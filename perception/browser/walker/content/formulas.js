// Formulas as a part of their line, as a snapshot's text has them.

import { cleanText } from '../dom/text.js';
import { groupOfPart } from '../rows/text_line.js';
import { formulaText, isFormula, isFormulaCell } from '../semantics/raised_text.js';
import { RunText } from '../semantics/run_text.js';
import { isTextWithheld } from '../privacy/private_content.js';
import { Part } from '../tree/part.js';
import { escapeHtml } from './html_writer.js';

/** @import { Reader } from './reader.js' */

/**
 * Writes a formula.
 * @param {Reader} reader
 * @param {Part} part
 * @returns {boolean} whether it was one
 */
export function writeFormula(reader, part) {
  if (part.drawn && part.role !== 'img') {
    if (isTextWithheld(part)) reader.masked();
    else if (reader.survey.seesBox(part)) reader.say(escapeHtml(part.drawn));
    return true;
  }
  if (part.tag !== 'math' || !isFormula(part.element)) return false;
  const words = new RunText();
  readFormula(reader, part, words);
  const text = cleanText(words.text);
  if (text) reader.say(escapeHtml(text));
  return true;
}

/** @param {Reader} reader @param {Part} part @param {RunText} words */
function readFormula(reader, part, words) {
  const isCell = isFormulaCell(part.element, part.tag);
  if (isCell) words.add(' ');
  for (const child of part.children) {
    if (child instanceof Part) readFormula(reader, child, words);
    else if (/\S/.test(child.data) && reader.survey.sees(child, part) && !isTextWithheld(part))
      words.add(formulaText(child.data), false, child, groupOfPart(part), reader.survey.boxOf(child));
  }
  if (isCell) words.add(' ');
}
