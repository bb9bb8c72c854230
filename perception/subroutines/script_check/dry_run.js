// Dry run: runs a script to its end against answers that are made up, without a page and without a network.
//
// An answer depends on its call alone, and is a text or number that no script can know before. So two scripts that do the same get
// the same answers, and a value that was written into a script is seen not to be the one that it should be.
async (replay, body, origin, scenarios) => {
  'use strict';
  const MAX_CALLS = 300;
  const copy = (value) => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
  // FNV-1a, 32 bits: decimal digits, so that it is a number, too.
  const mark = (...parts) => {
    let hash = 0x811c9dc5;
    for (const letter of JSON.stringify(parts)) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193) >>> 0;
    return String(1e9 + hash);
  };
  const put = (object, path, value) => {
    let here = object;
    const keys = path.split('.');
    for (const key of keys.slice(0, -1)) {
      if (here[key] === null || typeof here[key] !== 'object') here[key] = {};
      here = here[key];
    }
    const last = keys[keys.length - 1];
    if (here[last] === null || typeof here[last] !== 'object') here[last] = value;
  };
  const answerOf = (expected, name, args) => {
    const shape = (expected && expected.answer) || {};
    const one = (salt) => {
      const made = {};
      for (const key of shape.keys || []) put(made, key, mark('answer', salt, key));
      for (const [key, value] of Object.entries(shape.marks || {})) put(made, key, value);
      return made;
    };
    if (shape.list) return [one(1), one(2)];
    return shape.keys || shape.marks ? one(0) : { status: (expected && expected.status) || 200, path: `/answer/${mark(name, args)}` };
  };
  const rowsOf = (place) => [1, 2].map((number) => {
    const cell = (key) => `cell ${mark('row', number, key)}`;
    if (place.kind === 'list') return { text: cell('text'), url: `${origin}/item/${mark('row', number)}` };
    return (place.columns || []).length ? Object.fromEntries(place.columns.map((key) => [key, cell(key)])) : [cell(0), cell(1)];
  });
  const formOf = (wanted) => [
    ...(wanted.names || []).map((name) => [name, mark('field', name)]),
    ...(wanted.fields || []), ['form', mark('form', wanted)],
  ];
  const answer = ({ name, args }) => {
    switch (name) {
      case 'find': return args[0];
      case 'waitForUrl': return origin + String(args[0]).split('*').reduce((one, rest, index) => one + mark('url', index) + rest);
      case 'request': case 'requestJson': return answerOf((args[2] || {}).expect, name, args);
      case 'waitForRequest': return answerOf(args[0], name, args);
      case 'results': return rowsOf(args[0] || {});
      case 'readForm': return formOf(args[0] || {});
      case 'readField': case 'getCsrfToken': case 'getCookie': return mark(name, args);
      default: return null;
    }
  };
  const run = async ({ params, changes }) => {
    const calls = [];
    const make = (call) => {
      if (calls.length >= MAX_CALLS) return null;
      const change = changes.find(({ at }) => at === calls.length);
      calls.push(change ? { ...call, value: null, error: change.error } : { ...call, value: copy(answer(call)), error: null });
      return copy(calls[calls.length - 1]);
    };
    const end = await replay(body, copy(params), [], make);
    if (end.call) return { calls, end: { threw: { message: `it makes over ${MAX_CALLS} calls`, reason: 'LOOP' } } };
    const again = await replay(body, copy(params), copy(calls));
    if (again.strayed) return { calls, end: again };
    const isSame = JSON.stringify(again) === JSON.stringify(end);
    return { calls, end: isSame ? end : { threw: { message: 'it goes another way when it is run again', reason: 'SCRIPT' } } };
  };
  const traces = [];
  for (const scenario of scenarios) traces.push(await run(scenario));
  return JSON.stringify(traces);
}
