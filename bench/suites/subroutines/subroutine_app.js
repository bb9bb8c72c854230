// The scripts of the application of subroutine_app.py. `docId` is empty for its REST form, `noise` null for quiet pages.
(({ key, docId }, noise) => {
  const field = (name) => document.querySelector(`[name=${name}]`);
  const meta = document.querySelector('meta[name=csrf-token]');
  const plain = window.fetch;

  /** Signs what is sent, as the server wants it. */
  window.fetch = async function fetch(url, init) {
    if (!init || !init.body) return plain.apply(this, arguments);
    const bytes = new TextEncoder();
    const secret = await crypto.subtle.importKey('raw', bytes.encode(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const mac = await crypto.subtle.sign('HMAC', secret, bytes.encode(init.body));
    const signature = [...new Uint8Array(mac)].map((each) => each.toString(16).padStart(2, '0')).join('');
    return plain.call(this, url, { ...init, headers: { ...init.headers, 'X-Signature': signature } });
  };

  function send(note) {
    const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': meta.content };
    const body = docId ? { doc_id: docId, operationName: 'AddNote', variables: { input: note } } : { ...note, nonce: field('nonce').value };
    return window.fetch(docId ? '/graphql' : '/api/notes', { method: 'POST', headers, body: JSON.stringify(body) });
  }

  document.getElementById('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const note = { title: field('title').value, text: field('text').value, kind: field('kind').value };
    const answer = await (await send(note)).json();
    if (answer.csrf) meta.content = answer.csrf;
    if (answer.nonce) field('nonce').value = answer.nonce;
    document.getElementById('said').textContent = answer.errors ? answer.errors[0].message : 'Saved';
    if (!answer.errors) document.getElementById('list').append(Object.assign(document.createElement('li'), { textContent: note.title }));
  });

  if (!noise) return;
  const ignored = () => 0;
  setInterval(() => window.fetch('/poll', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"since":1}' }).catch(ignored), noise.every);
  document.addEventListener('click', () => {
    navigator.sendBeacon(`${noise.analytics}/collect`, JSON.stringify({ event: 'click', at: Date.now() }));
    plain(`${noise.analytics}/event`, { method: 'POST', mode: 'no-cors', body: 'click' }).catch(ignored);
    plain('/prefetch?next=1').catch(ignored);
  }, true);
})
