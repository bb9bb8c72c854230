// What the package in examples/node promises, against a real service. Exits with 1 and says what does not hold.
// Usage: node contract.js ADDRESS URL OPTIONS   URL of a page with a button; OPTIONS of `connect` as JSON.
import assert from 'node:assert/strict';
import { type Client, connect, type ConnectOptions, PerceptionError, ScriptError } from 'perception-client';
import { Download_State, Mode } from 'perception-client/v1';

const [address = '', url = '', options = '{}'] = process.argv.slice(2);
const access = JSON.parse(options) as ConnectOptions;

async function refused(call: Promise<unknown>): Promise<PerceptionError> {
  const error = await call.then(
    () => assert.fail('the call was not refused'),
    (caught: unknown) => caught,
  );
  assert(error instanceof PerceptionError, String(error));
  return error;
}

async function errorsAreTyped(client: Client): Promise<void> {
  const page = await client.open(url);
  const stale = await refused(page.click('e999'));
  assert.deepEqual(
    [stale.codeName, stale.reason, stale.ref, stale.inputDispatched],
    ['NOT_FOUND', 'UNKNOWN_REF', 'e999', false],
  );
  const late = await refused(page.waitFor({ text: 'nowhere' }, { timeoutMs: 400 }));
  assert.deepEqual([late.codeName, late.reason], ['DEADLINE_EXCEEDED', 'DEADLINE']);
  const invalid = await refused(client.open('', { viewport: { width: 1, height: 1 } }));
  assert.deepEqual([invalid.reason, invalid.field], ['BAD_INPUT', 'options.viewport']);
  const misspelt = await refused(page.snapshot({ view: 'digset' as 'digest' }));
  assert.match(misspelt.message, /view is 'digset': it takes 'full', 'interactive', 'digest'/);
  assert.match((await refused(page.snapshot({ timeoutMs: -1 }))).message, /timeoutMs is -1/);

  const opened = await Promise.all([client.open(), client.open()]);
  const full = await refused(client.open()); // the service has three sessions
  assert.deepEqual(
    [full.reason, full.limit, full.setting, full.retryAfterMs],
    ['SESSION_LIMIT', 3, 'PERCEPTION_MAX_SESSIONS', 1000],
  );
  for (const each of [page, ...opened]) await each.close();
  await page.close(); // a second time
  assert.equal((await refused(client.attach(page.sessionId))).reason, 'UNKNOWN_SESSION');
}

async function callsCanBeAborted(client: Client): Promise<void> {
  const page = await client.open(url);
  const reason = new Error('not needed any more');
  const controller = new AbortController();
  const waiting = page.waitFor({ text: 'nowhere' }, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 100);
  await assert.rejects(waiting, reason);
  await assert.rejects(page.tabs({ signal: controller.signal }), reason);

  const ending = new AbortController();
  await assert.rejects(async () => {
    for await (const { title } of page.watch({ mode: 'text', signal: ending.signal })) {
      assert.equal(title, 'Basket');
      ending.abort(reason);
    }
  }, reason);
  for await (const { snapshot } of client.rpc.perception.watchSnapshots({
    sessionId: page.sessionId,
    options: { mode: Mode.TEXT },
  })) {
    assert.equal(snapshot?.title, 'Basket');
    break;
  }
  assert.equal((await page.tabs()).length, 1);
  assert.deepEqual((await client.rpc.video.listVideos({})).videos, []);
  await page.close();
}

async function aSessionDoesWhatAPersonDoes(client: Client): Promise<void> {
  const page = await client.open('', {
    viewport: { width: 800, height: 600 },
    allowEvaluate: true,
    colorScheme: 'dark',
  });
  assert.equal((await page.navigate(url, { waitUntil: 'load' })).title, 'Basket');
  assert.equal((await (await client.attach(page.sessionId)).snapshot({ mode: 'text' })).title, 'Basket');
  assert((await client.sessions()).some(({ sessionId }) => sessionId === page.sessionId));
  await page.evaluate(`() => { document.body.innerHTML = "<input id=name aria-label=Name> <input id=file type=file>"
    + "<input id=agree type=checkbox aria-label=Agree> <select id=size><option>S<option>L</select>"
    + "<a download='a 😀.txt' href='data:text/plain,x'>Get</a> <button onclick='prompt(1)'>Ask</button>" }`);
  const seen = await page.snapshot({ mode: 'text' });
  const name = seen.elements.find((each) => each.name === 'Name')!;
  assert.match((await page.type(name, 'Ana')).diff!.text, /"Ana"/);
  await page.check('#agree');
  await page.select('#size', 'L');
  await page.upload('#file', { contents: { 'a:b 😀.txt': new TextEncoder().encode('x') } });
  await page.hover({ x: 5, y: 5 });
  await page.scroll({ deltaY: 10 });
  await page.press('Tab');
  const state =
    '() => [agree.checked, size.value, file.files[0].name, matchMedia("(prefers-color-scheme: dark)").matches]';
  assert.deepEqual(await page.evaluate(state), [true, 'L', 'a:b 😀.txt', true]);
  assert.equal(await page.evaluate('element => element.value', name), 'Ana');
  await assert.rejects(page.evaluate('() => { throw new Error("no") }'), ScriptError);
  assert.deepEqual(
    (await page.click('button')).dialogs.map(({ message }) => message),
    ['1'],
  );
  assert.equal((await refused(page.click('a'))).reason, 'DIALOG_OPEN');
  assert.equal((await page.dialogs()).length, 1);
  await page.handleDialog({ accept: false });
  await page.click('a');
  let [download] = await page.downloads();
  for (let tries = 0; download?.state === Download_State.IN_PROGRESS && tries < 100; tries++) {
    await new Promise((wake) => setTimeout(wake, 50));
    [download] = await page.downloads();
  }
  assert.deepEqual([download?.state, download?.name, download?.sizeBytes], [Download_State.COMPLETED, 'a 😀.txt', 1n]);
  assert.equal(String.fromCharCode(...(await page.screenshot()).slice(1, 4)), 'PNG');
  assert.equal((await page.find('the Ask button', { mode: 'text' }))[0]?.element?.role, 'button');
  assert((await page.interactables()).some(({ selector }) => selector.includes('agree')));
  assert.match((await page.content()).markdown, /Get/);
  assert((await page.explain('#name', { mode: 'text' })).listed);
  await page.close();
}

async function main(): Promise<void> {
  const client = await connect(address, { ...access, timeoutMs: 30_000 });
  await errorsAreTyped(client);
  await callsCanBeAborted(client);
  await aSessionDoesWhatAPersonDoes(client);
  client.close();
  if (access.token) {
    assert.equal((await refused(connect(address, { ...access, token: 'wrong' }))).reason, 'UNAUTHENTICATED');
    assert.match((await refused(connect('elsewhere.example:1', { token: 'x', tls: false }))).message, /in the clear/);
  }
  assert.match(
    (await refused(connect('127.0.0.1:1', { timeoutMs: 5000 }))).message,
    /no service answers at 127.0.0.1:1/,
  );
  console.log('all of the contract holds');
}

await main();
