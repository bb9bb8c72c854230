/** The lines of a served text, and which refs each is about. */

export interface Line {
  text: string;
  refs: string[];
  /** One of the two marker lines around a page's words. */
  fence: boolean;
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const BRACKETED = /\[ref=([ev]\d+)\]/g;
const LEADING = /^[+~-]?\s*(?:[ev]\d+(?:-[ev]\d+)?[ ,]?)+/;
const REFS = /([ev])(\d+)(?:-[ev](\d+))?/g;

const MAX_RANGE = 200;

/** Refs are read where the service writes them, never within the page's words. */
export function parseLines(text: string): Line[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => ({ text: line, refs: refsOf(line), fence: /^<\/?untrusted-page \d+>$/.test(line) }));
}

function refsOf(line: string): string[] {
  const own = line.replace(QUOTED, '""');
  const bracketed = [...own.matchAll(BRACKETED)].map((match) => match[1]!);
  if (bracketed.length) return bracketed;
  const leading = LEADING.exec(own.trimStart())?.[0] ?? '';
  return [...leading.matchAll(REFS)].flatMap(([, kind, first, last]) =>
    range(kind!, Number(first), Number(last ?? first)),
  );
}

function range(kind: string, first: number, last: number): string[] {
  const length = Math.min(MAX_RANGE, Math.max(1, last - first + 1));
  return Array.from({ length }, (_, at) => `${kind}${first + at}`);
}
