/* Clicks up to `most` visible nodes of the selectors, in shadow roots too. A link that would
   leave the page is clicked without leaving. */
([selectors, most]) => {
  const found = [];
  const gather = root => {
    for (const css of selectors) for (const e of root.querySelectorAll(css))
      if (!found.includes(e)) found.push(e);
    for (const e of root.querySelectorAll('*')) if (e.shadowRoot) gather(e.shadowRoot);
  };
  gather(document);
  let done = 0;
  for (const e of found) {
    if (done >= most) break;
    const style = getComputedStyle(e);
    if (e.disabled || style.display === 'none' || style.visibility === 'hidden' ||
      !e.getClientRects().length) continue;
    const link = e.closest('a[href]');
    if (link && !/^(#|javascript:)/i.test(link.getAttribute('href')) &&
      !link.getAttribute('onclick')
        && link.href.split('#')[0] !== location.href.split('#')[0])
      link.addEventListener('click', event => event.preventDefault(), {once: true});
    e.click();
    done++;
  }
  return done;
}
