/* Clicks the control that shows more of a list, or scrolls to the end; the clicks. */
([words, names]) => {
  const says = new RegExp(words, 'i'), called = new RegExp(names, 'i');
  const leads = a => { const h = (a.getAttribute('href') || '').trim(); return h &&
    !/^(#|javascript:)/i.test(h); };
  for (const e of document.querySelectorAll(
    'button, a, input[type=button], [role=button], div, span')) {
    const label = (e.value || e.innerText || '').trim().replace(/\s+/g, ' ');
    const box = e.localName === 'div' || e.localName === 'span';
    const named = called.test(' ' + (e.getAttribute('class') || '') + ' ' + e.id);
    if (label.length > 40 || !(says.test(label) && (!box || named ||
      e.getAttribute('role') === 'button')) && !(named && label)) continue;
    if (e.disabled || !e.getClientRects().length ||
      [e, ...e.querySelectorAll('a')].some(leads)) continue;
    if (e.closest('[class*=comment], [id*=comment]')) continue;
    e.click();
    return 1;
  }
  window.scrollTo(0, (document.scrollingElement || document.documentElement).scrollHeight);
  return 0;
}
