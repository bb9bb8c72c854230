// One request by the page's own fetch, as its scripts would make it: same origin, same cookies, and whatever the page has
// put around fetch to sign what it sends.
async (method, url, options, limit) => {
  const init = { method, headers: { ...options.headers }, credentials: 'same-origin', redirect: 'follow' };
  if (options.json !== undefined) {
    init.body = JSON.stringify(options.json);
    if (!Object.keys(init.headers).some((name) => name.toLowerCase() === 'content-type')) init.headers['Content-Type'] = 'application/json';
  } else if (options.form) {
    init.body = new URLSearchParams(options.form);
  } else if (options.formData) {
    init.body = new FormData();
    for (const [name, value] of options.formData) init.body.append(name, value);
  }
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, url: response.url, redirected: response.redirected, mime: response.headers.get('content-type') || '', text: text.slice(0, limit) };
}
