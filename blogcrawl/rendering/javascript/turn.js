/* Clicks the control that puts the next part of a list in the place of this one: the number that
   follows in a row of numbers, or an arrow or a word for the next page. Whether there was one. */
([next, names, number]) => {
  const says = new RegExp(next, 'i'), called = new RegExp(names, 'i');
  const label = e => (e.value || e.innerText || '').trim().replace(/\s+/g, ' ');
  const named = e => ['class', 'id', 'aria-label', 'title']
    .some(name => called.test(e.getAttribute(name) || ''));
  const leads = a => !/^(#[^/!]*$|#?$|javascript:)/i.test((a.getAttribute('href') || '').trim());
  const usable = e => e.getClientRects().length && !e.disabled && !e.querySelector('a, button, li')
    && e.getAttribute('aria-disabled') !== 'true' && !/disabled/.test(e.className)
    && !leads(e) && !e.closest('[class*=comment], [id*=comment], table, form, pre');
  const follows = e => label(e) === String(number) && [e.parentElement, e.parentElement.parentElement]
    .some(row => row && label(row).length < 120 && [...row.querySelectorAll('*')]
      .some(other => label(other) === String(number - 1)));
  const controls = [...document.querySelectorAll(
    'button, a, li, span, div, input[type=button], [role=button]')].filter(usable);
  const found = controls.find(follows) ||
    controls.find(e => label(e).length <= 40 && (says.test(label(e)) || named(e)));
  if (found) found.click();
  return !!found;
}
