/**
 * Reads and writes the storage of one origin, in an empty document of that origin. Values that are not plain JSON have
 * the form that Playwright's storage state gives them (`valueEncoded`).
 */
(() => {
  const MAX_NOTES = 20;

  class NotKept extends Error {}

  const kindOf = value => Object.prototype.toString.call(value).slice(8, -1);

  const done = request =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  const finished = transaction =>
    new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error || new Error('aborted'));
    });

  const ARRAYS = {
    i8: 'Int8Array', ui8: 'Uint8Array', ui8c: 'Uint8ClampedArray', i16: 'Int16Array', ui16: 'Uint16Array',
    i32: 'Int32Array', ui32: 'Uint32Array', f32: 'Float32Array', f64: 'Float64Array', bi64: 'BigInt64Array',
    bui64: 'BigUint64Array',
  };
  const ARRAY_CODES = Object.fromEntries(Object.entries(ARRAYS).map(([code, name]) => [name, code]));

  function toBase64(bytes) {
    let text = '';
    for (let at = 0; at < bytes.length; at += 32768)
      text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  }

  const fromBase64 = text => Uint8Array.from(atob(text), each => each.charCodeAt(0));

  function isPlain(value, seen) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
    if (typeof value !== 'object' || seen.has(value)) return false;
    seen.add(value);
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) if (!(i in value) || !isPlain(value[i], seen)) return false;
      return true;
    }
    return kindOf(value) === 'Object' && Object.values(value).every(each => isPlain(each, seen));
  }

  function encode(value, seen) {
    if (value === undefined) return { v: 'undefined' };
    if (value === null) return { v: 'null' };
    if (typeof value === 'bigint') return { bi: value.toString() };
    if (typeof value === 'number') {
      if (Object.is(value, -0)) return { v: '-0' };
      return Number.isFinite(value) ? value : { v: String(value) };
    }
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    const kind = kindOf(value);
    if (kind === 'Error') return { e: { n: value.name, m: value.message, s: value.stack || '' } };
    if (kind === 'Date') return { d: value.toJSON() };
    if (kind === 'RegExp') return { r: { p: value.source, f: value.flags } };
    if (kind in ARRAY_CODES) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return { ta: { b: toBase64(bytes), k: ARRAY_CODES[kind] } };
    }
    if (kind === 'ArrayBuffer') return { ab: { b: toBase64(new Uint8Array(value)) } };
    if (seen.has(value)) return { ref: seen.get(value) };
    const id = seen.size + 1;
    seen.set(value, id);
    if (kind === 'Map') return { m: [...value].map(([k, v]) => ({ k: encode(k, seen), v: encode(v, seen) })), id };
    if (kind === 'Set') return { s: [...value].map(each => encode(each, seen)), id };
    if (kind === 'Array') return { a: Array.from(value, each => encode(each, seen)), id };
    if (kind === 'Object') return { o: Object.entries(value).map(([k, v]) => ({ k, v: encode(v, seen) })), id };
    throw new NotKept(kind);
  }

  function decode(value, known) {
    if (value === null || typeof value !== 'object') return value;
    if ('v' in value)
      return { undefined, null: null, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 }[value.v];
    if ('ref' in value) return known.get(value.ref);
    if ('bi' in value) return BigInt(value.bi);
    if ('d' in value) return new Date(value.d);
    if ('u' in value) return new URL(value.u);
    if ('r' in value) return new RegExp(value.r.p, value.r.f);
    if ('ab' in value) return fromBase64(value.ab.b).buffer;
    if ('ta' in value) return new globalThis[ARRAYS[value.ta.k]](fromBase64(value.ta.b).buffer);
    if ('e' in value) return Object.assign(new Error(value.e.m), { name: value.e.n, stack: value.e.s });
    const made = 'm' in value ? new Map() : 's' in value ? new Set() : 'a' in value ? [] : {};
    known.set(value.id, made);
    for (const { k, v } of value.m || []) made.set(decode(k, known), decode(v, known));
    for (const each of value.s || []) made.add(decode(each, known));
    for (const each of value.a || []) made.push(decode(each, known));
    for (const { k, v } of value.o || [])
      Object.defineProperty(made, k, { value: decode(v, known), enumerable: true, configurable: true, writable: true });
    return made;
  }

  const field = (name, value) =>
    isPlain(value, new Set()) ? { [name]: value } : { [`${name}Encoded`]: encode(value, new Map()) };

  const keyPath = path => (Array.isArray(path) ? { keyPathArray: path } : typeof path === 'string' ? { keyPath: path } : {});

  async function collectStore(store, budget, refused) {
    const records = [];
    const request = store.openCursor();
    for (let cursor = await done(request); cursor; cursor.continue(), cursor = await done(request)) {
      try {
        const key = store.keyPath === null ? field('key', cursor.key) : {};
        const record = { ...key, ...field('value', cursor.value) };
        budget.left -= JSON.stringify(record).length;
        if (budget.left < 0) throw new RangeError('too large');
        records.push(record);
      } catch (error) {
        if (!(error instanceof NotKept)) throw error;
        refused.set(error.message, (refused.get(error.message) || 0) + 1);
      }
    }
    const indexes = [...store.indexNames].map(name => store.index(name)).map(index => ({
      name: index.name, ...keyPath(index.keyPath), multiEntry: index.multiEntry, unique: index.unique,
    }));
    return { name: store.name, records, indexes, autoIncrement: store.autoIncrement, ...keyPath(store.keyPath) };
  }

  async function collectDatabase({ name, version }, budget, note) {
    const database = await done(indexedDB.open(name, version));
    try {
      const names = [...database.objectStoreNames];
      const stores = [];
      const transaction = names.length ? database.transaction(names, 'readonly') : null;
      for (const each of names) {
        const refused = new Map();
        stores.push(await collectStore(transaction.objectStore(each), budget, refused));
        for (const [kind, count] of refused)
          note('database', `${name}/${each}`, `${count} records are left out, as a state holds no ${kind}`);
      }
      return { name, version, stores };
    } finally {
      database.close();
    }
  }

  function notes() {
    const list = [];
    return { list, note: (kind, name, why) => list.length < MAX_NOTES && list.push([kind, name.slice(0, 200), why.slice(0, 200)]) };
  }

  async function collect({ databases, maxLength }) {
    const { list, note } = notes();
    const budget = { left: maxLength };
    const items = [];
    for (let i = 0; i < localStorage.length; i++) {
      const name = localStorage.key(i);
      items.push({ name, value: localStorage.getItem(name) });
    }
    const found = [];
    for (const each of databases ? await indexedDB.databases() : []) {
      const before = budget.left;
      try {
        found.push(await collectDatabase(each, budget, note));
      } catch (error) {
        budget.left = before;
        note('database', each.name, error instanceof RangeError ? 'it is too large for a state' : error.message);
      }
    }
    return { localStorage: items, indexedDB: found, omitted: list };
  }

  function fill(store, records) {
    for (const record of records) {
      const value = 'valueEncoded' in record ? decode(record.valueEncoded, new Map()) : record.value;
      if (store.keyPath !== null) store.put(value);
      else store.put(value, 'keyEncoded' in record ? decode(record.keyEncoded, new Map()) : record.key);
    }
  }

  function build(database, transaction, stores) {
    for (const name of [...database.objectStoreNames]) database.deleteObjectStore(name);
    for (const { name, keyPathArray, keyPath, autoIncrement, indexes, records } of stores) {
      const store = database.createObjectStore(name, { autoIncrement, keyPath: keyPathArray ?? keyPath ?? null });
      for (const each of indexes)
        store.createIndex(each.name, each.keyPathArray ?? each.keyPath, { unique: each.unique, multiEntry: each.multiEntry });
      fill(store, records);
    }
  }

  const shape = stores =>
    JSON.stringify(stores.map(each => [each.name, each.keyPath ?? each.keyPathArray ?? null, each.autoIncrement]).sort());

  /** Replaces a database in one transaction, so that it is never half written. */
  function restoreDatabase({ name, version, stores }, known) {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(name, version);
      let isLate = false;
      request.onblocked = () => {
        isLate = true;
        reject(new Error('a page of the session has it open: close its tab first'));
      };
      request.onupgradeneeded = () => {
        if (isLate) return request.transaction.abort();
        try {
          build(request.result, request.transaction, stores);
        } catch (error) {
          request.transaction.abort();
          reject(error);
        }
      };
      request.onerror = () => reject(request.error);
      request.onsuccess = async () => {
        const database = request.result;
        try {
          if (known === version) await refill(database, stores);
          resolve();
        } catch (error) {
          reject(error);
        } finally {
          database.close();
        }
      };
    });
  }

  async function refill(database, stores) {
    const names = [...database.objectStoreNames];
    if (!names.length && !stores.length) return;
    const transaction = names.length ? database.transaction(names, 'readwrite') : null;
    const present = names.map(each => transaction.objectStore(each));
    if (shape(present) !== shape(stores)) throw new Error('the session has other stores in it at the same version');
    const end = finished(transaction);
    try {
      for (const each of stores) {
        transaction.objectStore(each.name).clear();
        fill(transaction.objectStore(each.name), each.records);
      }
    } catch (error) {
      transaction.abort();
      await end.catch(() => undefined);
      throw error;
    }
    await end;
  }

  async function restore(state) {
    const { list, note } = notes();
    for (const { name, value } of state.localStorage) {
      try {
        localStorage.setItem(name, value);
      } catch (error) {
        note('localStorage item', name, error.name === 'QuotaExceededError' ? 'the origin has no room for it' : error.message);
      }
    }
    const known = new Map((await indexedDB.databases()).map(each => [each.name, each.version]));
    for (const each of state.indexedDB) {
      try {
        if (known.get(each.name) > each.version)
          throw new Error(`the session has version ${known.get(each.name)} of it, the state ${each.version}`);
        await restoreDatabase(each, known.get(each.name));
      } catch (error) {
        note('database', each.name, error.message);
      }
    }
    return { omitted: list };
  }

  const FUNCTIONS = { collect, restore };

  function run(origin, name, options) {
    if (location.origin !== origin) throw new Error('the browser leads to another origin, such as https for http');
    return FUNCTIONS[name](options);
  }

  return { run };
})()
