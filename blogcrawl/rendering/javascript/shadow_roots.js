most => {
  const out = [];
  const walk = root => {
    for (const e of root.querySelectorAll('*'))
      if (e.shadowRoot && out.length < most) { out.push(e.shadowRoot.innerHTML);
        walk(e.shadowRoot); }
  };
  walk(document);
  return out.filter(h => h.replace(/<style[\s\S]*?<\/style>/g, '').length > 200);
}
