/* Boxes by XPath, as lxml's `getpath` writes it: positions only among siblings. */
most => {
  const out = {};
  let count = 0;
  const walk = (node, path) => {
    const seen = {}, total = {};
    for (const c of node.children) { const n = c.localName; total[n] = (total[n] || 0) + 1; }
    for (const c of node.children) {
      const n = c.localName;
      seen[n] = (seen[n] || 0) + 1;
      if (count >= most || n === 'script' || n === 'style' || n === 'head' ||
        n.includes(':')) continue;
      const own = path + '/' + n + (total[n] > 1 ? '[' + seen[n] + ']' : '');
      const r = c.getBoundingClientRect();
      if (r.width > 0 && r.height > 0) {
        out[own] = [r.left + scrollX, r.top + scrollY, r.width, r.height]
          .map(v => Math.round(v * 10) / 10);
        count++;
      }
      walk(c, own);
    }
  };
  const root = document.documentElement;
  if (root) { const r = root.getBoundingClientRect(); out['/html'] = [0, 0, r.width, r.height];
    walk(root, '/html'); }
  return out;
}
