// Sandbox: what a script sees besides its helpers and parameters. It is run once for each evaluation, before the script.
//
// The script runs in an isolated world that only scripts of subroutines use. The constructors of functions are removed there and
// the built-in objects are frozen, so that no script makes code of a text or changes what the next script works with. The value is
// the scope of the script: it has every name, and a value for those that are given alone.
(names) => {
  'use strict';
  const prototypeOf = Object.getPrototypeOf;
  const functions = [() => 0, async () => 0, function* () { yield 0; }, async function* () { yield 0; }].map(prototypeOf);
  if (!Object.isFrozen(Math)) {
    for (const each of functions) Object.defineProperty(each, 'constructor', { value: undefined });
    const iterators = ['', [], new Map(), new Set(), 'a'.matchAll(/a/g)].map((each) => prototypeOf(each[Symbol.iterator]()));
    const given = names.map((name) => globalThis[name]).filter((each) => each !== null && /^(object|function)$/.test(typeof each));
    for (const each of [...functions, ...iterators, ...given, ...given.map((one) => one.prototype)]) if (each) Object.freeze(each);
    Object.freeze(Math);
  }
  const known = Object.assign(Object.create(null), Object.fromEntries(names.map((name) => [name, globalThis[name]])));
  return new Proxy(Object.freeze(known), {
    has: () => true,
    get: (all, name) => (typeof name === 'string' ? all[name] : undefined),
    set: (_, name) => { throw new TypeError(`${String(name)} is no variable of the script`); },
  });
}
