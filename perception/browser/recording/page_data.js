// What stands in the document as data, for a look at where the values of a request come from: [key, value] pairs and texts
// of JSON. It runs in an isolated world and changes nothing.
(limit) => {
  const [json, pairs] = [[], []];
  let left = limit;
  const take = (list, value, size) => {
    left -= size;
    if (left >= 0) list.push(value);
  };
  for (const script of document.querySelectorAll('script[type$="json" i]')) {
    const text = script.textContent ?? '';
    take(json, text, text.length);
  }
  for (const element of document.querySelectorAll('*')) {
    if (left <= 0) break;
    for (const { name, value } of element.attributes)
      if (name.startsWith('data-')) take(pairs, [name.slice(5), value], name.length + value.length);
    if (element instanceof HTMLInputElement && element.type === 'hidden')
      take(pairs, [element.name || element.id, element.value], element.value.length);
    if (element.matches('td, dd, output, data, time') && !element.childElementCount) {
      const text = (element.textContent ?? '').trim();
      take(pairs, ['', text], text.length);
    }
  }
  return { json, pairs };
};
