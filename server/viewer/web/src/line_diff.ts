/** What changed between two texts, line by line: the longest common subsequence. */

export interface DiffLine {
  text: string;
  sign: ' ' | '+' | '-';
}

/** Beyond this, lines are compared as sets: 1,500² steps are still some milliseconds. */
const MAX_LINES = 1500;

export function diffLines(before: string[], after: string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const middle = compare(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const same = (text: string): DiffLine => ({ text, sign: ' ' });
  return [...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - end).map(same)];
}

function compare(before: string[], after: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ text, sign: '-' });
  const added = (text: string): DiffLine => ({ text, sign: '+' });
  if (before.length > MAX_LINES || after.length > MAX_LINES) {
    const [old, now] = [new Set(before), new Set(after)];
    return [
      ...before.filter((each) => !now.has(each)).map(removed),
      ...after.filter((each) => !old.has(each)).map(added),
    ];
  }
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ text: before[i]!, sign: ' ' });
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push(removed(before[i++]!));
    } else {
      lines.push(added(after[j++]!));
    }
  }
  return lines;
}

/** Only what changed, each with some lines around it. */
export function withContext(lines: DiffLine[], around: number): (DiffLine | null)[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some((each) => each.sign !== ' '),
  );
  const shown: (DiffLine | null)[] = [];
  lines.forEach((line, at) => {
    if (near[at]) shown.push(line);
    else if (shown.at(-1) !== null && shown.length) shown.push(null);
  });
  if (shown.at(-1) === null) shown.pop();
  return shown;
}
