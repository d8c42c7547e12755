/* One screen down; true at the end of the page. */
() => {
  const e = document.scrollingElement || document.documentElement;
  if (!e) return true;
  const before = e.scrollTop;
  window.scrollBy(0, Math.max(400, window.innerHeight * 0.9));
  return e.scrollTop === before || e.scrollTop + window.innerHeight >= e.scrollHeight - 2;
}
