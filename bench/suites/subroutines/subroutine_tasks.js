// The page of a task of subroutine_tasks.py: what it sends for what is done, and the noise around it.
((task) => {
  const at = (id) => document.getElementById(id);
  const given = () => ({ name: at('name').value, kind: at('kind').value });
  const said = (text) => { at('said').textContent = text; };

  function bodyOf() {
    const values = given();
    if (task.body === 'json') return [JSON.stringify(values), 'application/json'];
    if (task.body === 'graphql') return [JSON.stringify({ operationName: 'Save', query: 'mutation Save { save }', variables: values }), 'application/json'];
    if (task.body === 'persisted') return [JSON.stringify({ doc_id: '7264519903', variables: values }), 'application/json'];
    if (task.body === 'urlencoded') return [new URLSearchParams(values), ''];
    if (task.body !== 'formdata') return [undefined, ''];
    const form = new FormData();
    for (const [name, value] of Object.entries(values)) form.append(name, value);
    return [form, ''];
  }

  function send() {
    const [body, type] = bodyOf();
    const query = task.method === 'GET' ? `?q=${encodeURIComponent(given().name)}` : '';
    const headers = type ? { 'Content-Type': type } : {};
    if (task.via === 'fetch') { fetch(task.path + query, { method: task.method, headers, body }).then(() => said('Done')); return; }
    const request = new XMLHttpRequest();
    request.open(task.method, task.path + query);
    if (type) request.setRequestHeader('Content-Type', type);
    request.onload = () => said('Done');
    request.send(body);
  }

  const later = () => setTimeout(send, task.delay_ms);
  if (task.via !== 'form') {
    at('form').addEventListener('submit', (event) => { event.preventDefault(); });
    if (task.trigger === 'click') at('go').addEventListener('click', later);
    if (task.trigger === 'enter') at('name').addEventListener('keydown', (event) => { if (event.key === 'Enter') later(); });
    if (task.trigger === 'select') at('kind').addEventListener('change', later);
    if (task.trigger === 'check') at('agree').addEventListener('change', later);
  }

  const ignored = () => 0;
  const post = (url, body) => fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }).catch(ignored);
  setInterval(() => post('/api/sync', { since: 1 }), task.noise_ms);
  document.addEventListener('click', () => {
    navigator.sendBeacon('/collect', JSON.stringify({ event: 'click', at: Date.now() }));
    fetch(`${task.analytics}/event`, { method: 'POST', mode: 'no-cors', body: 'click' }).catch(ignored);
    post('/api/presence', { active: true });
    fetch('/prefetch?next=1').catch(ignored);
  }, true);
  fetch('/api/items').catch(ignored);
})
