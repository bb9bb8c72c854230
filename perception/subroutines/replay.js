// Replay: runs the body of a subroutine up to its next call, given what its earlier calls came to.
//
// The body runs in a world of its own, and has its helpers and parameters alone. A call of a helper ends this run with
// that call; the service makes it, by trusted input or by the page's own fetch, and runs the body again from the start
// with one more answer. So a page that navigates away takes nothing along, and nothing is done twice: what was answered
// once is never asked for again. The price is a body that takes the same way each time: it must not ask for the time or
// for chance, and one that strays is ended. A dry run, where nothing navigates, answers each call at once instead.
(body, params, journal, answer = () => null) => new Promise((end) => {
  'use strict';
  let next = 0;
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  class StepError extends Error {
    name = 'StepError'; // by definition: the name of all errors is frozen, see sandbox.js
    constructor({ message, reason, sent }) {
      super(message);
      this.reason = reason;
      this.sent = sent;
    }
  }

  const call = (name, ...given) => new Promise((done, fail) => {
    const args = JSON.parse(JSON.stringify(given));
    const known = journal[next++] || answer({ name, args });
    if (!known) { end({ call: { name, args } }); return; }
    if (known.name !== name || !isSame(known.args, args)) { end({ strayed: { name, was: known.name, at: next - 1 } }); return; }
    if (known.error) fail(new StepError(known.error));
    else done(known.value);
  });

  // The objects that an address has in place of the names of a route: route('/tickets/9', '/tickets/:id') is { id: '9' }.
  const partsOf = (address) => {
    const [, path, query, fragment] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(address);
    const pairs = (text) => (text || '').split('&').filter(Boolean).map((pair) => pair.split('='))
      .map(([key, ...value]) => [decodeURIComponent(key), value.join('=').replace(/\+/g, '%20')]).sort(([one], [other]) => (one < other ? -1 : 1));
    const [view, state] = /=/.test(fragment || '') && !/^!?\//.test(fragment) ? ['', fragment.replace(/^\?/, '')] : (fragment || '').split('?');
    return [...path.split('/'), ...pairs(query).flat(), ...view.split('/'), ...pairs(state).flat()];
  };
  const route = (address, pattern) => {
    const parts = partsOf(String(address));
    const names = partsOf(pattern);
    const found = {};
    if (names.length !== parts.length) throw new Error(`${address} is not of the route ${pattern}`);
    names.forEach((name, index) => {
      if (name.startsWith(':')) found[name.slice(1)] = decodeURIComponent(parts[index]);
    });
    return found;
  };

  // A regular expression becomes its source; `await find(…)` asks the page, and gives null where there is no such element.
  const plain = (value) => value instanceof RegExp ? { pattern: value.source, flags: value.flags } : value;
  const find = (target) => {
    const wanted = Object.fromEntries(Object.entries(target).map(([key, value]) => [key, plain(value)]));
    return Object.defineProperty({ find: wanted }, 'then', { value: (done, fail) => call('find', { find: wanted }).then(done, fail) });
  };
  const helpers = { route, find };
  for (const name of ['goto', 'click', 'doubleClick', 'hover', 'drag', 'answerDialog', 'switchTab', 'closeTab', 'type', 'write', 'select', 'check', 'press', 'upload', 'waitFor', 'waitForUrl', 'waitForRequest', 'request', 'requestJson', 'readForm', 'readField', 'getCsrfToken', 'getCookie', 'confirm', 'results']) {
    helpers[name] = (...given) => call(name, ...given);
  }
  helpers.networkOrDom = async (byRequest, byHand) => {
    try {
      return await byRequest();
    } catch (error) {
      // What may have changed something is not tried in another way.
      if (!(error instanceof StepError) || error.sent || error.reason === 'NOT_LOGGED_IN' || error.reason === 'UNVERIFIED') throw error;
      await call('fallBack', error.message);
      return byHand();
    }
  };
  (async () => body(Object.freeze(helpers), params))().then(
    (value) => end({ value: value === undefined ? null : value }),
    (error) => end({ threw: { message: String(error && error.message || error), reason: error instanceof StepError ? error.reason : 'SCRIPT' } }),
  );
})
