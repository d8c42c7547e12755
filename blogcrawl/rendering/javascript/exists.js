css => {
  const find = root => root.querySelector(css) ||
    [...root.querySelectorAll('*')].some(e => e.shadowRoot && find(e.shadowRoot));
  return !!find(document);
}
