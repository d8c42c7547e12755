/* Clicks the next button that has an empty place to fill, or nothing else around it; whether
   there was one. See `reveal`. */
ofComments => {
  const shows = 'img, picture, video, audio, iframe, svg, canvas, input, textarea';
  const places = ['div', 'section', 'ul', 'ol', 'article', 'aside', 'p', 'span'];
  const words = e => (e.textContent || '').trim();
  const empty = e => e && places.includes(e.localName) && !words(e) && !e.querySelector(shows);
  const place = e => {
    const id = e.getAttribute('aria-controls');
    if (id) return empty(document.getElementById(id));
    const label = words(e);
    for (let box = e, level = 0; level < 2; level++, box = box.parentElement) {
      if (box.nextElementSibling) return empty(box.nextElementSibling);
      if (!box.parentElement || words(box.parentElement) !== label) return false;
      if (box.parentElement.localName === 'section' || level === 1) return true;
    }
    return false;
  };
  for (const e of document.querySelectorAll('button, a, [role=button]')) {
    const href = (e.getAttribute('href') || '#').trim();
    if (!/^(#$|javascript:)/i.test(href) || e.disabled || !e.getClientRects().length) continue;
    if (e.closest('header, nav, footer, aside, form, dialog, menu') || e.blogcrawl) continue;
    if (!/\p{L}{3}|[぀-ヿ㐀-鿿가-힯]{2}/u.test(words(e))) continue;
    let boxes = 0;
    for (let box = e.parentElement; box; box = box.parentElement)
      boxes += new RegExp(ofComments, 'i').test(box.className + ' ' + box.id);
    if (boxes > 1 || !place(e)) continue;
    e.blogcrawl = true;
    e.click();
    return true;
  }
  return false;
}
