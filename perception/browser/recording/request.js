// One request by the page's own fetch, as its scripts would make it: same origin, same cookies, and the page's own wrappers
// of fetch that sign its requests.
async (method, url, options, limit) => {
  const init = { method, headers: { ...options.headers }, credentials: 'same-origin', redirect: 'follow' };
  const declare = (type) => {
    if (!Object.keys(init.headers).some((name) => name.toLowerCase() === 'content-type'))
      init.headers['Content-Type'] = type;
  };
  if (options.json !== undefined) {
    init.body = JSON.stringify(options.json);
    declare('application/json');
  } else if (options.form && options.style) {
    const text = options.form.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
    init.body = options.style === 'jquery' ? text.replace(/%20/g, '+') : text;
    declare('application/x-www-form-urlencoded');
  } else if (options.form) {
    init.body = new URLSearchParams(options.form);
  } else if (options.formData) {
    init.body = new FormData();
    // null is a file field without a file.
    const none = new File([], '', { type: 'application/octet-stream' });
    for (const [name, value] of options.formData) init.body.append(name, value === null ? none : value);
  }
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    url: response.url,
    redirected: response.redirected,
    mime: response.headers.get('content-type') || '',
    text: text.slice(0, limit),
  };
};
