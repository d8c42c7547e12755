/* The kind and the titles of the entries of a list that lead on by script alone: headings with the
   pointer of links and without any link, three or more, but on further pages of a list of a kind
   that is known. With a number, that one is clicked. */
([known, number]) => {
  const leads = a => { const h = a.getAttribute('href').trim(); return h &&
    !/^(#(?![!/])|javascript:)/i.test(h); };
  const label = e => (e.innerText || '').trim().replace(/\s+/g, ' ');
  const linked = e => [e.closest('a[href]'), ...e.querySelectorAll('a[href]')]
    .some(a => a && leads(a));
  const kinds = new Map();
  for (const e of document.querySelectorAll('h1, h2, h3, h4, h5, h6, [class*=title]')) {
    const text = label(e);
    if (!text || text.length > 200 || !e.getClientRects().length || linked(e) ||
      getComputedStyle(e).cursor !== 'pointer' ||
      e.closest('nav, header, footer, button, form, [role=button], [class*=comment]')) continue;
    const kind = e.localName + '.' + e.className;
    kinds.set(kind, [...(kinds.get(kind) || []), e]);
  }
  const [kind, cards] = known ? [known, kinds.get(known) || []] :
    [...kinds].reduce((a, b) => b[1].length > a[1].length ? b : a, ['', []]);
  if (!known && new Set(cards.map(label)).size < 3) return ['', []];
  window.openedByScript = '';
  if (cards[number]) cards[number].click();
  return [kind, cards.map(label)];
}
