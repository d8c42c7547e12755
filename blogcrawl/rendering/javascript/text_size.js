/* A number that changes when anything is added or taken away. */
() => {
  let size = 0;
  const add = root => {
    const all = root.querySelectorAll('*');
    size += (root.textContent || '').length + (root.documentElement ?
      root.documentElement.textContent.length : 0) + all.length;
    for (const e of all) if (e.shadowRoot) add(e.shadowRoot);
  };
  add(document);
  return size;
}
